// hfa_logdiv_lane: the quotient o / l of two elements as a BF16, combinational.
//
// By Mitchell's approximation the logarithm of the quotient, with the bias added to its whole part,
// is the BF16 itself.
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
  localparam [10:0] BIAS = 11'd127;
  localparam [14:0] MAX  = 15'h7f7f;

  wire [16:0] difference = {o_i[15], o_i[15:0]} - {l_i[15], l_i[15:0]};
  wire [10:0] exponent   = {difference[16], difference[16:7]} + BIAS;
  wire        under      = exponent[10] | (exponent == 11'd0) | (o_i[15:0] == ZERO);
  wire        over       = (|exponent[9:8]) | (&exponent[7:0]);

  assign y_o[15]   = (o_i[16] ^ l_i[16]) & ~under;
  assign y_o[14:0] = under ? 15'd0 : over ? MAX : {exponent[7:0], difference[6:0]};
endmodule
`resetall
