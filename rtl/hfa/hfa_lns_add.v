// hfa_lns_add: x + y of two elements, that is of two signed numbers given by their logarithms.
//
//   a_i --+--> [larger] -------------------------> [+ or -] --> [saturate] --> y_o
//   b_i --+                                           ^
//         +--> [D = |A - B|] --> [hfa_pow2 or     ] --+
//                                [hfa_correct     ]
//
// Latency 0: y_o is combinational from a_i and b_i.
// Numerics: log2|x +- y| = max + log2(1 +- 2^-D).  Of the logarithm on the right LNS = 0 takes
// Mitchell's approximation +- 2^-D, LNS = 1 the value itself.  The sign is that of the larger one,
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
  localparam [15:0] MAX  = 16'h7fff;

  // ---------------------------------------------------------------- larger and distance
  wire        subtract   = a_i[16] ^ b_i[16];
  wire [16:0] difference = {a_i[15], a_i[15:0]} - {b_i[15], b_i[15:0]};
  wire        a_less     = difference[16];
  wire        equal      = difference == 17'd0;
  wire [15:0] larger     = a_less ? b_i[15:0] : a_i[15:0];
  wire [15:0] distance   = a_less ? b_i[15:0] - a_i[15:0] : difference[15:0];

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
  wire        cancels  = (LNS != 0 || ZERO_EXACT != 0) & subtract & equal;
  wire        zero     = (larger == ZERO) | cancels;
  wire [15:0] sum      = subtract ? larger - {6'd0, t} : larger + {6'd0, t};
  wire        above    = ~larger[15] & sum[15] & ~subtract;
  wire        below    = larger[15] & ~sum[15] & subtract;

  assign y_o[16]   = a_less | equal ? b_i[16] : a_i[16];
  assign y_o[15:0] = zero | below ? ZERO : above ? MAX : sum;
endmodule
`resetall
