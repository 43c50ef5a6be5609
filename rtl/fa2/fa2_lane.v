// fa2_lane: one element of an FA-2 FAU's accumulator: state = state * e + v * e', in BF16.
//
//   ONE_MUL = 0                                      ONE_MUL = 1
//   v_i --> [*] --> register ---> [+] --> state_o    v_i --> register --+--> larger's --> [+] --> state_o
//   key_e_i -^                     ^                                    |                  ^
//   state or start --> [*] --------+                 state or start ----+--> smaller's -> [*]
//   e_i ----------------^                                                         e_i -----^
//   stages          10+CL          11+CL                          10+CL                  11+CL
//
// Of the exponentials of score and old maximum, less the new maximum, one is always 1: the product
// that ONE_MUL leaves out is one with 1, and the bits are the same.  A key that does not take part
// leaves the state as it was, or as it starts.
//
// Numerics: elements are {sign, 0, BF16 without its sign}; see bf16_mul, bf16_add.
// ONE_MUL  0: two multipliers, 1: one, behind a choice of operands
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fa2_lane #(
  parameter ONE_MUL = 0
) (
  input  wire        clk_i,
  input  wire        en_i,

  // Stage 9+CL
  input  wire [15:0] v_i /* verilator public_flat_rd */,
  input  wire [15:0] key_e_i,            // ONE_MUL = 0: factor of the value

  // Stage 10+CL
  input  wire        key_i,              // the key takes part
  input  wire        first_i,            // the group begins
  input  wire [16:0] start_i /* verilator public_flat_rd */,   // with this
  input  wire        key_small_i,        // ONE_MUL = 1: the value is the one with a factor
  input  wire [15:0] e_i,                // factor of the state, or with ONE_MUL = 1 of the smaller one

  // Stage 11+CL
  output wire [16:0] state_o
);
  // Out of line, and with the ports kept that differ between lanes, one C++ function serves all lanes.
  /* verilator no_inline_module */

  reg  [15:0] value_q;
  reg  [15:0] state_q;                   // plain BF16
  wire [15:0] old = first_i ? {start_i[16], start_i[14:0]} : state_q;
  wire [15:0] value;                     // for stage 10+CL
  wire [15:0] factor;                    // of the product of stage 11+CL
  wire [15:0] product;
  wire [15:0] other;

  generate
    if (ONE_MUL != 0) begin : g_one_mul
      assign value  = v_i;
      assign factor = key_small_i ? value_q : old;
      assign other  = key_small_i ? old : value_q;
      wire unused = &{1'b0, key_e_i};
    end else begin : g_two_mul
      bf16_mul u_mul_value (
        .a_i(v_i),
        .b_i(key_e_i),
        .y_o(value)
      );
      assign factor = old;
      assign other  = value_q;
      wire unused = &{1'b0, key_small_i};
    end
  endgenerate

  bf16_mul u_mul (
    .a_i(factor),
    .b_i(e_i),
    .y_o(product)
  );

  wire [15:0] sum;
  bf16_add u_add (
    .a_i(product),
    .b_i(other),
    .y_o(sum)
  );

  always @(posedge clk_i) begin
    if (en_i) begin
      value_q <= value;
      state_q <= key_i ? sum : old;
    end
  end

  assign state_o = {state_q[15], 1'b0, state_q[14:0]};

  wire unused = &{1'b0, start_i[15]};
endmodule
`resetall
