// expmul_scale: a BF16 times 2^-k, combinational: a subtraction in the exponent.
//
// Latency 0.
// Numerics: a subnormal operand counts as zero, a subnormal result becomes zero, both with their sign;
// infinity and NaN stay what they are.  Bit-exact with num_expmul_scale().
// LANES  operands at a time, >= 1
// SIGN   where an operand has its sign, 15 or, with a bit between that is always 0, 16
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module expmul_scale #(
  parameter LANES = 1,
  parameter SIGN  = 15,
  parameter W     = LANES > 8 ? 32 : SIGN + 1   // follows
) (
  input  wire [W*LANES-1:0] x_i,
  input  wire [4:0]         k_i,           // of all
  output wire [W*LANES-1:0] y_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  (* mem2reg *) reg [W-1:0] y [0:LANES-1];
  reg [31:0]   i;
  reg [SIGN:0] x;
  reg [8:0]    e;
  reg [14:0]   m;
  always @* begin
    {x, e, m} = {(SIGN+25){1'b0}};
    for (i = 0; i < LANES; i = i + 1) begin
      x    = x_i[W*i +: SIGN+1];
      e    = {1'b0, x[14:7]} - {4'd0, k_i};
      m    = e[8] | (e[7:0] == 8'd0) ? 15'd0 : {e[7:0] | {8{&x[14:7]}}, x[6:0]};
      y[i] = {{(W-15){1'b0}}, m} | ({{(W-1){1'b0}}, x[SIGN]} << SIGN);
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign y_o[W*g +: W] = y[g];
    end
  endgenerate
endmodule
`resetall
