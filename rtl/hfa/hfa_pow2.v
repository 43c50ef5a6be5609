// hfa_pow2: 2^-(d/128) with 7 fraction bits, combinational.
//
//   d_i = {octave, f} --> [2 - f, less a bump] --> [>> octave] --> [round] --> t_o
//
// LANES  distances at a time, >= 1
// Latency 0.
// Numerics: 2^-f, f in [0, 1), is one straight line for each eighth of an octave, with 12 fraction
// bits:
//
//     y = C0 - C1 * (f mod 16)      C0 = 4096 3752 3444 3155 2895 2657 2438 2236
//                                   C1 = 21 19 18 16 15 14 13 12
//
// Of these bits the rounding after the shift sees the highest nine, y / 16, only, and they differ
// from 256 - f, Mitchell's own straight line over the whole octave, by at most 12.  So the lines
// become a subtraction of that small number.  t_o is 0 .. 128, and 128 for d_i = 0 only.
// Bit-exact with num_hfa_pow2().
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module hfa_pow2 #(
  parameter LANES = 1,
  parameter W     = LANES > 8 ? 32 : 16,   // follows
  parameter W_T   = LANES > 8 ? 32 : 10    // follows
) (
  input  wire [W*LANES-1:0]   d_i,
  output wire [W_T*LANES-1:0] t_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  // 256 - f - y / 16, cut to an integer: four bits for each f.  A word has those of the f that end in the same
  // four bits, those of f < 16 the lowest; the lowest word is that of 0.  Not a case, and words chosen by halves: of a case
  // or a load from a table simulators make no vector instructions.
  localparam [511:0] BUMPS = {
    128'h159bbb95_159bbb95_169bbb85_269bbb84,
    128'h269bbb84_269bba84_269bba83_379bba73,
    128'h37abba73_37abba72_37abba72_47abba72,
    128'h48abba71_48abb961_48abb961_58acb960
  };

  (* mem2reg *) reg [W_T-1:0] t [0:LANES-1];
  reg [31:0] i, w0, w1, w2, w3, w4, w5, w6, w7;
  reg [15:0] d;
  reg [3:0]  bump;
  reg [8:0]  line;
  always @* begin
    {d, w0, w1, w2, w3, w4, w5, w6, w7, bump, line} = 285'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      d = d_i[W*i +: 16];
      w0 = d[0] ? BUMPS[32 +: 32] : BUMPS[0 +: 32];
      w1 = d[0] ? BUMPS[96 +: 32] : BUMPS[64 +: 32];
      w2 = d[0] ? BUMPS[160 +: 32] : BUMPS[128 +: 32];
      w3 = d[0] ? BUMPS[224 +: 32] : BUMPS[192 +: 32];
      w4 = d[0] ? BUMPS[288 +: 32] : BUMPS[256 +: 32];
      w5 = d[0] ? BUMPS[352 +: 32] : BUMPS[320 +: 32];
      w6 = d[0] ? BUMPS[416 +: 32] : BUMPS[384 +: 32];
      w7 = d[0] ? BUMPS[480 +: 32] : BUMPS[448 +: 32];
      w0 = d[1] ? w1 : w0;
      w2 = d[1] ? w3 : w2;
      w4 = d[1] ? w5 : w4;
      w6 = d[1] ? w7 : w6;
      w0 = d[2] ? w2 : w0;
      w4 = d[2] ? w6 : w4;
      w0 = (d[3] ? w4 : w0) >> {d[6:4], 2'd0};
      bump = w0[3:0];

      line = 9'd256 - {2'd0, d[6:0]} - {5'd0, bump};
      line = d[15:11] != 5'd0 ? 9'd0 : line >> d[10:7];
      t[i] = {{(W_T-9){1'b0}}, {1'b0, line[8:1]} + {8'd0, line[0]}};
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
