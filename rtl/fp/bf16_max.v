// bf16_max: the larger of two BF16 numbers in the total order of their bits.
//
// Latency 0: y_o is combinational from a_i and b_i.
// Numerics: -NaN < -infinity < ... < -0 < +0 < ... < infinity < NaN; nothing is flushed or quieted,
// and only equal bits tie.  Bit-exact with num_bf16_max().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_max (
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [15:0] y_o
);
  // Unsigned integers in the same order: negative numbers count backwards, below the others.
  wire [15:0] a_key = a_i ^ {1'b1, {15{a_i[15]}}};
  wire [15:0] b_key = b_i ^ {1'b1, {15{b_i[15]}}};

  assign y_o = a_key > b_key ? a_i : b_i;
endmodule
`resetall
