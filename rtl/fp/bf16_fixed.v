// bf16_fixed: a distance as a number of 1/128, combinational: n = floor(128 min(|d|, 16) + 1/2), at most 1920.
//
// Latency 0.
// Numerics: d_i is BF16; its sign is not looked at, a subnormal counts as 0, infinity and NaN give 1920.
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_fixed (
  input  wire [15:0] d_i,
  output wire [10:0] n_o
);
  localparam [7:0]  EXP_HALF  = 8'd119;    // 128 |d| lies in [1/2, 1); below, n is 0
  localparam [7:0]  EXP_LIMIT = 8'd131;    // |d| is 16 or more
  localparam [10:0] N_LIMIT   = 11'd1920;  // 15.0: all of the four highest bits, and only them

  wire [7:0]  exponent = d_i[14:7];
  wire        tiny     = exponent < EXP_HALF;
  wire        huge     = exponent >= EXP_LIMIT;
  wire [3:0]  shift    = exponent[3:0] - EXP_HALF[3:0];
  wire [18:0] scaled   = {11'd0, 1'b1, d_i[6:0]} << shift;    // 2^15 |d|
  wire [10:0] rounded  = scaled[18:8] + {10'd0, scaled[7]};
  wire        limit    = huge | (&rounded[10:7]);

  assign n_o = tiny ? 11'd0 : limit ? N_LIMIT : rounded;

  // The sign, and what rounding cuts off.
  wire unused = &{1'b0, d_i[15], scaled[6:0]};
endmodule
`resetall
