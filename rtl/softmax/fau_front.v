// fau_front: what an FAU begins with, whatever the arithmetic: score, running maximum, difference.
//
//   q_i, k_i --> [bf16_dot] --> [running maximum] --> [smaller - larger] --> diff_o
//   stages        1 .. 6+CL           7+CL                 8+CL
//
//   flags    --> [delay line ............................... 10+CL] --> to the lanes
//
// One of maximum and score stays what it is when the new maximum is taken, the smaller one lies
// diff_o below it: the key's score if key_small_o, else the maximum before it.  Between equals
// diff_o is 0.  A key that does not take part leaves the maximum as it was.
//
// All registers advance with en_i.  carry_m_i is looked at in stage 6+CL of a first key with carry.
//
// D  elements of a query and a key, >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module fau_front #(
  parameter D = 64
) (
  input  wire            clk_i,
  input  wire            rst_ni,         // active low, asserted asynchronously
  input  wire            en_i,

  // Input, stage 0
  input  wire [16*D-1:0] q_i,
  input  wire [16*D-1:0] k_i,
  input  wire            key_i,          // the key takes part
  input  wire            taint_i,        // makes the result poisoned
  input  wire            first_i,        // row of its group
  input  wire            last_i,
  input  wire            final_i,
  input  wire            carry_i,        // the group continues the carry
  input  wire [15:0]     carry_m_i,

  // Stage 8+CL
  output wire [15:0]     diff_o,
  output wire            key_small_o,

  // Stage 10+CL
  output wire            key_o,
  output wire            taint_o,
  output wire            first_o,
  output wire            last_o,
  output wire            final_o,
  output wire            carry_o,
  output wire [15:0]     max_o
`ifdef FORMAL
  , output wire [9+$clog2(D):0] f_carry_at_o   // stages with a first key that continues the carry, 1 lowest
`endif
);
  `PARAMETER(D_must_be_at_least_2, D >= 2)
  localparam CL    = $clog2(D);
  localparam SCORE = 6 + CL;             // stage of the score
  localparam LANE  = 10 + CL;            // stage of the scaled value
  localparam [15:0] NEG_INF = 16'hff80;

  // ---------------------------------------------------------------- flags, [s] is stage s
  reg [LANE:1] key_q, taint_q, first_q, last_q, final_q, carry_q;

  // first_q and last_q act, on the carry and the triplet register; the others say nothing without a first.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= {LANE{1'b0}};
      last_q  <= {LANE{1'b0}};
    end else if (en_i) begin
      first_q <= {first_q[LANE-1:1], first_i};
      last_q  <= {last_q[LANE-1:1], last_i};
    end
  end

  always @(posedge clk_i) begin
    if (en_i) begin
      key_q   <= {key_q[LANE-1:1], key_i};
      taint_q <= {taint_q[LANE-1:1], taint_i};
      final_q <= {final_q[LANE-1:1], final_i};
      carry_q <= {carry_q[LANE-1:1], carry_i};
    end
  end

`ifdef FORMAL
  assign f_carry_at_o = first_q & carry_q;
`endif

  assign key_o   = key_q[LANE];
  assign taint_o = taint_q[LANE];
  assign first_o = first_q[LANE];
  assign last_o  = last_q[LANE];
  assign final_o = final_q[LANE];
  assign carry_o = carry_q[LANE];

  // ---------------------------------------------------------------- score
  wire [15:0] score;
  bf16_dot #(.D(D)) u_dot (
    .clk_i(clk_i),
    .en_i (en_i),
    .a_i  (q_i),
    .b_i  (k_i),
    .y_o  (score)
  );

  // ---------------------------------------------------------------- running maximum
  reg  [15:0] max_q;                     // stage 7+CL
  reg  [15:0] small_q;
  reg         key_small_q;
  wire [15:0] start   = carry_q[SCORE] ? carry_m_i : NEG_INF;
  wire [15:0] max_old = first_q[SCORE] ? start : max_q;
  wire [15:0] larger;
  wire [15:0] smaller;
  wire        key_small;
  score_order u_order (
    .a_i      (max_old),
    .b_i      (score),
    .larger_o (larger),
    .smaller_o(smaller),
    .b_small_o(key_small)
  );

  always @(posedge clk_i) begin
    if (en_i) begin
      max_q       <= key_q[SCORE] ? larger : max_old;
      small_q     <= smaller;
      key_small_q <= key_small;
    end
  end

  // ---------------------------------------------------------------- difference
  wire [15:0] diff;
  bf16_diff u_diff (
    .a_i(small_q),
    .b_i(max_q),
    .y_o(diff)
  );

  reg  [15:0] diff_q;                    // stage 8+CL
  reg         diff_key_small_q;
  always @(posedge clk_i) begin
    if (en_i) begin
      diff_q           <= diff;
      diff_key_small_q <= key_small_q;
    end
  end

  assign diff_o      = diff_q;
  assign key_small_o = diff_key_small_q;

  delay_line #(
    .W    (16),
    .DEPTH(3)
  ) u_max (
    .clk_i (clk_i),
    .en_i  (en_i),
    .data_i(max_q),
    .data_o(max_o)
  );
endmodule
`resetall
