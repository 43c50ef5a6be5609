// hfa_lane_l: the lane of element 0, which sums up l: hfa_lane with 1 for its value.
//
// Ports as of hfa_lane.
// LNS, ZERO_EXACT  as of hfa_lns_add
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_lane_l #(
  parameter LNS        = 0,
  parameter ZERO_EXACT = 0
) (
  input  wire        clk_i,
  input  wire        en_i,
  input  wire [11:0] key_t_i,
  input  wire        key_i,
  input  wire        first_i,
  input  wire [16:0] start_i,
  input  wire [11:0] old_t_i,
  output wire [16:0] state_o
);
  hfa_lane #(
    .LNS       (LNS),
    .ZERO_EXACT(ZERO_EXACT)
  ) u_lane (
    .clk_i  (clk_i),
    .en_i   (en_i),
    .v_i    (16'h3f80),
    .key_t_i(key_t_i),
    .key_i  (key_i),
    .first_i(first_i),
    .start_i(start_i),
    .old_t_i(old_t_i),
    .state_o(state_o)
  );
endmodule
`resetall
