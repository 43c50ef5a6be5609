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
// LANES       sums at a time, >= 1
// LNS         0: Mitchell, 1: corrected
// ZERO_EXACT  1: x - x is zero; 0: with LNS = 0 it is what the approximation says, x / 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module hfa_lns_add #(
  parameter LNS        = 0,
  parameter ZERO_EXACT = 0,
  parameter LANES      = 1,
  parameter W          = LANES > 8 ? 32 : 17   // follows
) (
  input  wire [W*LANES-1:0] a_i,
  input  wire [W*LANES-1:0] b_i,
  output wire [W*LANES-1:0] y_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  localparam [15:0] ZERO = 16'h8000;       // log2(0)
  localparam EXACT = LNS != 0 || ZERO_EXACT != 0;
  localparam W_L   = LANES > 8 ? 32 : 19;
  localparam W_D   = LANES > 8 ? 32 : LNS != 0 ? 17 : 16;   // of the distance
  localparam W_T   = LANES > 8 ? 32 : 10;
  genvar g;

  // ---------------------------------------------------------------- larger and distance
  (* mem2reg *) reg [W_L-1:0] larger_a [0:LANES-1];    // {cancels, subtract, sign, log2}
  (* mem2reg *) reg [16:0]    distance_a [0:LANES-1];  // {subtract, D}
  wire [W_L*LANES-1:0] larger;
  wire [W_D*LANES-1:0] distance;
  reg [31:0] i;
  reg [16:0] a, b, d;
  reg        subtract, equal;
  always @* begin
    {a, b, d, subtract, equal} = 53'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      a = a_i[W*i +: 17];
      b = b_i[W*i +: 17];
      d = {a[15], a[15:0]} - {b[15], b[15:0]};
      subtract = a[16] ^ b[16];
      equal    = d == 17'd0;
      larger_a[i] = {{(W_L-19){1'b0}}, EXACT & subtract & equal, subtract,
                     d[16] | equal ? b[16] : a[16], d[16] ? b[15:0] : a[15:0]};
      distance_a[i] = {subtract, (d[15:0] ^ {16{d[16]}}) + {15'd0, d[16]}};
    end
  end

  // ---------------------------------------------------------------- log2(1 +- 2^-D)
  wire [W_T*LANES-1:0] correction;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_distance
      if (LNS != 0) begin : g_signed
        assign distance[W_D*g +: W_D] = {{(W_D-17){1'b0}}, distance_a[g]};
      end else begin : g_plain
        assign distance[W_D*g +: W_D] = {{(W_D-16){1'b0}}, distance_a[g][15:0]};
      end
    end

    if (LNS != 0) begin : g_corrected
      hfa_correct #(.LANES(LANES)) u_correct (
        .d_i(distance),
        .t_o(correction)
      );
    end else begin : g_mitchell
      hfa_pow2 #(.LANES(LANES)) u_pow2 (
        .d_i(distance),
        .t_o(correction)
      );
    end
  endgenerate

  // ---------------------------------------------------------------- sum
  // max - t is ~(~max + t).  So both operations add t, and both saturate where an addition passes
  // the largest number: at 7fff, whose complement is log2(0).
  (* mem2reg *) reg [W-1:0] y [0:LANES-1];
  reg [31:0] j;
  reg [18:0] l;
  reg [9:0]  t;
  reg [15:0] start, sum;
  always @* begin
    {l, t, start, sum} = 61'd0;
    for (j = 0; j < LANES; j = j + 1) begin
      l     = larger[W_L*j +: 19];
      t     = correction[W_T*j +: 10];
      start = l[15:0] ^ {16{l[17]}};
      // Of zeros both are: 128 must not be added.
      sum   = start + {6'd0, t[9:8], t[7] & (l[15:0] != ZERO), t[6:0]};
      sum   = (~start[15] & sum[15]) | l[18] ? 16'h7fff : sum;
      y[j]  = {{(W-17){1'b0}}, l[16], sum ^ {16{l[17]}}};
    end
  end

  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign larger[W_L*g +: W_L] = larger_a[g];
      assign y_o[W*g +: W]        = y[g];
    end
  endgenerate
endmodule
`resetall
