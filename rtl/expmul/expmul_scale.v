// expmul_scale: a BF16 times 2^-k, combinational: a subtraction in the exponent.
//
// Latency 0.
// Numerics: a subnormal operand counts as zero, a subnormal result becomes zero, both with their sign;
// infinity and NaN stay what they are.  Bit-exact with num_expmul_scale().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module expmul_scale (
  input  wire [15:0] x_i,
  input  wire [4:0]  k_i,
  output wire [15:0] y_o
);
  wire [8:0]  exponent = {1'b0, x_i[14:7]} - {4'd0, k_i};
  wire        special  = &x_i[14:7];
  wire        under    = exponent[8] | (exponent[7:0] == 8'd0);

  assign y_o[15]   = x_i[15];
  assign y_o[14:0] = under ? 15'd0 : {exponent[7:0] | {8{special}}, x_i[6:0]};
endmodule
`resetall
