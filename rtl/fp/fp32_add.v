// fp32_add: LANES IEEE-754 binary32 adders in six steps, with a register between any two of them or none.
//
//   a_i --+--> [unpack, order] --> [align] --> [add] --> [lead] --> [normalise] --> [round, pack] --> sum_o
//   b_i --+          |          0           1         2          3               4       ^
//                    +------------------------- NaN, infinity --------------------------+
//
// A step is a loop over the lanes, all of it in words of 32 bits: of that simulators make instructions on
// vectors.  What it keeps of a lane for itself is set before the loop, and so nothing that is kept longer.
//
// LANES  sums at a time, >= 1
// CUTS   bit i: a register at i above.  Latency: the bits set; LANES sums a cycle.
//        0: sum_o is combinational from a_i and b_i, and clk_i does nothing.
// TYPES  1: adds F16 and BF16 numbers, too, as kind_i says of all lanes: 0 FP32, 1 F16, 2 BF16.  A sum is then
//        rounded to that type at once, and is the lower half of sum_o, whose upper half is 0.  They come with
//        zeros behind them: a BF16 as its FP32, an F16 with its own exponent, which makes it an FP32 of 2^-112
//        its value, subnormals included.  Only an exponent of 31 becomes 255.
// FRACTION  bits of the fraction: 23, or 10 for an adder that knows F16 and BF16 only.  A number is then its sign, in
//        bit 31, and 18 bits; and sum_o is 0 where kind_i is.
// Numerics: round to nearest even; subnormals are read and produced exactly (no flush to zero);
// overflow gives infinity; every NaN result is the canonical quiet NaN 0x7fc00000; an exact zero is
// +0 unless both operands are negative zeros.  Bit-exact with num_f32_add_bits().
// The widths below all follow from the format.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module fp32_add #(
  parameter       LANES = 1,
  parameter [4:0] CUTS  = 5'b00000,
  parameter       TYPES = 0,
  parameter       FRACTION = 23
) (
  input  wire                clk_i,
  input  wire [1:0]          kind_i,
  input  wire [32*LANES-1:0] a_i,
  input  wire [32*LANES-1:0] b_i,
  output wire [32*LANES-1:0] sum_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  `PARAMETER(FRACTION_must_be_23_or_10_with_TYPES, FRACTION == 23 || (FRACTION == 10 && TYPES != 0))
  localparam W = 32 * LANES;
  localparam [31:0] NORMAL        = 32'd1 << FRACTION;   // the smallest normal number
  localparam [31:0] INFINITE      = 32'd255 << FRACTION;
  localparam [31:0] CANONICAL_NAN = 32'h7fc00000;
  // A significand is 24 bits and guard, round, sticky.  Three suffice: with an alignment of two places
  // or more the difference loses at most one leading bit, so after normalising guard and sticky are
  // still below the last place; with one place or none nothing is shifted out and the sum is exact.
  localparam [31:0] TOP      = NORMAL << 3;         // its hidden bit
  localparam [31:0] SIG_BITS = FRACTION + 32'd4;
  localparam [31:0] LAST     = 32'd1;               // its sticky bit
  localparam [31:0] SIG      = (TOP << 1) - 32'd1;  // all of it
  localparam [31:0] SUM      = (TOP << 2) - 32'd1;  // and a carry
  localparam [31:0] BY_16    = FRACTION == 23 ? TOP >> 15 : 32'd1;   // a sum below it goes left by 16
  // What is known of the result, in front of a significand.
  localparam [31:0] OPPOSITE = 32'h80000000;        // the operands' signs differ
  localparam [31:0] NEGATIVE = 32'h40000000;
  localparam [31:0] NAN      = 32'h20000000;
  localparam [31:0] INF      = 32'h10000000;
  localparam [31:0] KNOWN    = OPPOSITE | NEGATIVE | NAN | INF;
  genvar g;

  // ---------------------------------------------------------------- unpack, order
  (* mem2reg *) reg  [31:0]  larger [0:LANES-1];       // {exponent, significand without guard, round, sticky}
  (* mem2reg *) reg  [31:0]  smaller [0:LANES-1];      // {flags, 0, significand}
  (* mem2reg *) reg  [31:0]  apart [0:LANES-1];        // their exponents, up to all of a significand
  wire [W-1:0] larger_w, smaller_w, apart_w, ord_l, ord_s, ord_apart;
  reg  [31:0]  i, a, b, l, s, l_exp, s_exp, distance, known;
  always @* begin
    {a, b, l, s, l_exp, s_exp, distance, known} = {8{32'd0}};
    for (i = 0; i < LANES; i = i + 1) begin
      // Order by magnitude, so that the difference is never negative.
      a = a_i[32*i +: 32];
      b = b_i[32*i +: 32];
      l = {1'b0, a[30:0]} < {1'b0, b[30:0]} ? b : a;
      s = {1'b0, a[30:0]} < {1'b0, b[30:0]} ? a : b;
      known = ((a ^ b) & OPPOSITE) | {1'b0, l[31], 30'd0};
      l = {1'b0, l[30:0]};
      s = {1'b0, s[30:0]};
      known = known | (l >= INFINITE ? INF : 32'd0);
      known = known | (l > INFINITE || (s == INFINITE && known[31]) ? NAN : 32'd0);

      // A subnormal has the weight of exponent 1 and no hidden bit.
      l_exp = l < NORMAL ? 32'd1 : {24'd0, l[FRACTION+7:FRACTION]};
      s_exp = s < NORMAL ? 32'd1 : {24'd0, s[FRACTION+7:FRACTION]};
      smaller[i] = known | {{(29-FRACTION){1'b0}}, s[FRACTION-1:0], 3'd0} | (s < NORMAL ? 32'd0 : TOP);
      larger[i] = {l_exp[7:0], {(24-FRACTION){1'b0}}, l[FRACTION-1:0]} | (l < NORMAL ? 32'd0 : NORMAL);

      distance = l_exp - s_exp;
      apart[i] = distance > SIG_BITS ? SIG_BITS : distance;
    end
  end
  pipe_cut #(.W(W), .ON(CUTS[0])) u_larger (.clk_i(clk_i), .data_i(larger_w), .data_o(ord_l));
  pipe_cut #(.W(W), .ON(CUTS[0])) u_smaller (.clk_i(clk_i), .data_i(smaller_w), .data_o(ord_s));
  pipe_cut #(.W(W), .ON(CUTS[0])) u_apart (.clk_i(clk_i), .data_i(apart_w), .data_o(ord_apart));

  // ---------------------------------------------------------------- align
  (* mem2reg *) reg  [31:0]  aligned [0:LANES-1];      // as smaller
  wire [W-1:0] aligned_w, add_l, add_s;
  reg  [31:0]  h, word, s_sig, lost;
  always @* begin
    {word, s_sig, lost} = {3{32'd0}};
    for (h = 0; h < LANES; h = h + 1) begin
      word  = ord_s[32*h +: 32];
      s_sig = word & SIG;
      lost  = s_sig & ~(32'hffffffff << ord_apart[32*h +: 32]);
      aligned[h] = (word & KNOWN) | (s_sig >> ord_apart[32*h +: 32]) | (lost != 32'd0 ? LAST : 32'd0);
    end
  end
  pipe_cut #(.W(W), .ON(CUTS[1])) u_add_l (.clk_i(clk_i), .data_i(ord_l), .data_o(add_l));
  pipe_cut #(.W(W), .ON(CUTS[1])) u_add_s (.clk_i(clk_i), .data_i(aligned_w), .data_o(add_s));

  // ---------------------------------------------------------------- add
  (* mem2reg *) reg  [31:0]  total [0:LANES-1];        // {flags, carry, sum}
  (* mem2reg *) reg  [31:0]  exponent [0:LANES-1];
  wire [W-1:0] total_w, exponent_w, sum, sum_exp;
  reg  [31:0]  j, al, as, both;
  always @* begin
    {al, as, both} = {3{32'd0}};
    for (j = 0; j < LANES; j = j + 1) begin
      al = add_l[32*j +: 32];
      as = add_s[32*j +: 32];
      both = {5'd0, al[23:0], 3'd0} + ((as & SIG) ^ {32{as[31]}}) + {31'd0, as[31]};
      total[j] = (as & KNOWN) | (both & SUM);
      exponent[j] = {24'd0, al[31:24]};
    end
  end
  pipe_cut #(.W(W), .ON(CUTS[2])) u_sum (.clk_i(clk_i), .data_i(total_w), .data_o(sum));
  pipe_cut #(.W(W), .ON(CUTS[2])) u_exponent (.clk_i(clk_i), .data_i(exponent_w), .data_o(sum_exp));

  // ---------------------------------------------------------------- lead
  (* mem2reg *) reg  [31:0]  led [0:LANES-1];          // the sum, with its leading bit near its place
  (* mem2reg *) reg  [31:0]  leads [0:LANES-1];        // the bits seen
  (* mem2reg *) reg  [31:0]  led_exp [0:LANES-1];
  wire [W-1:0] led_w, leads_w, led_exp_w, part, part_exp, part_n, part_seen, part_e;
  reg  [31:0]  q, p, ahead, pe;
  always @* begin
    {p, ahead, pe} = {3{32'd0}};
    for (q = 0; q < LANES; q = q + 1) begin
      // Left until the hidden bit is in its place, by halves, but never below exponent 1: what is left there
      // is a subnormal.  Its place, when the exponent gets there, counts as a bit seen.
      p     = sum[32*q +: 32] & SIG;
      pe    = sum_exp[32*q +: 32];
      ahead = p | (TOP >> (pe - 32'd1));
      if (ahead < BY_16) begin
        ahead = ahead << 16;
        p     = p << 16;
        pe    = pe - 32'd16;
      end
      if (ahead < TOP >> 7) begin
        ahead = ahead << 8;
        p     = p << 8;
        pe    = pe - 32'd8;
      end
      led[q]     = p;
      leads[q]   = ahead;
      led_exp[q] = pe;
    end
  end
  pipe_cut #(.W(W), .ON(CUTS[3])) u_part (.clk_i(clk_i), .data_i(sum), .data_o(part));
  pipe_cut #(.W(W), .ON(CUTS[3])) u_part_exp (.clk_i(clk_i), .data_i(sum_exp), .data_o(part_exp));
  pipe_cut #(.W(W), .ON(CUTS[3])) u_part_n (.clk_i(clk_i), .data_i(led_w), .data_o(part_n));
  pipe_cut #(.W(W), .ON(CUTS[3])) u_part_seen (.clk_i(clk_i), .data_i(leads_w), .data_o(part_seen));
  pipe_cut #(.W(W), .ON(CUTS[3])) u_part_e (.clk_i(clk_i), .data_i(led_exp_w), .data_o(part_e));

  // ---------------------------------------------------------------- normalise
  (* mem2reg *) reg  [31:0]  number [0:LANES-1];       // {exponent, fraction, its half}
  (* mem2reg *) reg  [31:0]  rest [0:LANES-1];         // flags, and whether there is anything below
  wire [W-1:0] number_w, rest_w, sig, sig_rest;
  reg  [31:0]  k, x, n, seen, e, e_in, below;
  always @* begin
    {x, n, seen, e, e_in, below} = {6{32'd0}};
    for (k = 0; k < LANES; k = k + 1) begin
      x    = part[32*k +: 32];
      e_in = part_exp[32*k +: 32];
      n    = part_n[32*k +: 32];
      seen = part_seen[32*k +: 32];
      e    = part_e[32*k +: 32];
      if (seen < TOP >> 3) begin
        seen = seen << 4;
        n    = n << 4;
        e    = e - 32'd4;
      end
      if (seen < TOP >> 1) begin
        seen = seen << 2;
        n    = n << 2;
        e    = e - 32'd2;
      end
      if (seen < TOP) begin
        n    = n << 1;
        e    = e - 32'd1;
      end
      e = n < TOP ? 32'd0 : e;
      // Or right, by the carry.
      if (x[FRACTION+4]) begin
        n = {5'd0, x[27:2], x[1] | x[0]};
        e = e_in + 32'd1;
      end
      number[k] = (e << (FRACTION + 1)) | {{(31-FRACTION){1'b0}}, n[FRACTION+2:2]};
      // x - x is +0; any other zero keeps the common sign of its operands.
      below = x & (NEGATIVE | NAN | INF);
      if ((x & (OPPOSITE | ~KNOWN)) == OPPOSITE) below = x & (NAN | INF);
      rest[k] = below | (n[1:0] != 2'd0 ? LAST : 32'd0);
    end
  end
  pipe_cut #(.W(W), .ON(CUTS[4])) u_number (.clk_i(clk_i), .data_i(number_w), .data_o(sig));
  pipe_cut #(.W(W), .ON(CUTS[4])) u_rest (.clk_i(clk_i), .data_i(rest_w), .data_o(sig_rest));

  // ---------------------------------------------------------------- round, pack
  (* mem2reg *) reg [31:0] rounded [0:LANES-1];
  // Exponent and fraction are one integer: a carry out of the fraction raises the exponent, turns
  // the largest subnormal into the smallest normal and the largest finite number into infinity.
  generate
    if (TYPES == 0) begin : g_one
      wire unused = &{1'b0, kind_i};
      reg [31:0] m, z, f, y;
      always @* begin
        {z, f, y} = {3{32'd0}};
        for (m = 0; m < LANES; m = m + 1) begin
          z = sig[32*m +: 32];
          f = sig_rest[32*m +: 32];
          y = {1'b0, z[31:1]} + (z & (f | {1'b0, z[31:1]}) & 32'd1);
          if (z[31:24] == 8'hff || (f & INF) != 32'd0) y = INFINITE;
          y = y | {f[30], 31'd0};
          if ((f & NAN) != 32'd0) y = CANONICAL_NAN;
          rounded[m] = y;
        end
      end
    end else begin : g_types
      localparam F16_BEHIND  = FRACTION - 10;        // bits that F16 does not have
      localparam BF16_BEHIND = FRACTION - 7;
      localparam [31:0] F16_INFINITE = 32'd31 << FRACTION;
      wire [11:0] kinds;
      assign kinds[1:0] = kind_i;
      for (g = 0; g < 5; g = g + 1) begin : g_kind
        pipe_cut #(.W(2), .ON(CUTS[g])) u_kind (.clk_i(clk_i), .data_i(kinds[2*g +: 2]), .data_o(kinds[2*g + 2 +: 2]));
      end
      wire        is_f16  = kinds[10];
      wire        is_bf16 = kinds[11];
      // The bit behind the last place, those behind it, and what is infinite.
      wire [31:0] half = is_f16 ? 32'd1 << F16_BEHIND : is_bf16 ? 32'd1 << BF16_BEHIND : 32'd1;
      wire [31:0] low  = is_f16 ? (32'd1 << F16_BEHIND) - 32'd1 : is_bf16 ? (32'd1 << BF16_BEHIND) - 32'd1 : 32'd0;
      wire [31:0] most = is_f16 ? F16_INFINITE : INFINITE;
      reg [31:0] m, z, f, y, up, sign;
      always @* begin
        {z, f, y, up, sign} = {5{32'd0}};
        for (m = 0; m < LANES; m = m + 1) begin
          z = sig[32*m +: 32];
          f = sig_rest[32*m +: 32];
          up = z & half;
          if ((z & ((half << 1) | low)) == 32'd0 && !f[0]) up = 32'd0;
          y = ((z & ~(half | low)) >> 1) + up;
          if (y >= most || z >> (FRACTION + 1) == 32'd255 || (f & INF) != 32'd0) y = most;
          sign = {f[30], 31'd0};
          if (is_f16) y = (sign >> 16) | (y >> F16_BEHIND);
          else if (is_bf16) y = (sign >> 16) | (y >> BF16_BEHIND);
          else y = FRACTION == 23 ? sign | y : 32'd0;
          if ((f & NAN) != 32'd0) y = is_f16 ? 32'h7e00 : is_bf16 ? 32'h7fc0 : FRACTION == 23 ? CANONICAL_NAN : 32'd0;
          rounded[m] = y;
        end
      end
    end

    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign larger_w[32*g +: 32] = larger[g];
      assign smaller_w[32*g +: 32] = smaller[g];
      assign apart_w[32*g +: 32] = apart[g];
      assign aligned_w[32*g +: 32] = aligned[g];
      assign led_w[32*g +: 32] = led[g];
      assign leads_w[32*g +: 32] = leads[g];
      assign led_exp_w[32*g +: 32] = led_exp[g];
      assign total_w[32*g +: 32] = total[g];
      assign exponent_w[32*g +: 32] = exponent[g];
      assign number_w[32*g +: 32] = number[g];
      assign rest_w[32*g +: 32] = rest[g];
      assign sum_o[32*g +: 32] = rounded[g];
    end
  endgenerate
endmodule
`resetall
