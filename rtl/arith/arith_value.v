// arith_value: a BF16 as an element of the engine's arithmetic.
//
// Latency 0.
// Numerics: H-FA: see hfa_log2.  FA-2, ExpMul: {sign, 0, BF16 without its sign}.
// ARITHMETIC  as of arith_factor
// LANES       values at a time, >= 1
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module arith_value #(
  parameter ARITHMETIC = 0,
  parameter LANES      = 1,
  parameter W          = LANES > 8 ? 32 : 17   // follows
) (
  input  wire [16*LANES-1:0] v_i,
  output wire [W*LANES-1:0]  x_o,
  output wire [16:0]         used_o        // constant: the bits of an element that can be 1
);
  genvar g;
  generate
    if (ARITHMETIC == 0) begin : g_hfa
      hfa_log2 #(.LANES(LANES)) u_log2 (
        .v_i(v_i),
        .x_o(x_o)
      );
      assign used_o = 17'h1ffff;
    end else begin : g_float
      for (g = 0; g < LANES; g = g + 1) begin : g_lane
        assign x_o[W*g +: W] = {{(W-17){1'b0}}, v_i[16*g + 15], 1'b0, v_i[16*g +: 15]};
      end
      assign used_o = 17'h17fff;
    end
  endgenerate
endmodule
`resetall
