// bf16_diff: a - b in BF16, and +0 for equal bits.
//
// Latency 0: y_o is combinational from a_i and b_i.
// Numerics: as bf16_add, but equal bits are no distance apart whatever they mean, infinities and
// NaNs included.  Bit-exact with num_bf16_diff().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_diff (
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [15:0] y_o
);
  wire [15:0] difference;
  bf16_add u_add (
    .a_i(a_i),
    .b_i({~b_i[15], b_i[14:0]}),
    .y_o(difference)
  );

  assign y_o = a_i == b_i ? 16'd0 : difference;
endmodule
`resetall
