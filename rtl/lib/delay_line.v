// delay_line: data_o is data_i of DEPTH enabled cycles ago.
//
// W      bits, >= 1
// DEPTH  registers in a row, >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module delay_line #(
  parameter W     = 1,
  parameter DEPTH = 2
) (
  input  wire         clk_i,
  input  wire         en_i,
  input  wire [W-1:0] data_i,
  output wire [W-1:0] data_o
);
  `PARAMETER(W_must_be_at_least_1, W >= 1)
  `PARAMETER(DEPTH_must_be_at_least_2, DEPTH >= 2)
  reg [W*DEPTH-1:0] line_q;              // the youngest lowest

  always @(posedge clk_i) if (en_i) line_q <= {line_q[W*(DEPTH-1)-1:0], data_i};

  assign data_o = line_q[W*DEPTH-1 -: W];
endmodule
`resetall
