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

  // 256 - f - y / 16, cut to an integer
  reg  [3:0] bump;
  always @* begin
    case (f)
      7'd1, 7'd2, 7'd3, 7'd125, 7'd126, 7'd127: bump = 4'd1;
      7'd4, 7'd5, 7'd6, 7'd121, 7'd122, 7'd123, 7'd124: bump = 4'd2;
      7'd7, 7'd8, 7'd9, 7'd117, 7'd118, 7'd119, 7'd120: bump = 4'd3;
      7'd10, 7'd11, 7'd12, 7'd113, 7'd114, 7'd115, 7'd116: bump = 4'd4;
      7'd13, 7'd14, 7'd15, 7'd110, 7'd111, 7'd112: bump = 4'd5;
      7'd16, 7'd17, 7'd18, 7'd105, 7'd106, 7'd107, 7'd108, 7'd109: bump = 4'd6;
      7'd19, 7'd20, 7'd21, 7'd22, 7'd23, 7'd24,
      7'd100, 7'd101, 7'd102, 7'd103, 7'd104: bump = 4'd7;
      7'd25, 7'd26, 7'd27, 7'd28, 7'd29, 7'd96, 7'd97, 7'd98, 7'd99: bump = 4'd8;
      7'd30, 7'd31, 7'd32, 7'd33, 7'd34,
      7'd88, 7'd89, 7'd90, 7'd91, 7'd92, 7'd93, 7'd94, 7'd95: bump = 4'd9;
      7'd35, 7'd36, 7'd37, 7'd38, 7'd39, 7'd40, 7'd41, 7'd42,
      7'd80, 7'd81, 7'd82, 7'd83, 7'd84, 7'd85, 7'd86, 7'd87: bump = 4'd10;
      7'd0: bump = 4'd0;
      7'd64: bump = 4'd12;
      default: bump = 4'd11;               // 43 .. 79 but for the middle
    endcase
  end

  wire [8:0] line    = 9'd256 - {2'd0, f} - {5'd0, bump};
  wire [8:0] shifted = (|octave[8:4]) ? 9'd0 : line >> octave[3:0];
  wire [9:0] rounded = {1'b0, shifted} + 10'd1;

  assign t_o = {1'b0, rounded[9:1]};

  wire unused = &{1'b0, rounded[0]};       // cut off
endmodule
`resetall
