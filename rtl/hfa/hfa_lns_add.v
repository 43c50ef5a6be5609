// hfa_lns_add: x + y of two elements, that is of two signed numbers given by their logarithms.
//
//   a_i --+--> [larger] -------------------------> [+ or -] --> [saturate] --> y_o
//   b_i --+                                           ^
//         +--> [D = |A - B|] --> [hfa_pow2 or     ] --+
//                                [hfa_correct     ]
//
// Latency 0: y_o is combinational from a_i and b_i.
// Numerics: log2|x +- y| = max + log2(1 +- 2^-D).  Of the logarithm on the right LNS = 0 takes
// Mitchell's approximation +- 2^-D, LNS = 1 a table.  The sign is that of the larger one,
// b_i's between equals.  log2(0) enters D as the number it is.  Saturating.  Bit-exact with
// num_hfa_add().
// LNS         0: Mitchell, 1: corrected
// ZERO_EXACT  1: x - x is zero; 0: with LNS = 0 it is what the approximation says, x / 2
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_lns_add #(
  parameter LNS        = 0,
  parameter ZERO_EXACT = 0
) (
  input  wire [16:0] a_i,
  input  wire [16:0] b_i,
  output wire [16:0] y_o
);
  localparam [15:0] ZERO = 16'h8000;       // log2(0)

  // ---------------------------------------------------------------- larger and distance
  wire        subtract   = a_i[16] ^ b_i[16];
  wire [16:0] difference = {a_i[15], a_i[15:0]} - {b_i[15], b_i[15:0]};
  wire        a_less     = difference[16];
  wire        equal      = difference == 17'd0;
  wire [15:0] larger     = a_less ? b_i[15:0] : a_i[15:0];
  wire [15:0] distance   = (difference[15:0] ^ {16{a_less}}) + {15'd0, a_less};

  // ---------------------------------------------------------------- log2(1 +- 2^-D)
  wire [9:0]  t;
  generate
    if (LNS != 0) begin : g_corrected
      hfa_correct u_correct (
        .d_i  (distance),
        .sub_i(subtract),
        .t_o  (t)
      );
    end else begin : g_mitchell
      hfa_pow2 u_pow2 (
        .d_i(distance),
        .t_o(t)
      );
    end
  endgenerate

  // ---------------------------------------------------------------- sum
  // max - t is ~(~max + t).  So both operations add t, and both saturate where an addition passes
  // the largest number: at 7fff, whose complement is log2(0).
  wire        zero       = larger == ZERO; // then both are: 128 must not be added
  wire        cancels    = (LNS != 0 || ZERO_EXACT != 0) & subtract & equal;
  wire [15:0] start      = larger ^ {16{subtract}};
  wire [15:0] sum        = start + {6'd0, t[9:8], t[7] & ~zero, t[6:0]};
  wire        saturate   = (~start[15] & sum[15]) | cancels;
  wire [15:0] limited    = {sum[15] & ~saturate, sum[14:0] | {15{saturate}}};

  assign y_o = {a_less | equal ? b_i[16] : a_i[16], limited ^ {16{subtract}}};
endmodule
`resetall
