// arith_divide: the quotient o / l of two elements as a BF16, in the engine's arithmetic.
//
// The operands hold for two cycles; en_i is high in the first of them, y_o is right in the second.
//
// Numerics: H-FA: see hfa_logdiv_lane.  FA-2, ExpMul: see bf16_div; l = 0 gives 0.
// ARITHMETIC  as of arith_factor
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module arith_divide #(
  parameter ARITHMETIC = 0
) (
  input  wire        clk_i,
  input  wire        en_i,
  input  wire [16:0] o_i,
  input  wire [16:0] l_i,
  output wire [15:0] y_o
);
  generate
    if (ARITHMETIC == 0) begin : g_hfa
      hfa_logdiv_lane u_lane (
        .o_i(o_i),
        .l_i(l_i),
        .y_o(y_o)
      );
      wire unused = &{1'b0, clk_i, en_i};
    end else begin : g_float
      wire [15:0] quotient;
      bf16_div u_div (
        .clk_i(clk_i),
        .en_i (en_i),
        .a_i  ({o_i[16], o_i[14:0]}),
        .b_i  ({l_i[16], l_i[14:0]}),
        .y_o  (quotient)
      );
      assign y_o = l_i[14:7] == 8'd0 ? 16'd0 : quotient;
      wire unused = &{1'b0, o_i[15], l_i[15]};
    end
  endgenerate
endmodule
`resetall
