// bf16_dot: dot product of two BF16 vectors, pipelined, rounded once.
//
//   a_i --+--> products -------------> align --> adder tree --> normalise --> round --> y_o
//   b_i --+--> exponents --> largest ----^
//   stage      1             2, 3      4         5 .. 4 + CL    5 + CL        6 + CL
//
// Latency 6 + CL cycles with en_i, CL = ceil(log2 D), one pair of vectors a cycle: all stages
// advance with en_i.  y_o comes from a register.
// Numerics: significands are multiplied exactly and aligned to the largest exponent of a nonzero
// product with 8 guard bits below, what falls off being cut from the magnitude; their exact sum is
// rounded to nearest even, once.  Subnormal operands count as zero, a subnormal result becomes
// zero of its sign, an exact zero is +0, overflow gives infinity.  An exponent field of 255 is read
// as an ordinary one: who feeds infinities or NaNs has to mark the result.  Bit-exact with
// num_bf16_dot().
//
// A vector is worked on in a loop over its words: see rtl/README.md.
// D  elements of a vector, >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module bf16_dot #(
  parameter D = 64
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire [16*D-1:0] a_i,
  input  wire [16*D-1:0] b_i,
  output wire [15:0]     y_o
);
  `PARAMETER(D_must_be_at_least_2, D >= 2)
  localparam CL       = $clog2(D);
  localparam HALF     = CL / 2;               // levels of the search for the largest in stage 2
  localparam EXP_W    = 9;                    // sum of two biased exponents
  localparam PROD_W   = 16;                   // product of two significands
  localparam GUARD_W  = 8;
  localparam MAG_W    = PROD_W + GUARD_W;     // an aligned product
  localparam SUM_W    = MAG_W + CL;           // the magnitude of a sum of D of them
  localparam ZEROS_W  = $clog2(SUM_W);
  // More than eight numbers side by side have a word each.
  localparam W_V      = D > 8 ? 32 : 16;                // of an element
  localparam W_I      = D > 8 ? 32 : 1 + EXP_W + PROD_W;
  localparam WORD     = SUM_W < 32 ? 32 : 64;           // of a sum
  // Biased exponent of the result if the leading one of the sum is its highest bit, less the
  // largest sum of exponents.  A product has 14 fraction bits, and of the two biases one is ours.
  localparam TOP      = SUM_W - 1 - 14 - GUARD_W - 127;

  genvar g, l;

  // ---------------------------------------------------------------- stage 1: products
  // A zero takes no part in the search for the largest exponent, being 0 in all of its fields.
  (* mem2reg *) reg [W_I-1:0] items_a [0:D-1];   // {sign, exponent, product}
  wire [W_V*D-1:0] a_w, b_w;
  wire [W_I*D-1:0] items;
  reg [31:0] i;
  reg [15:0] a, b, product;
  reg [8:0]  exponent;
  reg        nonzero;
  always @* begin
    {a, b, product, exponent, nonzero} = 58'd0;
    for (i = 0; i < D; i = i + 1) begin
      a        = a_w[W_V*i +: 16];
      b        = b_w[W_V*i +: 16];
      product  = {8'd0, 1'b1, a[6:0]} * {8'd0, 1'b1, b[6:0]};
      exponent = {1'b0, a[14:7]} + {1'b0, b[14:7]};
      nonzero  = (|a[14:7]) & (|b[14:7]);
      items_a[i] = {{(W_I-26){1'b0}}, nonzero ? {a[15] ^ b[15], exponent, product} : 26'd0};
    end
  end

  reg [W_I*D-1:0] items1_q, items2_q, items3_q;
  always @(posedge clk_i) begin
    if (en_i) begin
      items1_q <= items;
      items2_q <= items1_q;
      items3_q <= items2_q;
    end
  end

  generate
    for (g = 0; g < D; g = g + 1) begin : g_lane
      assign a_w[W_V*g +: W_V]   = {{(W_V-16){1'b0}}, a_i[16*g +: 16]};
      assign b_w[W_V*g +: W_V]   = {{(W_V-16){1'b0}}, b_i[16*g +: 16]};
      assign items[W_I*g +: W_I] = items_a[g];
    end

    // -------------------------------------------------------------- stages 2, 3: largest exponent
    // Level l has a node for every 2^l lanes: of the level below node n takes n and n + NODES, if that is there.
    for (l = 0; l <= CL; l = l + 1) begin : g_max
      localparam NODES = (D + (1 << l) - 1) >> l;
      localparam W     = NODES > 8 ? 32 : EXP_W;
      (* mem2reg *) reg [W-1:0] larger_a [0:NODES-1];
      wire [W*NODES-1:0] larger, value;
      reg [31:0] n;
      if (l == 0) begin : g_leaf
        always @* begin
          for (n = 0; n < NODES; n = n + 1) larger_a[n] = {{(W-EXP_W){1'b0}}, items1_q[W_I*n + PROD_W +: EXP_W]};
        end
      end else begin : g_pairs
        localparam BELOW   = (D + (1 << (l - 1)) - 1) >> (l - 1);
        localparam W_BELOW = BELOW > 8 ? 32 : EXP_W;
        reg [EXP_W-1:0] x, y;
        always @* begin
          {x, y} = {(2*EXP_W){1'b0}};
          for (n = 0; n < BELOW - NODES; n = n + 1) begin
            x = g_max[l-1].value[W_BELOW*n +: EXP_W];
            y = g_max[l-1].value[W_BELOW*(n + NODES) +: EXP_W];
            larger_a[n] = {{(W-EXP_W){1'b0}}, x > y ? x : y};
          end
          for (n = BELOW - NODES; n < NODES; n = n + 1)
            larger_a[n] = {{(W-EXP_W){1'b0}}, g_max[l-1].value[W_BELOW*n +: EXP_W]};
        end
      end
      for (g = 0; g < NODES; g = g + 1) begin : g_word
        assign larger[W*g +: W] = larger_a[g];
      end
      if (l == HALF || l == CL) begin : g_stage
        reg [W*NODES-1:0] value_q;
        always @(posedge clk_i) if (en_i) value_q <= larger;
        assign value = value_q;
      end else begin : g_wire
        assign value = larger;
      end
    end

    // ---------------------------------------------------------------- stages 4 .. 4 + CL: sum
    for (l = 0; l <= CL; l = l + 1) begin : g_sum
      localparam NODES = (D + (1 << l) - 1) >> l;
      // The largest exponent travels along.
      reg [EXP_W-1:0] exp_q;
      if (l == 0) begin : g_enter
        always @(posedge clk_i) if (en_i) exp_q <= g_max[CL].value;
      end else begin : g_follow
        always @(posedge clk_i) if (en_i) exp_q <= g_sum[l-1].exp_q;
      end

      localparam W = NODES > 8 ? WORD : MAG_W + l + 1;
      (* mem2reg *) reg [W-1:0] sums_a [0:NODES-1];
      wire [W*NODES-1:0] sums;
      reg  [W*NODES-1:0] sums_q;
      reg  [31:0] n;
      if (l == 0) begin : g_align
        wire [EXP_W-1:0] largest = g_max[CL].value;
        reg  [25:0]      item;
        reg  [EXP_W-1:0] shift;
        reg  [MAG_W:0]   mag;
        always @* begin
          {item, shift, mag} = {(27+EXP_W+MAG_W){1'b0}};
          for (n = 0; n < NODES; n = n + 1) begin
            item  = items3_q[W_I*n +: 26];
            shift = largest - item[PROD_W +: EXP_W];
            mag   = {1'b0, {item[PROD_W-1:0], {GUARD_W{1'b0}}} >> shift};
            sums_a[n] = {{(W-MAG_W-1){1'b0}}, (mag ^ {(MAG_W+1){item[25]}}) + {{MAG_W{1'b0}}, item[25]}};
          end
        end
      end else begin : g_pairs
        localparam BELOW   = (D + (1 << (l - 1)) - 1) >> (l - 1);
        localparam W_BELOW = BELOW > 8 ? WORD : MAG_W + l;
        reg [MAG_W+l-1:0] x, y;
        always @* begin
          {x, y} = {(2*MAG_W+2*l){1'b0}};
          for (n = 0; n < BELOW - NODES; n = n + 1) begin
            x = g_sum[l-1].sums_q[W_BELOW*n +: MAG_W+l];
            y = g_sum[l-1].sums_q[W_BELOW*(n + NODES) +: MAG_W+l];
            sums_a[n] = {{(W-MAG_W-l-1){1'b0}}, {x[MAG_W+l-1], x} + {y[MAG_W+l-1], y}};
          end
          for (n = BELOW - NODES; n < NODES; n = n + 1) begin
            x = g_sum[l-1].sums_q[W_BELOW*n +: MAG_W+l];
            sums_a[n] = {{(W-MAG_W-l-1){1'b0}}, x[MAG_W+l-1], x};
          end
        end
      end
      for (g = 0; g < NODES; g = g + 1) begin : g_word
        assign sums[W*g +: W] = sums_a[g];
      end
      always @(posedge clk_i) if (en_i) sums_q <= sums;
    end
  endgenerate

  // ---------------------------------------------------------------- stage 5 + CL: normalise
  wire [SUM_W:0]    sum  = g_sum[CL].sums_q;
  wire              sign = sum[SUM_W];
  reg [SUM_W-1:0]   norm;
  reg [ZEROS_W-1:0] zeros;
  integer           k;
  always @* begin
    norm = sign ? -sum[SUM_W-1:0] : sum[SUM_W-1:0];
    for (k = ZEROS_W - 1; k >= 0; k = k - 1) begin
      zeros[k] = (norm >> (SUM_W - (1 << k))) == {SUM_W{1'b0}};
      if (zeros[k]) norm = norm << (1 << k);
    end
  end

  reg       sign_q, nonzero_q, half_q, sticky_q;
  reg [9:0] exp_q;
  reg [6:0] frac_q;
  always @(posedge clk_i) begin
    if (en_i) begin
      sign_q    <= sign;
      nonzero_q <= norm[SUM_W-1];
      exp_q     <= {1'b0, g_sum[CL].exp_q} + TOP[9:0] - {{(10-ZEROS_W){1'b0}}, zeros};
      frac_q    <= norm[SUM_W-2 -: 7];
      half_q    <= norm[SUM_W-9];
      sticky_q  <= |norm[SUM_W-10:0];
    end
  end

  // ---------------------------------------------------------------- stage 6 + CL: round, pack
  wire [15:0] rounded;
  reg [15:0]  y_q;
  bf16_round u_round (
    .x_i({sign_q, exp_q, frac_q, half_q, sticky_q}),
    .y_o(rounded)
  );
  always @(posedge clk_i) if (en_i) y_q <= nonzero_q ? rounded : 16'd0;

  assign y_o = y_q;
endmodule
`resetall
