// acc_lane: elements of an ACC: a * f + b * f', combinational.
//
// One of the factors is 1: that of the triplet with the larger maximum.  With ONE_SCALE the product with
// it is left out; the bits are the same.
//
// Latency 0.
// Numerics: see arith_scale, arith_add (a on the left).
// ARITHMETIC, VARIANT, LANES  as of fau_lane
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module acc_lane #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter LANES      = 1
) (
  input  wire [17*LANES-1:0] a_i,
  input  wire [15:0]         a_f_i,        // factor of a, or with ONE_SCALE of the smaller one
  input  wire [17*LANES-1:0] b_i,
  input  wire [15:0]         b_f_i,        // factor of b
  input  wire                b_small_i,    // with ONE_SCALE: b is the one with a factor
  output wire [17*LANES-1:0] y_o
);
  localparam ONE_SCALE = ARITHMETIC == 1 && VARIANT != 0;
  localparam W         = LANES > 8 ? 32 : 17;   // bits of an element in here
  genvar g;

  wire [W*LANES-1:0] a;
  wire [W*LANES-1:0] b;
  wire [W*LANES-1:0] scaled;
  wire [W*LANES-1:0] right;
  /* verilator lint_off UNUSEDSIGNAL */    // above an element a word has nothing
  wire [W*LANES-1:0] sum;
  /* verilator lint_on UNUSEDSIGNAL */
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_element
      assign a[W*g +: W]     = {{(W-17){1'b0}}, a_i[17*g +: 17]};
      assign b[W*g +: W]     = {{(W-17){1'b0}}, b_i[17*g +: 17]};
      assign y_o[17*g +: 17] = sum[W*g +: 17];
    end

    if (ONE_SCALE) begin : g_one_scale
      assign scaled = b_small_i ? b : a;
      assign right  = b_small_i ? a : b;
      wire unused = &{1'b0, b_f_i};
    end else begin : g_two_scales
      assign scaled = a;
      arith_scale #(
        .ARITHMETIC(ARITHMETIC),
        .LANES     (LANES)
      ) u_scale_b (
        .x_i(b),
        .f_i(b_f_i),
        .y_o(right)
      );
      wire unused = &{1'b0, b_small_i};
    end
  endgenerate

  wire [W*LANES-1:0] left;
  arith_scale #(
    .ARITHMETIC(ARITHMETIC),
    .LANES     (LANES)
  ) u_scale (
    .x_i(scaled),
    .f_i(a_f_i),
    .y_o(left)
  );

  arith_add #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT),
    .LANES     (LANES)
  ) u_add (
    .a_i(left),
    .b_i(right),
    .y_o(sum)
  );
endmodule
`resetall
