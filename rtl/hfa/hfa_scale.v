// hfa_scale: an element times 2^(-t/128), combinational: one saturating subtraction.
//
// Latency 0.
// Numerics: x_i and y_o are {sign, log2 in Q9.7}, t_i is unsigned.  Below the range the result is
// log2(0), the lowest number; log2(0) therefore stays what it is.  Bit-exact with num_hfa_scale().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_scale (
  input  wire [16:0] x_i,
  input  wire [11:0] t_i,
  output wire [16:0] y_o
);
  wire [15:0] difference = x_i[15:0] - {4'd0, t_i};
  wire        below      = x_i[15] & ~difference[15];

  assign y_o = {x_i[16], x_i[15] | difference[15], difference[14:0] & {15{~below}}};
endmodule
`resetall
