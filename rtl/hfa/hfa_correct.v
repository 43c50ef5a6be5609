// hfa_correct: how far log2(1 + 2^-D) or log2(1 - 2^-D) is from 0, D = d/128, combinational.
//
//   d_i --+--> [ADD_NEAR: d / 8] --+
//         +--> [ADD: d / 16] ------+--> [by d_i] --> t_o
//         +--> [SUBTRACT: d / 16] -+
//
// LANES  distances at a time, >= 1
// Latency 0.
// Numerics: t_o has 7 fraction bits.  Neighbours share an entry: eight d when adding with D < 2,
// sixteen elsewhere, as if the smaller number were 2 or 5 % off at most.  An entry is near the
// logarithm of what comes out on average over its d: many additions in a row are hurt by a bias,
// not by a spread.  t_o is away from the exact value by at most, in 1/128,
//
//     D from        0     1     2     3     4     5     6     7     8
//     adding       3.5   1.5   2.2   1.1   0.8   0.7   0.6   0.5   0.7
//     subtracting   -    8.3   2.7   1.7   1.0   0.7   0.6   0.5   0.7
//
// and subtracting with D < 1, where the function goes to infinity and little is left, the
// difference itself is off by at most 3.7 % of the larger number.  x + x is 2 x exactly.
// 1 lasts to d = 1136, not 1092 as rounding would have it: what is too much between makes up for
// most of what is lost beyond, where many small numbers are added to a large one.
// To subtract with D = 0, the logarithm of 0, is undefined.  Bit-exact with num_hfa_correct().
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module hfa_correct #(
  parameter LANES = 1,
  parameter W     = LANES > 8 ? 32 : 17,   // follows
  parameter W_T   = LANES > 8 ? 32 : 10    // follows
) (
  input  wire [W*LANES-1:0]   d_i,         // {subtract, D}
  output wire [W_T*LANES-1:0] t_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  // A byte an entry, the first one lowest.  Not a case: of that, simulators make code anew for
  // every instance.  Of ADD the first two octaves are never taken: ADD_NEAR has them.
  localparam [255:0] ADD_NEAR = {
    128'h2a2c2d2f_31333537_393b3d40_4245474a,
    128'h4c4f5255_585b5f61_65696b6f_73777a80
  };
  localparam [1023:0] ADD = {
    384'd0,
    128'h00000000_00000000_00010101_01010101,
    128'h01010101_01010101_01020202_02020303,
    128'h03030404_04050505_06070708_08090a0b,
    128'h0c0d0e0f_10121315_17191b1d_1f222428,
    128'd0
  };
  localparam [1023:0] SUBTRACT = {
    384'd0,
    128'h00000000_00000000_00010101_01010101,
    128'h01010101_01010101_01020202_02020303,
    128'h03030404_04050506_06070708_090a0a0b,
    128'h0c0e0f10_12141617_1a1c1f23_262a2e33,
    128'h383e454e_55616979_899db4d2_f9308949
  };
  localparam [15:0] SUBTRACT_HIGH = 16'h0016;    // two bits more for D < 1

  (* mem2reg *) reg [W_T-1:0] t [0:LANES-1];
  reg [31:0] i;
  reg [16:0] d;
  reg [7:0]  near, add, subtract, low;
  reg [1:0]  high;
  reg        unused;
  always @* begin
    {d, near, add, subtract, low, high, unused} = 52'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      d        = d_i[W*i +: 17];
      near     = ADD_NEAR[{d[7:3], 3'd0} +: 8];
      add      = ADD[{d[10:4], 3'd0} +: 8];
      subtract = SUBTRACT[{d[10:4], 3'd0} +: 8];
      low  = d[16] ? subtract : d[10:8] == 3'd0 ? near : add;
      high = d[16] & (d[10:7] == 4'd0) ? SUBTRACT_HIGH[{d[6:4], 1'b0} +: 2] : 2'd0;
      t[i] = {{(W_T-10){1'b0}}, d[15:11] != 5'd0 ? 10'd0 : {high, low}};
      unused = &{1'b0, d[2:0]};            // no entry is that narrow
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign t_o[W_T*g +: W_T] = t[g];
    end
  endgenerate
endmodule
`resetall
