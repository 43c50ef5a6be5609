// fau: FlashAttention unit: one query against a stream of keys and values, one per cycle.
//
//   q_i, k_i --> [fau_front: score, maximum, difference] --> [factor] --> [D + 1 lanes] --> triplet
//   v_i, of the same key, 9+CL cycles later --------------------------------^
//
// Stages and triplets: rtl/README.md.  Element 0 of the accumulator takes 1 for its value and so sums
// up l; element 1 + c is column c of the output.
//
// Protocol
//  - Everything up to the triplet register advances with en_i, which may be high only with ready_o.
//    ready_o is low only while a third finished triplet has no place, since nobody takes the two before
//    it; it comes from registers.
//  - A row without first_i, last_i and key_i is a bubble.
//  - The carry inputs hold from the acceptance of a group with carry_i until carry_used_o, the cycle
//    in which they have been looked at for the last time.
//
// ARITHMETIC, VARIANT  as of fau_lane
// D                    elements of a query, key and value, >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module fau #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously
  input  wire                en_i,
  output wire                ready_o,

  // Key, stage 0
  input  wire [16*D-1:0]     q_i,
  input  wire                q_special_i,  // infinity or NaN in it
  input  wire [16*D-1:0]     k_i,
  input  wire                k_special_i,
  input  wire                key_i,        // the key takes part
  input  wire                first_i,      // row of its group
  input  wire                last_i,
  input  wire                final_i,      // travels with the group
  input  wire                carry_i,      // the group continues the carry

  // Value, stage 9+CL
  input  wire [16*D-1:0]     v_i,
  input  wire                v_special_i,

  // Carry
  input  wire [15:0]         carry_m_i,
  input  wire                carry_poison_i,
  input  wire [17*(D+1)-1:0] carry_o_i,
  output wire                carry_used_o,

  // Triplet
  output wire                out_valid_o,
  input  wire                out_ready_i,
  output wire                out_final_o,
  output wire [15:0]         out_m_o,
  output wire                out_poison_o,
  output wire [17*(D+1)-1:0] out_o_o
`ifdef FORMAL
  , output wire [9+$clog2(D):0] f_carry_at_o   // of fau_front
`endif
);
  `PARAMETER(ARITHMETIC_must_be_0_to_2, ARITHMETIC >= 0 && ARITHMETIC <= 2)
  `PARAMETER(VARIANT_must_be_one_of_the_ARITHMETIC, VARIANT >= 0 && VARIANT <= (ARITHMETIC < 2 ? 3 - 2*ARITHMETIC : 0))
  `PARAMETER(D_must_be_at_least_2, D >= 2)
`ifdef VERILATOR
  localparam LANES = D;                    // element 0 apart: as many as a power of two become vector instructions
`else
  localparam LANES = 1;                    // a module a lane, to be mapped once
`endif
  localparam ONE_SCALE  = ARITHMETIC == 1 && VARIANT != 0;
  localparam [15:0] ONE = 16'h3f80;        // BF16

  // ---------------------------------------------------------------- score, maximum, difference
  wire [15:0] diff;                        // stage 8+CL
  wire        key_small;
  wire        lane_key, lane_taint, lane_first, lane_last, lane_final, lane_carry;   // stage 10+CL
  wire [15:0] lane_max;
  fau_front #(.D(D)) u_front (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .en_i       (en_i),
    .q_i        (q_i),
    .k_i        (k_i),
    .key_i      (key_i),
    .taint_i    ((first_i & q_special_i) | (key_i & k_special_i)),
    .first_i    (first_i),
    .last_i     (last_i),
    .final_i    (final_i),
    .carry_i    (carry_i),
    .carry_m_i  (carry_m_i),
    .diff_o     (diff),
    .key_small_o(key_small),
    .key_o      (lane_key),
    .taint_o    (lane_taint),
    .first_o    (lane_first),
    .last_o     (lane_last),
    .final_o    (lane_final),
    .carry_o    (lane_carry),
    .max_o      (lane_max)
`ifdef FORMAL
    , .f_carry_at_o(f_carry_at_o)
`endif
  );

  // ---------------------------------------------------------------- factor
  wire [15:0] f;
  wire [15:0] one;
  wire [16:0] empty;
  arith_factor #(.ARITHMETIC(ARITHMETIC)) u_factor (
    .d_i    (diff),
    .f_o    (f),
    .one_o  (one),
    .empty_o(empty)
  );

  reg [15:0] f_q;                          // stage 9+CL
  reg        f_key_small_q;
  reg [15:0] old_f_q;                      // stage 10+CL
  reg        old_key_small_q;
  reg        v_special_q;
  always @(posedge clk_i) begin
    if (en_i) begin
      f_q             <= f;
      f_key_small_q   <= key_small;
      old_f_q         <= (ONE_SCALE || !f_key_small_q) ? f_q : one;
      old_key_small_q <= ONE_SCALE && f_key_small_q;
      v_special_q     <= v_special_i;
    end
  end

  // ---------------------------------------------------------------- lanes
  wire [15:0]         key_f = f_key_small_q ? f_q : one;
  wire [16*(D+1)-1:0] value = {v_i, ONE};
  wire [17*(D+1)-1:0] start = lane_carry ? carry_o_i : {(D+1){empty}};
  wire [17*(D+1)-1:0] state;               // stage 11+CL

  genvar i;
  generate
    for (i = 0; i <= D; i = i + (i == 0 ? 1 : LANES)) begin : g_element
      localparam N = i == 0 ? 1 : LANES;
      fau_lane #(
        .ARITHMETIC(ARITHMETIC),
        .VARIANT   (VARIANT),
        .LANES     (N)
      ) u_lane (
        .clk_i      (clk_i),
        .en_i       (en_i),
        .v_i        (value[16*i +: 16*N]),
        .key_f_i    (key_f),
        .key_i      (lane_key),
        .first_i    (lane_first),
        .start_i    (start[17*i +: 17*N]),
        .key_small_i(old_key_small_q),
        .old_f_i    (old_f_q),
        .state_o    (state[17*i +: 17*N])
      );
    end
  endgenerate

  assign carry_used_o = en_i & lane_first & lane_carry;

  // ---------------------------------------------------------------- triplet
  fau_triplet #(.D(D)) u_triplet (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .en_i          (en_i),
    .ready_o       (ready_o),
    .start_poison_i(lane_carry & carry_poison_i),
    .taint_i       (lane_taint | (lane_key & v_special_q)),
    .first_i       (lane_first),
    .last_i        (lane_last),
    .final_i       (lane_final),
    .m_i           (lane_max),
    .state_i       (state),
    .out_valid_o   (out_valid_o),
    .out_ready_i   (out_ready_i),
    .out_final_o   (out_final_o),
    .out_m_o       (out_m_o),
    .out_poison_o  (out_poison_o),
    .out_o_o       (out_o_o)
  );
endmodule
`resetall
