// expmul_power: e^d as a power of two, 2^-k, combinational.
//
//   d_i --> [bf16_fixed: n = 128 |d|, at most 15.0] --> [n + n/2 - n/16] --> [round] --> k_o
//
// Latency 0.
// Numerics: d_i is BF16 and at most 0; k = floor(23 n / 2048 + 1/2), 0 .. 22, since 23/16 is log2 e to
// four places.  Bit-exact with num_expmul_power().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module expmul_power (
  input  wire [15:0] d_i,
  output wire [4:0]  k_o
);
  wire [10:0] n;
  bf16_fixed u_fixed (
    .d_i(d_i),
    .n_o(n)
  );

  wire [15:0] product = {1'b0, n, 4'd0} + {2'd0, n, 3'd0} - {5'd0, n} + 16'd1024;

  assign k_o = product[15:11];

  wire unused = &{1'b0, product[10:0]};    // what rounding cuts off
endmodule
`resetall
