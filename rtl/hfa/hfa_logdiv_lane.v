// hfa_logdiv_lane: the quotient o / l of two elements as a BF16, combinational.
//
// By Mitchell's approximation the logarithm of the quotient, with the bias added, is the BF16 itself.
//
// Latency 0: y_o is combinational from o_i and l_i.
// Numerics: R = log2|o| - log2|l| + 127.0.  o = 0, or R below the smallest normal: +0; R above the
// largest finite number: that.
// Bit-exact with num_hfa_logdiv_element().  No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_logdiv_lane (
  input  wire [16:0] o_i,
  input  wire [16:0] l_i,
  output wire [15:0] y_o
);
  localparam [15:0] ZERO = 16'h8000;       // log2(0)
  localparam [17:0] BIAS = 18'd16256;      // 127 << 7
  localparam [14:0] MAX  = 15'h7f7f;

  wire [17:0] ratio = {{2{o_i[15]}}, o_i[15:0]} - {{2{l_i[15]}}, l_i[15:0]} + BIAS;
  wire        under = ratio[17] | (ratio[16:7] == 10'd0) | (o_i[15:0] == ZERO);
  wire        over = (|ratio[16:15]) | (&ratio[14:7]);

  assign y_o[15]   = (o_i[16] ^ l_i[16]) & ~under;
  assign y_o[14:0] = under ? 15'd0 : over ? MAX : ratio[14:0];
endmodule
`resetall
