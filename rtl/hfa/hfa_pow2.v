// hfa_pow2: 2^-(d/128) with 7 fraction bits, combinational.
//
//   d_i = {octave, f} --> [2 - f, less a bump] --> [>> octave] --> [round] --> t_o
//
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
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_pow2 (
  input  wire [15:0] d_i,
  output wire [9:0]  t_o
);
  wire [8:0] octave = d_i[15:7];
  wire [6:0] f      = d_i[6:0];

  // 256 - f - y / 16, cut to an integer: four bits for each f, those of f = 0 the lowest.  Not a case:
  // of that, simulators make code anew for every instance.
  localparam [511:0] BUMPS = {
    128'h11122223_33344445_55666667_77778888,
    128'h99999999_aaaaaaaa_bbbbbbbb_bbbbbbbc,
    128'hbbbbbbbb_bbbbbbbb_bbbbbaaa_aaaaa999,
    128'h99888887_77777666_55544433_32221110
  };
  wire [3:0] bump = BUMPS[{f, 2'd0} +: 4];

  wire [8:0] line    = 9'd256 - {2'd0, f} - {5'd0, bump};
  wire [8:0] shifted = (|octave[8:4]) ? 9'd0 : line >> octave[3:0];
  wire [9:0] rounded = {1'b0, shifted} + 10'd1;

  assign t_o = {1'b0, rounded[9:1]};

  wire unused = &{1'b0, rounded[0]};       // cut off
endmodule
`resetall
