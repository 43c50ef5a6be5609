// fa2_acc_lane_o: fa2_acc_lane without the bits of elements that are always 0.
//
// Ports as of fa2_acc_lane; a_i, b_i and y_o are BF16.
// ONE_MUL  as of fa2_acc_lane
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fa2_acc_lane_o #(
  parameter ONE_MUL = 0
) (
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  input  wire [15:0] e_i,
  input  wire [15:0] b_e_i,
  input  wire        b_small_i,
  output wire [15:0] y_o
);
  wire [16:0] y;
  fa2_acc_lane #(
    .ONE_MUL(ONE_MUL)
  ) u_lane (
    .a_i      ({a_i[15], 1'b0, a_i[14:0]}),
    .b_i      ({b_i[15], 1'b0, b_i[14:0]}),
    .e_i      (e_i),
    .b_e_i    (b_e_i),
    .b_small_i(b_small_i),
    .y_o      (y)
  );

  assign y_o = {y[16], y[14:0]};

  wire unused = &{1'b0, y[15]};
endmodule
`resetall
