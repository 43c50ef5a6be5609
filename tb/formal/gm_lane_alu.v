// gm_lane_alu, abstract: stands in for rtl/gm/gm_lane_alu.v in the proof of gm_atomic: gm_lane_function, STAGES
// cycles later.
//
// STAGES  1 or more
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_lane_alu #(
  parameter STAGES = 4
) (
  input  wire        clk_i,
  input  wire [2:0]  op_i,
  input  wire [31:0] mem_i,
  input  wire [31:0] operand_i,
  output wire [31:0] result_o,
  output wire [3:0]  guard_o
);
  wire [36*(STAGES+1)-1:0] line;
  gm_lane_function u_function (
    .op_i     (op_i),
    .mem_i    (mem_i),
    .operand_i(operand_i),
    .result_o (line[31:0]),
    .guard_o  (line[35:32])
  );
  genvar i;
  generate
    for (i = 0; i < STAGES; i = i + 1) begin : g_stage
      pipe_cut #(.W(36)) u_cut (
        .clk_i (clk_i),
        .data_i(line[36*i +: 36]),
        .data_o(line[36*(i+1) +: 36])
      );
    end
  endgenerate
  assign {guard_o, result_o} = line[36*STAGES +: 36];
endmodule
`resetall
