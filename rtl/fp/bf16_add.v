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
// No parameters: the widths follow from the format.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_add (
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [15:0] y_o
);
  localparam [15:0] NAN   = 16'h7fc0;
  localparam        SIG_W = 8;                // with the hidden bit
  // Guard, round, sticky.  Three suffice: with an alignment of two places or more the difference
  // loses at most one leading bit, with less than that nothing is shifted out.
  localparam        GRS_W = 3;
  localparam        EXT_W = SIG_W + GRS_W;

  // ---------------------------------------------------------------- unpack
  // Order by magnitude, so that the difference is never negative.
  wire               opposite = a_i[15] ^ b_i[15];
  wire               swap     = a_i[14:0] < b_i[14:0];
  wire               l_sign   = swap ? b_i[15] : a_i[15];
  wire [14:0]        l_mag    = swap ? b_i[14:0] : a_i[14:0];
  wire [14:0]        s_mag    = swap ? a_i[14:0] : b_i[14:0];
  wire [7:0]         l_exp    = l_mag[14:7];
  wire [7:0]         s_exp    = s_mag[14:7];
  wire               l_normal = |l_exp;
  wire               s_normal = |s_exp;
  wire [EXT_W-1:0]   l_sig    = {1'b1, l_mag[6:0], 3'd0} & {EXT_W{l_normal}};
  wire [EXT_W-1:0]   s_sig    = {1'b1, s_mag[6:0], 3'd0} & {EXT_W{s_normal}};

  // ---------------------------------------------------------------- compute
  // What is ten places or more below the larger operand never changes the rounded result; up to
  // then the bits shifted out stay in view, for the sticky bit.
  wire [7:0]         distance = l_exp - s_exp;
  wire               far      = |distance[7:4];
  wire [EXT_W+5:0]   shifted  = {s_sig, 6'd0} >> distance[3:0];
  wire [EXT_W-1:0]   s_align  = {shifted[EXT_W+5:7], |shifted[6:0]} & {EXT_W{~far}};
  // One adder for sum and difference: -x is ~x + 1.
  wire [EXT_W:0]     addend   = {1'b0, s_align} ^ {(EXT_W+1){opposite}};
  wire [EXT_W:0]     sum      = {1'b0, l_sig} + addend + {{EXT_W{1'b0}}, opposite};

  // Normalise, the highest bit being the carry: by 8 places if that many are zero, by 4, 2, 1.
  reg  [EXT_W:0]     norm;
  reg  [3:0]         zeros;                   // leading, 15 if the sum is zero
  integer            k;
  always @* begin
    norm = sum;
    for (k = 3; k >= 0; k = k - 1) begin
      zeros[k] = (norm >> (EXT_W + 1 - (1 << k))) == {(EXT_W+1){1'b0}};
      if (zeros[k]) norm = norm << (1 << k);
    end
  end
  wire [9:0]         exponent = {2'd0, l_exp} + 10'd1 - {6'd0, zeros};

  // ---------------------------------------------------------------- round, pack
  wire [15:0]        rounded;
  bf16_round u_round (
    .sign_i  (l_sign),
    .exp_i   (exponent),
    .frac_i  (norm[EXT_W-1:GRS_W+1]),
    .half_i  (norm[GRS_W]),
    .sticky_i(|norm[GRS_W-1:0]),
    .y_o     (rounded)
  );

  wire special = &l_exp;                      // infinity or NaN is the larger one
  wire nan     = special & ((|l_mag[6:0]) | ((&s_exp) & opposite));
  assign y_o = nan            ? NAN
             : special        ? {l_sign, 8'hff, 7'd0}
             : ~norm[EXT_W]   ? {l_sign & ~opposite, 15'd0}
                              : rounded;
endmodule
`resetall
