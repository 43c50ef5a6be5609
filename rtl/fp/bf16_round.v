// bf16_round: rounds and packs a BF16 result, the last step of every unit that rounds.
//
//   x_i = {sign, exponent, fraction, half, sticky} --> [round] --> [flush, overflow] --> y_o
//
// Latency 0: y_o is combinational.
// Numerics: the exponent is the biased one of the leading one in two's complement, so that it may lie
// far outside of the format; half is the first bit below the fraction, sticky tells of any set
// bit below that.  Overflow gives infinity; what IEEE rounding leaves subnormal gives zero.
// LANES  results at a time, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module bf16_round #(
  parameter LANES = 1,
  parameter W     = LANES > 8 ? 32 : 20,   // follows
  parameter W_Y   = LANES > 8 ? 32 : 16    // follows
) (
  input  wire [W*LANES-1:0]   x_i,         // {sign, exponent [9:0], fraction [6:0], half, sticky}
  output wire [W_Y*LANES-1:0] y_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  localparam [9:0] EXP_INF = 10'd255;

  (* mem2reg *) reg [W_Y-1:0] y [0:LANES-1];
  reg [31:0] i;
  reg [19:0] x;
  reg        up;
  reg [16:0] r;
  always @* begin
    {x, up, r} = 38'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      x = x_i[W*i +: 20];
      // One binade below the smallest normal number a subnormal has one bit less, and 1.1111111 is half
      // way or more from there to the smallest normal number, which is even.  To round up everything in
      // that binade does it: whatever else lies there is flushed all the same.
      up = (x[1] & (x[0] | x[2])) | (x[18:9] == 10'd0);
      // Exponent and fraction are one integer: a carry out of the fraction raises the exponent.
      r  = x[18:2] + {16'd0, up};
      r[14:0] = ~r[16] & (r[16:7] >= EXP_INF) ? {EXP_INF[7:0], 7'd0} : r[14:0];
      y[i]    = {{(W_Y-16){1'b0}}, x[19], r[16] | (r[16:7] == 10'd0) ? 15'd0 : r[14:0]};
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign y_o[W_Y*g +: W_Y] = y[g];
    end
  endgenerate
endmodule
`resetall
