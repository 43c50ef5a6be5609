// hfa_lane: one element of an H-FA FAU's accumulator: state = state * 2^-t + |v| * 2^-t'.
//
//   v_i -----> [log2] --> [scale] --> B --+
//   key_t_i -----------------^            v
//                                       [add] --> state_o --+
//   old_t_i -------------> [scale] -------^                 |
//                             ^---- first_i ? start_i : ----+
//   stages                   10+CL             11+CL
//
// One of key_t_i and old_t_i is 0: the shift of whichever of score and old maximum is the larger.
// A key that does not take part leaves the state as it was, or as it starts.
//
// Numerics: see hfa_log2, hfa_scale, hfa_lns_add.
// LNS, ZERO_EXACT  as of hfa_lns_add
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_lane #(
  parameter LNS        = 0,
  parameter ZERO_EXACT = 0
) (
  input  wire        clk_i,
  input  wire        en_i,

  // Stage 9+CL
  input  wire [15:0] v_i /* verilator public_flat_rd */,
  input  wire [11:0] key_t_i,

  // Stage 10+CL
  input  wire        key_i,              // the key takes part
  input  wire        first_i,            // the group begins
  input  wire [16:0] start_i /* verilator public_flat_rd */,   // with this
  input  wire [11:0] old_t_i,

  // Stage 11+CL
  output wire [16:0] state_o
);
  // Out of line, and with the ports kept that differ between lanes, one C++ function serves all lanes.
  /* verilator no_inline_module */

  wire [16:0] log_v;
  hfa_log2 u_log2 (
    .v_i(v_i),
    .x_o(log_v)
  );

  wire [16:0] value;
  hfa_scale u_scale_value (
    .x_i(log_v),
    .t_i(key_t_i),
    .y_o(value)
  );

  reg  [16:0] value_q;
  always @(posedge clk_i) if (en_i) value_q <= value;

  reg  [16:0] state_q;
  wire [16:0] old = first_i ? start_i : state_q;
  wire [16:0] old_scaled;
  hfa_scale u_scale_old (
    .x_i(old),
    .t_i(old_t_i),
    .y_o(old_scaled)
  );

  wire [16:0] sum;
  hfa_lns_add #(
    .LNS       (LNS),
    .ZERO_EXACT(ZERO_EXACT)
  ) u_add (
    .a_i(old_scaled),
    .b_i(value_q),
    .y_o(sum)
  );

  always @(posedge clk_i) if (en_i) state_q <= key_i ? sum : old;

  assign state_o = state_q;
endmodule
`resetall
