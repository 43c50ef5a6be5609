// arith_factor: the factor e^d of what lies d below a maximum, and constants, in the engine's arithmetic.
//
// The one of two factors that belongs to the larger score or maximum is one_o.
//
// Latency 0.
// Numerics: d_i is BF16, d <= 0.  H-FA: f_o is -log2(e^d) in units of 1/128, see hfa_quant.  FA-2: a BF16,
// see bf16_exp.  ExpMul: -log2 of a power of two, see expmul_power.
// ARITHMETIC  0: H-FA, 1: FA-2, 2: ExpMul
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module arith_factor #(
  parameter ARITHMETIC = 0
) (
  input  wire [15:0] d_i,
  output wire [15:0] f_o,
  output wire [15:0] one_o,              // the factor 1
  output wire [16:0] empty_o             // the element 0
);
  generate
    if (ARITHMETIC == 0) begin : g_hfa
      hfa_quant u_quant (
        .d_i(d_i),
        .t_o(f_o[11:0])
      );
      assign f_o[15:12] = 4'd0;
      assign one_o      = 16'd0;
      assign empty_o    = 17'h08000;     // log2(0)
    end else if (ARITHMETIC == 1) begin : g_fa2
      bf16_exp u_exp (
        .x_i(d_i),
        .y_o(f_o)
      );
      assign one_o   = 16'h3f80;
      assign empty_o = 17'd0;
    end else begin : g_expmul
      expmul_power u_power (
        .d_i(d_i),
        .k_o(f_o[4:0])
      );
      assign f_o[15:5] = 11'd0;
      assign one_o     = 16'd0;
      assign empty_o   = 17'd0;
    end
  endgenerate
endmodule
`resetall
