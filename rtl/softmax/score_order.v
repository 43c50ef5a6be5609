// score_order: the larger and the smaller of two maxima or scores, combinational.
//
// Numerics: the order of bf16_max.  Of equal ones b_i counts as the smaller.
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module score_order (
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [15:0] larger_o,
  output wire [15:0] smaller_o,
  output wire        b_small_o           // b_i is the smaller one
);
  bf16_max u_max (
    .a_i(a_i),
    .b_i(b_i),
    .y_o(larger_o)
  );

  assign b_small_o = larger_o == a_i;
  assign smaller_o = b_small_o ? b_i : a_i;
endmodule
`resetall
