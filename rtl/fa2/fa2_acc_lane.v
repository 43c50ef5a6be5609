// fa2_acc_lane: one element of an FA-2 ACC: a * e + b * e' in BF16, combinational.
//
// One of the two exponentials is 1: that of the triplet with the larger maximum.  With ONE_MUL the
// product with it is left out; the bits are the same.
//
// Latency 0.
// Numerics: elements are {sign, 0, BF16 without its sign}; see bf16_mul, bf16_add.
// ONE_MUL  0: two multipliers, 1: one, behind a choice of operands
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fa2_acc_lane #(
  parameter ONE_MUL = 0
) (
  input  wire [16:0] a_i /* verilator public_flat_rd */,
  input  wire [16:0] b_i /* verilator public_flat_rd */,
  input  wire [15:0] e_i,                // factor of a, or with ONE_MUL = 1 of the smaller one
  input  wire [15:0] b_e_i,              // ONE_MUL = 0: factor of b
  input  wire        b_small_i,          // ONE_MUL = 1: b is the one with a factor
  output wire [16:0] y_o
);
  // Out of line, and with the ports kept that differ between lanes, one C++ function serves all lanes.
  /* verilator no_inline_module */

  wire [15:0] a = {a_i[16], a_i[14:0]};
  wire [15:0] b = {b_i[16], b_i[14:0]};
  wire [15:0] left;
  wire [15:0] right;

  generate
    if (ONE_MUL != 0) begin : g_one_mul
      bf16_mul u_mul (
        .a_i(b_small_i ? b : a),
        .b_i(e_i),
        .y_o(left)
      );
      assign right = b_small_i ? a : b;
      wire unused = &{1'b0, b_e_i};
    end else begin : g_two_mul
      bf16_mul u_mul_a (
        .a_i(a),
        .b_i(e_i),
        .y_o(left)
      );
      bf16_mul u_mul_b (
        .a_i(b),
        .b_i(b_e_i),
        .y_o(right)
      );
      wire unused = &{1'b0, b_small_i};
    end
  endgenerate

  wire [15:0] sum;
  bf16_add u_add (
    .a_i(left),
    .b_i(right),
    .y_o(sum)
  );

  assign y_o = {sum[15], 1'b0, sum[14:0]};

  wire unused = &{1'b0, a_i[15], b_i[15]};
endmodule
`resetall
