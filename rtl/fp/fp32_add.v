// fp32_add: IEEE-754 binary32 adder in four steps, with a register between any two of them or none.
//
//   a_i --+--> [unpack, order, align] --> [add] --> [normalise] --> [round, pack] --> sum_o
//   b_i --+             |              0         1               2       ^
//                       +---------------- NaN, infinity ----------------+
//
// CUTS  bit i: a register at i above.  Latency: the bits set; one sum a cycle.
//       0: sum_o is combinational from a_i and b_i, and clk_i does nothing.
// Numerics: round to nearest even; subnormals are read and produced exactly (no flush to zero);
// overflow gives infinity; every NaN result is the canonical quiet NaN 0x7fc00000; an exact zero is
// +0 unless both operands are negative zeros.  Bit-exact with num_f32_add_bits().
// The widths below all follow from the format.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fp32_add #(
  parameter [2:0] CUTS = 3'b000
) (
  input  wire        clk_i,
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output wire [31:0] sum_o
);
  localparam EXP_W  = 8;
  localparam FRAC_W = 23;
  localparam MAG_W  = EXP_W + FRAC_W;   // everything but the sign; compares as an integer
  localparam SIG_W  = FRAC_W + 1;       // with the hidden bit
  // Guard, round, sticky.  Three suffice: with an alignment of two places or more the difference
  // loses at most one leading bit, so after normalising guard and sticky are still below the last
  // place; with one place or none nothing is shifted out and the sum is exact.
  localparam GRS_W  = 3;
  localparam EXT_W  = SIG_W + GRS_W;
  localparam SUM_W  = EXT_W + 1;        // one carry of a same-sign sum
  localparam SH_W   = 5;                // shifts of 0..EXT_W = 27 places
  localparam [EXP_W-1:0] EXP_ONE  = 1;
  localparam [EXP_W-1:0] EXP_ZERO = 0;
  localparam [EXP_W-1:0] EXP_INF  = {EXP_W{1'b1}};
  localparam [EXP_W-1:0] SHIFT_ALL = EXT_W;   // moves every bit of an operand into the sticky bit
  localparam [31:0]      CANONICAL_NAN = 32'h7fc00000;

  // ---------------------------------------------------------------- unpack, order, align
  wire                a_sign = a_i[31];
  wire                b_sign = b_i[31];
  wire [MAG_W-1:0]    a_mag  = a_i[MAG_W-1:0];
  wire [MAG_W-1:0]    b_mag  = b_i[MAG_W-1:0];
  wire                a_nan  = a_mag > {EXP_INF, {FRAC_W{1'b0}}};
  wire                b_nan  = b_mag > {EXP_INF, {FRAC_W{1'b0}}};
  wire                a_inf  = a_mag == {EXP_INF, {FRAC_W{1'b0}}};
  wire                b_inf  = b_mag == {EXP_INF, {FRAC_W{1'b0}}};
  wire                opposite = a_sign ^ b_sign;

  // Order by magnitude, so that the difference is never negative.
  wire                swap   = a_mag < b_mag;
  wire                l_sign = swap ? b_sign : a_sign;
  wire [MAG_W-1:0]    l_mag  = swap ? b_mag : a_mag;
  wire [MAG_W-1:0]    s_mag  = swap ? a_mag : b_mag;
  wire                l_hid  = |l_mag[MAG_W-1:FRAC_W];
  wire                s_hid  = |s_mag[MAG_W-1:FRAC_W];
  // A subnormal has the weight of exponent 1 and no hidden bit.
  wire [EXP_W-1:0]    l_exp  = l_hid ? l_mag[MAG_W-1:FRAC_W] : EXP_ONE;
  wire [EXP_W-1:0]    s_exp  = s_hid ? s_mag[MAG_W-1:FRAC_W] : EXP_ONE;
  wire [EXT_W-1:0]    l_sig  = {l_hid, l_mag[FRAC_W-1:0], {GRS_W{1'b0}}};
  wire [EXT_W-1:0]    s_sig  = {s_hid, s_mag[FRAC_W-1:0], {GRS_W{1'b0}}};

  wire [EXP_W-1:0]    distance = l_exp - s_exp;
  wire                far      = distance > SHIFT_ALL;
  wire [SH_W-1:0]     align    = far ? SHIFT_ALL[SH_W-1:0] : distance[SH_W-1:0];
  // Twice the width keeps the bits shifted out, which only the sticky bit sees.
  wire [2*EXT_W-1:0]  shifted  = {s_sig, {EXT_W{1'b0}}} >> align;
  wire [EXT_W-1:0]    s_align  = {shifted[2*EXT_W-1:EXT_W+1], |shifted[EXT_W:0]};

  // What is known of the result already.
  wire                nan      = a_nan | b_nan | (a_inf & b_inf & opposite);
  wire                inf      = a_inf | b_inf;

  // ---------------------------------------------------------------- add
  wire                add_opposite, add_sign, add_nan, add_inf;
  wire [EXP_W-1:0]    add_exp;
  wire [EXT_W-1:0]    add_l, add_s;
  pipe_cut #(.W(4 + EXP_W), .ON(CUTS[0])) u_aligned (
    .clk_i (clk_i),
    .data_i({opposite, l_sign, nan, inf, l_exp}),
    .data_o({add_opposite, add_sign, add_nan, add_inf, add_exp})
  );
  pipe_cut #(.W(EXT_W), .ON(CUTS[0])) u_larger (.clk_i(clk_i), .data_i(l_sig), .data_o(add_l));
  pipe_cut #(.W(EXT_W), .ON(CUTS[0])) u_smaller (.clk_i(clk_i), .data_i(s_align), .data_o(add_s));
  wire [SUM_W-1:0]    add_sum  = add_opposite ? {1'b0, add_l} - {1'b0, add_s}
                                              : {1'b0, add_l} + {1'b0, add_s};

  // ---------------------------------------------------------------- normalise
  wire                opposed, sum_sign, sum_nan, sum_inf;
  wire [EXP_W-1:0]    sum_exp;
  wire [SUM_W-1:0]    sum;
  pipe_cut #(.W(4 + EXP_W), .ON(CUTS[1])) u_added (
    .clk_i (clk_i),
    .data_i({add_opposite, add_sign, add_nan, add_inf, add_exp}),
    .data_o({opposed, sum_sign, sum_nan, sum_inf, sum_exp})
  );
  pipe_cut #(.W(SUM_W), .ON(CUTS[1])) u_sum (.clk_i(clk_i), .data_i(add_sum), .data_o(sum));
  wire                carry    = sum[SUM_W-1];

  // Leading zeros below the carry position, by halves: are the upper 16 places zero, of what is left the upper 8 ...
  // A zero, of which there is nothing to shift, counts as 31.
  wire [31:0]         from_top = {sum[EXT_W-1:0], {(32-EXT_W){1'b0}}};
  wire                none_16  = from_top[31:16] == 16'd0;
  wire [15:0]         half_16  = none_16 ? from_top[15:0] : from_top[31:16];
  wire                none_8   = half_16[15:8] == 8'd0;
  wire [7:0]          half_8   = none_8 ? half_16[7:0] : half_16[15:8];
  wire                none_4   = half_8[7:4] == 4'd0;
  wire [3:0]          half_4   = none_4 ? half_8[3:0] : half_8[7:4];
  wire                none_2   = half_4[3:2] == 2'd0;
  wire                none_1   = none_2 ? ~half_4[1] : ~half_4[3];
  wire                unused   = &{1'b0, half_4[0]};    // the lowest place that can be the highest one set, if any is
  wire [SH_W-1:0]     zeros    = {none_16, none_8, none_4, none_2, none_1};

  // Never below exponent 1: what is left there is a subnormal.
  wire [EXP_W-1:0]    room     = sum_exp - EXP_ONE;
  wire                limited  = {{(EXP_W-SH_W){1'b0}}, zeros} > room;
  wire [SH_W-1:0]     norm_sh  = limited ? room[SH_W-1:0] : zeros;
  wire [EXT_W-1:0]    left     = sum[EXT_W-1:0] << norm_sh;
  wire [EXT_W-1:0]    norm     = carry ? {sum[SUM_W-1:2], |sum[1:0]} : left;
  wire [EXP_W-1:0]    left_exp = left[EXT_W-1] ? sum_exp - {{(EXP_W-SH_W){1'b0}}, norm_sh} : EXP_ZERO;
  wire [EXP_W-1:0]    norm_exp = carry ? sum_exp + EXP_ONE : left_exp;

  // x - x is +0; any other zero keeps the common sign of its operands.
  wire                norm_sign = ((sum == {SUM_W{1'b0}}) & opposed) ? 1'b0 : sum_sign;

  // ---------------------------------------------------------------- round, pack
  wire                sign, is_nan, is_inf;
  wire [EXP_W-1:0]    exp;
  wire [EXT_W-1:0]    sig;
  pipe_cut #(.W(3 + EXP_W), .ON(CUTS[2])) u_normalised (
    .clk_i (clk_i),
    .data_i({norm_sign, sum_nan, sum_inf, norm_exp}),
    .data_o({sign, is_nan, is_inf, exp})
  );
  pipe_cut #(.W(EXT_W), .ON(CUTS[2])) u_significand (.clk_i(clk_i), .data_i(norm), .data_o(sig));
  wire                half     = sig[GRS_W-1];
  wire                above    = |sig[GRS_W-2:0];
  wire                round_up = half & (above | sig[GRS_W]);
  // Exponent and fraction are one integer: a carry out of the fraction raises the exponent, turns
  // the largest subnormal into the smallest normal and the largest finite number into infinity.
  wire [MAG_W-1:0]    rounded  = {exp, sig[EXT_W-2:GRS_W]} + {{(MAG_W-1){1'b0}}, round_up};
  wire                overflow = exp == EXP_INF;

  assign sum_o = is_nan              ? CANONICAL_NAN
               : (is_inf | overflow) ? {sign, EXP_INF, {FRAC_W{1'b0}}}
                                     : {sign, rounded};
endmodule
`resetall
