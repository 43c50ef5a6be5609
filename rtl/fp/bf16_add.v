// bf16_add: BF16 adder, combinational.
//
//   a_i --+--> [order by magnitude] --> [align, add, normalise] --> [round] --> y_o
//   b_i --+--> NaN, infinity, zero ---------------------------------^
//
// Latency 0: y_o is combinational from a_i and b_i.
// Numerics: round to nearest even; subnormal operands count as zero of their sign, subnormal
// results become zero of theirs; overflow gives infinity; a NaN and infinity - infinity give the
// NaN 0x7fc0; an exact zero is +0 unless both operands are negative zeros.  Bit-exact with
// num_bf16_add().
// LANES  sums at a time, >= 1
// SIGN   where an operand has its sign, 15 or, with a bit between that is always 0, 16
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module bf16_add #(
  parameter LANES = 1,
  parameter SIGN  = 15,
  parameter W     = LANES > 8 ? 32 : SIGN + 1   // follows
) (
  input  wire [W*LANES-1:0] a_i,
  input  wire [W*LANES-1:0] b_i,
  output wire [W*LANES-1:0] y_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  localparam [15:0] NAN = 16'h7fc0;
  localparam W_X = LANES > 8 ? 32 : 20;
  localparam W_S = LANES > 8 ? 32 : 17;
  localparam W_Y = LANES > 8 ? 32 : 16;

  // ---------------------------------------------------------------- compute
  // A significand is 8 bits and guard, round, sticky.  Three suffice: with an alignment of two places or
  // more the difference loses at most one leading bit, with less than that nothing is shifted out.
  (* mem2reg *) reg [W_X-1:0] exact_a [0:LANES-1];     // for bf16_round
  (* mem2reg *) reg [W_S-1:0] special_a [0:LANES-1];   // {whether it is one, result}
  wire [W_X*LANES-1:0] exact;
  wire [W_S*LANES-1:0] special;
  reg [31:0]   i;
  reg [SIGN:0] a, b;
  reg          opposite, swap, nan, z3, z2, z1, z0;
  reg [15:0]   l;                          // larger in magnitude, so that the difference is never negative
  reg [14:0]   s;
  reg [10:0]   l_sig, s_sig;
  reg [7:0]    distance;
  reg [16:0]   shifted;
  reg [11:0]   n;
  reg [9:0]    e;
  always @* begin
    {a, b, opposite, swap, nan, z3, z2, z1, z0, l, s, l_sig, s_sig, distance, shifted, n, e} = {(2*SIGN+109){1'b0}};
    for (i = 0; i < LANES; i = i + 1) begin
      a = a_i[W*i +: SIGN+1];
      b = b_i[W*i +: SIGN+1];
      opposite = a[SIGN] ^ b[SIGN];
      swap     = a[14:0] < b[14:0];
      l        = swap ? {b[SIGN], b[14:0]} : {a[SIGN], a[14:0]};
      s        = swap ? a[14:0] : b[14:0];
      l_sig    = {1'b1, l[6:0], 3'd0} & {11{|l[14:7]}};
      s_sig    = {1'b1, s[6:0], 3'd0} & {11{|s[14:7]}};

      // What is ten places or more below the larger operand never changes the rounded result; up to
      // then the bits shifted out stay in view, for the sticky bit.
      distance = l[14:7] - s[14:7];
      shifted  = {s_sig, 6'd0} >> distance[3:0];
      s_sig    = distance[7:4] == 4'd0 ? {shifted[16:7], |shifted[6:0]} : 11'd0;
      // One adder for sum and difference: -x is ~x + 1.
      n        = {1'b0, l_sig} + ({1'b0, s_sig} ^ {12{opposite}}) + {11'd0, opposite};

      // Normalise, the highest bit being the carry: by 8 places if that many are zero, by 4, 2, 1.
      z3 = n[11:4] == 8'd0;
      n  = z3 ? {n[3:0], 8'd0} : n;
      z2 = n[11:8] == 4'd0;
      n  = z2 ? {n[7:0], 4'd0} : n;
      z1 = n[11:10] == 2'd0;
      n  = z1 ? {n[9:0], 2'd0} : n;
      z0 = ~n[11];
      n  = z0 ? {n[10:0], 1'd0} : n;
      e  = {2'd0, l[14:7]} + 10'd1 - {6'd0, z3, z2, z1, z0};
      exact_a[i] = {{(W_X-20){1'b0}}, l[15], e, n[10:3], |n[2:0]};

      // Infinity or NaN is the larger one.
      nan = (|l[6:0]) | ((&s[14:7]) & opposite);
      special_a[i] = {{(W_S-17){1'b0}}, (&l[14:7]) | ~n[11],
                      &l[14:7] ? (nan ? NAN : {l[15], 8'hff, 7'd0}) : {l[15] & ~opposite, 15'd0}};
    end
  end

  // ---------------------------------------------------------------- round, pack
  wire [W_Y*LANES-1:0] rounded;
  bf16_round #(.LANES(LANES)) u_round (
    .x_i(exact),
    .y_o(rounded)
  );

  (* mem2reg *) reg [W-1:0] y [0:LANES-1];
  reg [31:0] j;
  reg [15:0] r;
  reg [16:0] other;
  always @* begin
    {r, other} = 33'd0;
    for (j = 0; j < LANES; j = j + 1) begin
      r     = rounded[W_Y*j +: 16];
      other = special[W_S*j +: 17];
      r     = other[16] ? other[15:0] : r;
      y[j]  = {{(W-15){1'b0}}, r[14:0]} | ({{(W-1){1'b0}}, r[15]} << SIGN);
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign exact[W_X*g +: W_X]   = exact_a[g];
      assign special[W_S*g +: W_S] = special_a[g];
      assign y_o[W*g +: W]         = y[g];
    end
  endgenerate
endmodule
`resetall
