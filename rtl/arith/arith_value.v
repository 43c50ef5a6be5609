// arith_value: a BF16 as an element of the engine's arithmetic.
//
// Latency 0.
// Numerics: H-FA: see hfa_log2.  FA-2, ExpMul: {sign, 0, BF16 without its sign}.
// ARITHMETIC  as of arith_factor
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module arith_value #(
  parameter ARITHMETIC = 0
) (
  input  wire [15:0] v_i,
  output wire [16:0] x_o,
  output wire [16:0] used_o              // constant: the bits of an element that can be 1
);
  generate
    if (ARITHMETIC == 0) begin : g_hfa
      hfa_log2 u_log2 (
        .v_i(v_i),
        .x_o(x_o)
      );
      assign used_o = 17'h1ffff;
    end else begin : g_float
      assign x_o    = {v_i[15], 1'b0, v_i[14:0]};
      assign used_o = 17'h17fff;
    end
  endgenerate
endmodule
`resetall
