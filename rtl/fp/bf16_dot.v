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
  // Biased exponent of the result if the leading one of the sum is its highest bit, less the
  // largest sum of exponents.  A product has 14 fraction bits, and of the two biases one is ours.
  localparam TOP      = SUM_W - 1 - 14 - GUARD_W - 127;

  genvar i, l;
  generate
    // ---------------------------------------------------------------- stage 1: products
    // A zero takes no part in the search for the largest exponent, being 0 in all of its fields.
    for (i = 0; i < D; i = i + 1) begin : g_lane
      wire [15:0]       a        = a_i[16*i +: 16];
      wire [15:0]       b        = b_i[16*i +: 16];
      wire              nonzero  = (|a[14:7]) & (|b[14:7]);
      wire [PROD_W-1:0] product  = {8'd0, 1'b1, a[6:0]} * {8'd0, 1'b1, b[6:0]};
      wire [EXP_W-1:0]  exponent = {1'b0, a[14:7]} + {1'b0, b[14:7]};

      // {sign, exponent, product}
      reg [EXP_W+PROD_W:0] item1_q, item2_q, item3_q;
      always @(posedge clk_i) begin
        if (en_i) begin
          item1_q <= nonzero ? {a[15] ^ b[15], exponent, product} : {(1+EXP_W+PROD_W){1'b0}};
          item2_q <= item1_q;
          item3_q <= item2_q;
        end
      end
    end

    // -------------------------------------------------------------- stages 2, 3: largest exponent
    // Level l has a node for every 2^l lanes; the last one may have a single child.
    for (l = 0; l <= CL; l = l + 1) begin : g_max
      for (i = 0; (i << l) < D; i = i + 1) begin : g_node
        wire [EXP_W-1:0] larger;
        wire [EXP_W-1:0] value;
        if (l == 0) begin : g_leaf
          assign larger = g_lane[i].item1_q[PROD_W +: EXP_W];
        end else if ((2*i + 1) << (l - 1) < D) begin : g_pair
          assign larger = g_max[l-1].g_node[2*i].value > g_max[l-1].g_node[2*i+1].value
                        ? g_max[l-1].g_node[2*i].value : g_max[l-1].g_node[2*i+1].value;
        end else begin : g_single
          assign larger = g_max[l-1].g_node[2*i].value;
        end
        if (l == HALF || l == CL) begin : g_stage
          reg [EXP_W-1:0] value_q;
          always @(posedge clk_i) if (en_i) value_q <= larger;
          assign value = value_q;
        end else begin : g_wire
          assign value = larger;
        end
      end
    end

    // ---------------------------------------------------------------- stages 4 .. 4 + CL: sum
    for (l = 0; l <= CL; l = l + 1) begin : g_sum
      // The largest exponent travels along.
      reg [EXP_W-1:0] exp_q;
      if (l == 0) begin : g_enter
        always @(posedge clk_i) if (en_i) exp_q <= g_max[CL].g_node[0].value;
      end else begin : g_follow
        always @(posedge clk_i) if (en_i) exp_q <= g_sum[l-1].exp_q;
      end

      for (i = 0; (i << l) < D; i = i + 1) begin : g_node
        reg signed [MAG_W+l:0] sum_q;
        if (l == 0) begin : g_align
          wire              negative;
          wire [EXP_W-1:0]  exponent;
          wire [PROD_W-1:0] product;
          assign {negative, exponent, product} = g_lane[i].item3_q;
          wire [EXP_W-1:0]  shift = g_max[CL].g_node[0].value - exponent;
          wire [MAG_W-1:0]  mag   = {product, {GUARD_W{1'b0}}} >> shift;
          always @(posedge clk_i) if (en_i) sum_q <= negative ? -{1'b0, mag} : {1'b0, mag};
        end else if ((2*i + 1) << (l - 1) < D) begin : g_pair
          always @(posedge clk_i) begin
            if (en_i) sum_q <= g_sum[l-1].g_node[2*i].sum_q + g_sum[l-1].g_node[2*i+1].sum_q;
          end
        end else begin : g_single
          wire [MAG_W+l-1:0] only = g_sum[l-1].g_node[2*i].sum_q;
          always @(posedge clk_i) if (en_i) sum_q <= {only[MAG_W+l-1], only};
        end
      end
    end
  endgenerate

  // ---------------------------------------------------------------- stage 5 + CL: normalise
  wire [SUM_W:0]    sum  = g_sum[CL].g_node[0].sum_q;
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
    .sign_i  (sign_q),
    .exp_i   (exp_q),
    .frac_i  (frac_q),
    .half_i  (half_q),
    .sticky_i(sticky_q),
    .y_o     (rounded)
  );
  always @(posedge clk_i) if (en_i) y_q <= nonzero_q ? rounded : 16'd0;

  assign y_o = y_q;
endmodule
`resetall
