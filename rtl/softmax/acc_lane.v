// acc_lane: one element of an ACC: a * f + b * f', combinational.
//
// One of the factors is 1: that of the triplet with the larger maximum.  With ONE_SCALE the product with
// it is left out; the bits are the same.
//
// Latency 0.
// Numerics: see arith_scale, arith_add (a on the left).
// ARITHMETIC, VARIANT  as of fau_lane
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module acc_lane #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0
) (
  input  wire [16:0] a_i,
  input  wire [15:0] a_f_i,              // factor of a, or with ONE_SCALE of the smaller one
  input  wire [16:0] b_i,
  input  wire [15:0] b_f_i,              // factor of b
  input  wire        b_small_i,          // with ONE_SCALE: b is the one with a factor
  output wire [16:0] y_o
);
  localparam ONE_SCALE = ARITHMETIC == 1 && VARIANT != 0;

  wire [16:0] scaled;
  wire [16:0] right;
  generate
    if (ONE_SCALE) begin : g_one_scale
      assign scaled = b_small_i ? b_i : a_i;
      assign right  = b_small_i ? a_i : b_i;
      wire unused = &{1'b0, b_f_i};
    end else begin : g_two_scales
      assign scaled = a_i;
      arith_scale #(.ARITHMETIC(ARITHMETIC)) u_scale_b (
        .x_i(b_i),
        .f_i(b_f_i),
        .y_o(right)
      );
      wire unused = &{1'b0, b_small_i};
    end
  endgenerate

  wire [16:0] left;
  arith_scale #(.ARITHMETIC(ARITHMETIC)) u_scale (
    .x_i(scaled),
    .f_i(a_f_i),
    .y_o(left)
  );

  arith_add #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT)
  ) u_add (
    .a_i(left),
    .b_i(right),
    .y_o(y_o)
  );
endmodule
`resetall
