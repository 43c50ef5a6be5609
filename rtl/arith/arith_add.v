// arith_add: the sum of two elements, in the engine's arithmetic.
//
// Latency 0.
// Numerics: H-FA: see hfa_lns_add.  FA-2, ExpMul: see bf16_add.
// ARITHMETIC  as of arith_factor
// VARIANT     of H-FA, bit 0: LNS, bit 1: ZERO_EXACT of hfa_lns_add
// LANES       sums at a time, >= 1
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module arith_add #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter LANES      = 1,
  parameter W          = LANES > 8 ? 32 : 17   // follows
) (
  input  wire [W*LANES-1:0] a_i,
  input  wire [W*LANES-1:0] b_i,
  output wire [W*LANES-1:0] y_o
);
  generate
    if (ARITHMETIC == 0) begin : g_hfa
      hfa_lns_add #(
        .LNS       (VARIANT % 2),
        .ZERO_EXACT(VARIANT / 2),
        .LANES     (LANES)
      ) u_add (
        .a_i(a_i),
        .b_i(b_i),
        .y_o(y_o)
      );
    end else begin : g_float
      bf16_add #(
        .LANES(LANES),
        .SIGN (16)
      ) u_add (
        .a_i(a_i),
        .b_i(b_i),
        .y_o(y_o)
      );
    end
  endgenerate
endmodule
`resetall
