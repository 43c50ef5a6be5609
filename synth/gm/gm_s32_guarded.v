// gm_s32_guarded: gm_s32_guard that is always guarded.
//
// Latency 0.  No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_s32_guarded (
  input  wire [31:0] u_i,
  input  wire [31:0] n_i,
  output wire [31:0] result_o,
  output wire [3:0]  guard_o
);
  gm_s32_guard u_guard (
    .u_i     (u_i),
    .n_i     (n_i),
    .raw_i   (1'b0),
    .result_o(result_o),
    .guard_o (guard_o)
  );
endmodule
`resetall
