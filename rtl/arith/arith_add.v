// arith_add: the sum of two elements, in the engine's arithmetic.
//
// Latency 0.
// Numerics: H-FA: see hfa_lns_add.  FA-2, ExpMul: see bf16_add.
// ARITHMETIC  as of arith_factor
// VARIANT     of H-FA, bit 0: LNS, bit 1: ZERO_EXACT of hfa_lns_add
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module arith_add #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0
) (
  input  wire [16:0] a_i,
  input  wire [16:0] b_i,
  output wire [16:0] y_o
);
  generate
    if (ARITHMETIC == 0) begin : g_hfa
      hfa_lns_add #(
        .LNS       (VARIANT % 2),
        .ZERO_EXACT(VARIANT / 2)
      ) u_add (
        .a_i(a_i),
        .b_i(b_i),
        .y_o(y_o)
      );
    end else begin : g_float
      bf16_add u_add (
        .a_i({a_i[16], a_i[14:0]}),
        .b_i({b_i[16], b_i[14:0]}),
        .y_o({y_o[16], y_o[14:0]})
      );
      assign y_o[15] = 1'b0;
      wire unused = &{1'b0, a_i[15], b_i[15]};
    end
  endgenerate
endmodule
`resetall
