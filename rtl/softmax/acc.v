// acc: merges the triplets of two sets of keys.
//
//   a --+--> [maximum, difference] --> [factor] --> [D + 1 lanes: scale, scale, add] --> out
//   b --+            step 0             step 1                 step 2
//
// Latency 3 cycles from both valid to out_valid_o; a result every 3 cycles.  a and b are held by their
// producers meanwhile and taken together, a_ready_o and b_ready_o being one signal that depends
// combinationally on the valid inputs and out_ready_i.
// Numerics: see arith_factor, acc_lane.  Bit-exact with num_engine_acc().
//
// ARITHMETIC, VARIANT  as of fau_lane
// D                    elements of a value, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module acc #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously

  // Running triplet
  input  wire                a_valid_i,
  output wire                a_ready_o,
  input  wire                a_final_i,
  input  wire [15:0]         a_m_i,
  input  wire                a_poison_i,
  input  wire [17*(D+1)-1:0] a_o_i,

  // This block's
  input  wire                b_valid_i,
  output wire                b_ready_o,
  input  wire [15:0]         b_m_i,
  input  wire                b_poison_i,
  input  wire [17*(D+1)-1:0] b_o_i,

  // Merged
  output wire                out_valid_o,
  input  wire                out_ready_i,
  output wire                out_final_o,
  output wire [15:0]         out_m_o,
  output wire                out_poison_o,
  output wire [17*(D+1)-1:0] out_o_o
);
  `PARAMETER(ARITHMETIC_must_be_0_to_2, ARITHMETIC >= 0 && ARITHMETIC <= 2)
  `PARAMETER(VARIANT_must_be_one_of_the_ARITHMETIC, VARIANT >= 0 && VARIANT <= (ARITHMETIC < 2 ? 3 - 2*ARITHMETIC : 0))
  `PARAMETER(D_must_be_at_least_1, D >= 1)
`ifdef VERILATOR
  localparam LANES = D;                    // element 0 apart: as many as a power of two become vector instructions
`else
  localparam LANES = 1;                    // a module a lane, to be mapped once
`endif
  localparam ONE_SCALE = ARITHMETIC == 1 && VARIANT != 0;

  wire       in_ready;
  wire [2:0] step;
`ifdef FORMAL
  wire       f_started;
`endif
  stream_steps #(.STEPS(3)) u_steps (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (a_valid_i & b_valid_i),
    .in_ready_o (in_ready),
    .step_o     (step),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i)
`ifdef FORMAL
    , .f_started_o(f_started)
`endif
  );

  assign a_ready_o = in_ready;
  assign b_ready_o = in_ready;

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

  // ---------------------------------------------------------------- step 1
  wire [15:0] f;
  wire [15:0] one;
  wire [16:0] empty;
  arith_factor #(.ARITHMETIC(ARITHMETIC)) u_factor (
    .d_i    (diff_q),
    .f_o    (f),
    .one_o  (one),
    .empty_o(empty)
  );
  wire unused = &{1'b0, empty};

  reg [15:0] a_f_q;                        // for acc_lane
  reg [15:0] b_f_q;
  always @(posedge clk_i) begin
    if (step[1]) begin
      a_f_q <= (ONE_SCALE || !b_small_q) ? f : one;
      b_f_q <= b_small_q ? f : one;
    end
  end

  // ---------------------------------------------------------------- step 2
  reg                out_final_q;
  reg [15:0]         out_m_q;
  reg                out_poison_q;
  reg [17*(D+1)-1:0] out_o_q;
  always @(posedge clk_i) begin
    if (step[2]) begin
      out_final_q  <= a_final_i;
      out_m_q      <= max_q;
      out_poison_q <= a_poison_i | b_poison_i;
      out_o_q      <= sum;
    end
  end

  wire [17*(D+1)-1:0] sum;
  genvar i;
  generate
    for (i = 0; i <= D; i = i + (i == 0 ? 1 : LANES)) begin : g_element
      localparam N = i == 0 ? 1 : LANES;
      acc_lane #(
        .ARITHMETIC(ARITHMETIC),
        .VARIANT   (VARIANT),
        .LANES     (N)
      ) u_lane (
        .a_i      (a_o_i[17*i +: 17*N]),
        .a_f_i    (a_f_q),
        .b_i      (b_o_i[17*i +: 17*N]),
        .b_f_i    (b_f_q),
        .b_small_i(b_small_q),
        .y_o      (sum[17*i +: 17*N])
      );
    end
  endgenerate

  assign out_final_o  = out_final_q;
  assign out_m_o      = out_m_q;
  assign out_poison_o = out_poison_q;
  assign out_o_o      = out_o_q;

  `ASSUME_STABLE(a_is_held, a_valid_i, in_ready, 18, {a_final_i, a_m_i, a_poison_i})
  `ASSUME_STABLE(b_is_held, b_valid_i, in_ready, 17, {b_m_i, b_poison_i})

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Proved by induction (tb/formal/), also as part of the chain there.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  always @(posedge clk_i) if (f_run && f_started) begin
    assert (a_valid_i && b_valid_i);
    assert (max_q == larger && b_small_q == b_small);
  end
  always @(posedge clk_i) if (f_run && f_ran && $past(in_ready)) begin
    assert (out_valid_o && out_m_o == $past(larger) && out_final_o == $past(a_final_i));
    assert (out_poison_o == $past(a_poison_i || b_poison_i));   // poison sticks
  end
`ifdef ACC_COVER
  always @(posedge clk_i) if (f_run && f_ran) begin
    cover (in_ready && $past(out_valid_o && !out_ready_i));
    cover (out_valid_o && out_poison_o && f_started && b_small_q);
    cover (out_valid_o && $past(out_valid_o, 3) && $past(!out_valid_o, 2));    // three cycles each
  end
`endif
`endif
endmodule
`resetall
