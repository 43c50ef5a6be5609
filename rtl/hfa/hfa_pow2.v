// hfa_pow2: 2^-(d/128) with 7 fraction bits, combinational.
//
//   d_i = {p, seg, x} --> [C0[seg] - C1[seg] * x] --> [>> p] --> [round] --> t_o
//
// Latency 0.
// Numerics: one straight line for each eighth of an octave, with 12 fraction bits; then a shift by
// whole octaves p and one rounding.  t_o is 0 .. 128.  Bit-exact with num_hfa_pow2().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_pow2 (
  input  wire [15:0] d_i,
  output wire [9:0]  t_o
);
  localparam [8:0] OCTAVES = 9'd9;         // from here on less than half of the last place is left

  wire [8:0]  p = d_i[15:7];
  wire [3:0]  x = d_i[3:0];

  reg  [12:0] c0;
  reg  [4:0]  c1;
  always @* begin
    case (d_i[6:4])
      3'd0:    begin c0 = 13'd4096; c1 = 5'd21; end
      3'd1:    begin c0 = 13'd3752; c1 = 5'd19; end
      3'd2:    begin c0 = 13'd3444; c1 = 5'd18; end
      3'd3:    begin c0 = 13'd3155; c1 = 5'd16; end
      3'd4:    begin c0 = 13'd2895; c1 = 5'd15; end
      3'd5:    begin c0 = 13'd2657; c1 = 5'd14; end
      3'd6:    begin c0 = 13'd2438; c1 = 5'd13; end
      default: begin c0 = 13'd2236; c1 = 5'd12; end
    endcase
  end

  // The line, less the four bits that no shift brings back above the rounding bit.
  wire [12:0] line    = c0 - {8'd0, c1} * {9'd0, x};
  wire [8:0]  shifted = p >= OCTAVES ? 9'd0 : line[12:4] >> p[3:0];

  assign t_o = {2'd0, shifted[8:1]} + {9'd0, shifted[0]};

  wire unused = &{1'b0, line[3:0]};
endmodule
`resetall
