// bf16_round: rounds and packs a BF16 result, the last step of every unit that rounds.
//
//   sign, exponent, 1.fraction, half, sticky --> [round] --> [flush, overflow] --> y_o
//
// Latency 0: y_o is combinational.
// Numerics: exp_i is the biased exponent of the leading one in two's complement, so that it may lie
// far outside of the format; half_i is the first bit below the fraction, sticky_i tells of any set
// bit below that.  Overflow gives infinity; what IEEE rounding leaves subnormal gives zero.
// No parameters: the widths follow from the format.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_round (
  input  wire        sign_i,
  input  wire [9:0]  exp_i,
  input  wire [6:0]  frac_i,
  input  wire        half_i,
  input  wire        sticky_i,
  output wire [15:0] y_o
);
  localparam [9:0] EXP_INF = 10'd255;

  // One binade below the smallest normal number a subnormal has one bit less, and 1.1111111 is half
  // way or more from there to the smallest normal number, which is even.  To round up everything in
  // that binade does it: whatever else lies there is flushed all the same.
  wire        edge_binade = exp_i == 10'd0;
  wire        round_up    = (half_i & (sticky_i | frac_i[0])) | edge_binade;

  // Exponent and fraction are one integer: a carry out of the fraction raises the exponent.
  wire [16:0] rounded  = {exp_i, frac_i} + {16'd0, round_up};
  wire [9:0]  exponent = rounded[16:7];
  wire        flush    = exponent[9] | (exponent == 10'd0);
  wire        overflow = ~exponent[9] & (exponent >= EXP_INF);

  assign y_o = flush    ? {sign_i, 15'd0}
             : overflow ? {sign_i, EXP_INF[7:0], 7'd0}
                        : {sign_i, rounded[14:0]};
endmodule
`resetall
