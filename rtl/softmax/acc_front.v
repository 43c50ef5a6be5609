// acc_front: what the ACCs of both arithmetics share: control, maximum, difference.
//
//   a_m_i --+--> [larger, smaller - larger] --> diff_o --> quant or exp --> lanes --> result register
//   b_m_i --+            step 0                                step 1       step 2
//
// Both triplets are taken when the result register is loaded (load_o).  The smaller one of the two
// maxima lies diff_o below the larger: b's if b_small_o, else a's.
//
// Latency 3 cycles from both valid to out_valid_o; a result every 3 cycles.  in_ready_o depends
// combinationally on the valid inputs and out_ready_i.
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module acc_front (
  input  wire        clk_i,
  input  wire        rst_ni,             // active low, asserted asynchronously

  // Triplets, all but their elements
  input  wire        a_valid_i,
  input  wire        a_final_i,
  input  wire [15:0] a_m_i,
  input  wire        a_poison_i,
  input  wire        b_valid_i,
  input  wire [15:0] b_m_i,
  input  wire        b_poison_i,
  output wire        in_ready_o,         // both are taken

  // To the lanes
  output wire        exp_o,              // step 1: diff_o is valid
  output wire        load_o,             // step 2, its last cycle
  output wire [15:0] diff_o,
  output wire        b_small_o,

  // Merged triplet
  output wire        out_valid_o,
  input  wire        out_ready_i,
  output wire        out_final_o,
  output wire [15:0] out_m_o,
  output wire        out_poison_o
);
  wire [2:0] step;
`ifdef FORMAL
  wire       f_started;
`endif
  stream_steps #(.STEPS(3)) u_steps (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (a_valid_i & b_valid_i),
    .in_ready_o (in_ready_o),
    .step_o     (step),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i)
`ifdef FORMAL
    , .f_started_o(f_started)
`endif
  );

  assign exp_o  = step[1];
  assign load_o = step[2];

  // ---------------------------------------------------------------- step 0
  wire [15:0] larger;
  wire [15:0] smaller;
  wire        b_small;
  score_order u_order (
    .a_i      (a_m_i),
    .b_i      (b_m_i),
    .larger_o (larger),
    .smaller_o(smaller),
    .b_small_o(b_small)
  );

  wire [15:0] diff;
  bf16_diff u_diff (
    .a_i(smaller),
    .b_i(larger),
    .y_o(diff)
  );

  reg [15:0] diff_q;
  reg        b_small_q;
  reg [15:0] max_q;
  always @(posedge clk_i) begin
    if (step[0]) begin
      diff_q    <= diff;
      b_small_q <= b_small;
      max_q     <= larger;
    end
  end

  assign diff_o    = diff_q;
  assign b_small_o = b_small_q;

  // ---------------------------------------------------------------- step 2
  reg        out_final_q;
  reg [15:0] out_m_q;
  reg        out_poison_q;
  always @(posedge clk_i) begin
    if (step[2]) begin
      out_final_q  <= a_final_i;
      out_m_q      <= max_q;
      out_poison_q <= a_poison_i | b_poison_i;
    end
  end

  assign out_final_o  = out_final_q;
  assign out_m_o      = out_m_q;
  assign out_poison_o = out_poison_q;

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Proved by induction (tb/formal/), also as part of the chain there.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // Producers hold what is not taken.
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(a_valid_i && !in_ready_o)) begin
      `ASSUME (a_valid_i && a_final_i == $past(a_final_i));
      `ASSUME (a_m_i == $past(a_m_i) && a_poison_i == $past(a_poison_i));
    end
    if ($past(b_valid_i && !in_ready_o)) begin
      `ASSUME (b_valid_i && b_m_i == $past(b_m_i) && b_poison_i == $past(b_poison_i));
    end
  end

  always @(posedge clk_i) if (f_run && f_started) begin
    assert (a_valid_i && b_valid_i);
    assert (max_q == larger && b_small_q == b_small);
  end
  always @(posedge clk_i) if (f_run && f_ran && $past(in_ready_o)) begin
    assert (out_valid_o && out_m_o == $past(larger) && out_final_o == $past(a_final_i));
    assert (out_poison_o == $past(a_poison_i || b_poison_i));   // poison sticks
  end
`endif
endmodule
`resetall
