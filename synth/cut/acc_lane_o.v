// acc_lane_o: acc_lane in floating point, without the bits of elements that are always 0.
//
// Ports as of acc_lane; a_i, b_i and y_o are BF16.
// ARITHMETIC, VARIANT  as of fau_lane
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module acc_lane_o #(
  parameter ARITHMETIC = 1,
  parameter VARIANT    = 0
) (
  input  wire [15:0] a_i,
  input  wire [15:0] a_f_i,
  input  wire [15:0] b_i,
  input  wire [15:0] b_f_i,
  input  wire        b_small_i,
  output wire [15:0] y_o
);
  wire [16:0] y;
  acc_lane #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT)
  ) u_lane (
    .a_i      ({a_i[15], 1'b0, a_i[14:0]}),
    .a_f_i    (a_f_i),
    .b_i      ({b_i[15], 1'b0, b_i[14:0]}),
    .b_f_i    (b_f_i),
    .b_small_i(b_small_i),
    .y_o      (y)
  );

  assign y_o = {y[16], y[14:0]};

  wire unused = &{1'b0, y[15]};
endmodule
`resetall
