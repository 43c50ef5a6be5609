// arith_scale: an element times a factor, in the engine's arithmetic.
//
// Latency 0.
// Numerics: H-FA: see hfa_scale.  FA-2: see bf16_mul.  ExpMul: see expmul_scale.  Times the factor 1 an element is itself.
// ARITHMETIC  as of arith_factor
// LANES       elements at a time, >= 1
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module arith_scale #(
  parameter ARITHMETIC = 0,
  parameter LANES      = 1,
  parameter W          = LANES > 8 ? 32 : 17   // follows
) (
  input  wire [W*LANES-1:0] x_i,
  input  wire [15:0]        f_i,           // of all
  output wire [W*LANES-1:0] y_o
);
  generate
    if (ARITHMETIC == 0) begin : g_hfa
      hfa_scale #(.LANES(LANES)) u_scale (
        .x_i(x_i),
        .t_i(f_i[11:0]),
        .y_o(y_o)
      );
      wire unused = &{1'b0, f_i[15:12]};
    end else if (ARITHMETIC == 1) begin : g_fa2
      bf16_mul #(
        .LANES(LANES),
        .SIGN (16)
      ) u_mul (
        .a_i(x_i),
        .b_i(f_i),
        .y_o(y_o)
      );
    end else begin : g_expmul
      expmul_scale #(
        .LANES(LANES),
        .SIGN (16)
      ) u_scale (
        .x_i(x_i),
        .k_i(f_i[4:0]),
        .y_o(y_o)
      );
      wire unused = &{1'b0, f_i[15:5]};
    end
  endgenerate
endmodule
`resetall
