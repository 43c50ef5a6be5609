// hfa_quant: how many powers of two e^d is below 1, in units of 1/128, combinational.
//
//   d_i --> [bf16_fixed: n = 128 |d|, at most 15.0] --> [* log2 e] --> t_o
//
// Latency 0.
// Numerics: d_i is BF16 and at most 0; n is that of bf16_fixed; t = (369 n + 128) >> 8, since 369/256 is log2 e
// to eight places and takes four shifts of n.  0 .. 2768; -infinity gives 2768, and so does NaN.
// Bit-exact with num_hfa_quant().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_quant (
  input  wire [15:0] d_i,
  output wire [11:0] t_o
);
  wire [10:0] n;
  bf16_fixed u_fixed (
    .d_i(d_i),
    .n_o(n)
  );

  // 369 = 256 + 128 - 16 + 1
  wire [19:0] product  = {1'b0, n, 8'd0} + {2'd0, n, 7'd0} - {5'd0, n, 4'd0} + {9'd0, n} + 20'd128;

  assign t_o = product[19:8];

  wire unused = &{1'b0, product[7:0]};   // what rounding cuts off
endmodule
`resetall
