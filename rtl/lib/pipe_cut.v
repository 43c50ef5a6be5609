// pipe_cut: a place where a pipeline may be cut: a register, or a wire.
//
// W   bits, >= 1
// ON  1: data_o is data_i of the previous cycle; 0: data_o is data_i
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module pipe_cut #(
  parameter W  = 1,
  parameter ON = 1
) (
  input  wire         clk_i,
  input  wire [W-1:0] data_i,
  output wire [W-1:0] data_o
);
  `PARAMETER(W_must_be_at_least_1, W >= 1)
  `PARAMETER(ON_must_be_0_to_1, ON >= 0 && ON <= 1)
  generate
    if (ON != 0) begin : g_register
      reg [W-1:0] data_q;
      always @(posedge clk_i) data_q <= data_i;
      assign data_o = data_q;
    end else begin : g_wire
      wire unused = &{1'b0, clk_i};
      assign data_o = data_i;
    end
  endgenerate
endmodule
`resetall
