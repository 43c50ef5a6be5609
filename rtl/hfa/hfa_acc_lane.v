// hfa_acc_lane: one element of an H-FA ACC: a * 2^-t + b * 2^-t', combinational.
//
// One of a_t_i and b_t_i is 0: the shift of the triplet with the larger maximum.
//
// Latency 0.
// Numerics: see hfa_scale, hfa_lns_add.
// LNS, ZERO_EXACT  as of hfa_lns_add
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_acc_lane #(
  parameter LNS        = 0,
  parameter ZERO_EXACT = 0
) (
  input  wire [16:0] a_i /* verilator public_flat_rd */,
  input  wire [11:0] a_t_i,
  input  wire [16:0] b_i /* verilator public_flat_rd */,
  input  wire [11:0] b_t_i,
  output wire [16:0] y_o
);
  // Out of line, and with the ports kept that differ between lanes, one C++ function serves all lanes.
  /* verilator no_inline_module */

  wire [16:0] a_scaled;
  hfa_scale u_scale_a (
    .x_i(a_i),
    .t_i(a_t_i),
    .y_o(a_scaled)
  );

  wire [16:0] b_scaled;
  hfa_scale u_scale_b (
    .x_i(b_i),
    .t_i(b_t_i),
    .y_o(b_scaled)
  );

  hfa_lns_add #(
    .LNS       (LNS),
    .ZERO_EXACT(ZERO_EXACT)
  ) u_add (
    .a_i(a_scaled),
    .b_i(b_scaled),
    .y_o(y_o)
  );
endmodule
`resetall
