// fau_lane_l: the lane of element 0, which sums up l: fau_lane with 1 for its value.
//
// Ports as of fau_lane.
// ARITHMETIC, VARIANT  as of fau_lane
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fau_lane_l #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0
) (
  input  wire        clk_i,
  input  wire        en_i,
  input  wire [15:0] key_f_i,
  input  wire        key_i,
  input  wire        first_i,
  input  wire [16:0] start_i,
  input  wire        key_small_i,
  input  wire [15:0] old_f_i,
  output wire [16:0] state_o
);
  fau_lane #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT)
  ) u_lane (
    .clk_i      (clk_i),
    .en_i       (en_i),
    .v_i        (16'h3f80),
    .key_f_i    (key_f_i),
    .key_i      (key_i),
    .first_i    (first_i),
    .start_i    (start_i),
    .key_small_i(key_small_i),
    .old_f_i    (old_f_i),
    .state_o    (state_o)
  );
endmodule
`resetall
