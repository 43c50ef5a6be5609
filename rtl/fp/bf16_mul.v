// bf16_mul: BF16 multiplier, combinational.
//
//   a_i --+--> [exact product, exponents added] --> [normalise] --> [round] --> y_o
//   b_i --+--> NaN, infinity, zero ------------------------------------^
//
// Latency 0: y_o is combinational from a_i and b_i.
// Numerics: round to nearest even; subnormal operands count as zero of their sign, subnormal
// results become zero of theirs; overflow gives infinity; a NaN and 0 * infinity give the NaN
// 0x7fc0.  Bit-exact with num_bf16_mul().
// LANES  products at a time, >= 1
// SIGN   where an operand has its sign, 15 or, with a bit between that is always 0, 16
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module bf16_mul #(
  parameter LANES = 1,
  parameter SIGN  = 15,
  parameter W     = LANES > 8 ? 32 : SIGN + 1   // follows
) (
  input  wire [W*LANES-1:0] a_i,
  input  wire [15:0]        b_i,           // of all
  output wire [W*LANES-1:0] y_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  localparam [15:0] NAN  = 16'h7fc0;
  localparam [9:0]  BIAS = 10'd127;
  localparam W_X = LANES > 8 ? 32 : 20;
  localparam W_S = LANES > 8 ? 32 : 17;
  localparam W_Y = LANES > 8 ? 32 : 16;

  wire b_zero = b_i[14:7] == 8'd0;
  wire b_spec = &b_i[14:7];                // infinity or NaN
  wire b_nan  = b_spec & (|b_i[6:0]);

  // ---------------------------------------------------------------- compute
  (* mem2reg *) reg [W_X-1:0] exact_a [0:LANES-1];     // for bf16_round
  (* mem2reg *) reg [W_S-1:0] special_a [0:LANES-1];   // {whether it is one, result}
  wire [W_X*LANES-1:0] exact;
  wire [W_S*LANES-1:0] special;
  reg [31:0]   i;
  reg [SIGN:0] a;
  reg          sign, spec, zero, nan;
  reg [15:0]   product;
  reg [9:0]    e;
  reg [14:0]   fraction;
  always @* begin
    {a, sign, spec, zero, nan, product, e, fraction} = {(SIGN+46){1'b0}};
    for (i = 0; i < LANES; i = i + 1) begin
      a        = a_i[W*i +: SIGN+1];
      sign     = a[SIGN] ^ b_i[15];
      product  = {8'd0, 1'b1, a[6:0]} * {8'd0, 1'b1, b_i[6:0]};
      // The product of two numbers in [1, 2) is in [1, 4).
      e        = {2'd0, a[14:7]} + {2'd0, b_i[14:7]} - BIAS + {9'd0, product[15]};
      fraction = product[15] ? product[14:0] : {product[13:0], 1'b0};
      exact_a[i] = {{(W_X-20){1'b0}}, sign, e, fraction[14:7], |fraction[6:0]};

      spec = (&a[14:7]) | b_spec;
      zero = (a[14:7] == 8'd0) | b_zero;
      nan  = ((&a[14:7]) & (|a[6:0])) | b_nan | (spec & zero);
      special_a[i] = {{(W_S-17){1'b0}}, spec | zero, nan ? NAN : {sign, {8{spec}}, 7'd0}};
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
