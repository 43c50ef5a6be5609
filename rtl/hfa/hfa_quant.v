// hfa_quant: how many powers of two e^d is below 1, in units of 1/128, combinational.
//
//   d_i --> [shift: n = 128 |d|, rounded, at most 15.0] --> [* log2 e] --> t_o
//
// Latency 0.
// Numerics: d_i is BF16 and at most 0; its sign is not looked at, and a subnormal counts as 0.
// n = floor(128 min(|d|, 16) + 1/2), at most 1920; t = (369 n + 128) >> 8, since 369/256 is log2 e
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
  localparam [7:0]  EXP_HALF  = 8'd119;    // 128 |d| lies in [1/2, 1); below, n is 0
  localparam [7:0]  EXP_LIMIT = 8'd131;    // |d| is 16 or more
  localparam [10:0] N_LIMIT   = 11'd1920;  // 15.0: all of the four highest bits, and only them

  // ---------------------------------------------------------------- n
  wire [7:0]  exponent = d_i[14:7];
  wire        tiny     = exponent < EXP_HALF;
  wire        huge     = exponent >= EXP_LIMIT;
  wire [3:0]  shift    = exponent[3:0] - EXP_HALF[3:0];
  wire [18:0] scaled   = {11'd0, 1'b1, d_i[6:0]} << shift;    // 2^15 |d|
  wire [10:0] rounded  = scaled[18:8] + {10'd0, scaled[7]};
  wire        limit    = huge | (&rounded[10:7]);
  wire [10:0] n        = tiny ? 11'd0 : limit ? N_LIMIT : rounded;

  // ---------------------------------------------------------------- times log2 e
  // 369 = 256 + 128 - 16 + 1
  wire [19:0] product  = {1'b0, n, 8'd0} + {2'd0, n, 7'd0} - {5'd0, n, 4'd0} + {9'd0, n} + 20'd128;

  assign t_o = product[19:8];

  // The sign, and what rounding cuts off.
  wire unused = &{1'b0, d_i[15], scaled[6:0], product[7:0]};
endmodule
`resetall
