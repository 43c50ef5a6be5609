// gm_lane_alu, abstract: stands in for rtl/gm/gm_lane_alu.v in the proof of gm_atomic: gm_lane_function, STAGES
// cycles later.
//
// LANES, STAGES  1 or more     TYPES  0 or 1
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_lane_alu #(
  parameter LANES  = 1,
  parameter STAGES = 4,
  parameter TYPES  = 0
) (
  input  wire                clk_i,
  input  wire [TYPES != 0 ? 4 : 2:0] op_i,
  input  wire [32*LANES-1:0] mem_i,
  input  wire [32*LANES-1:0] operand_i,
  output wire [32*LANES-1:0] result_o,
  output wire [4*LANES-1:0]  guard_o
);
  localparam W = 36 * LANES;
  wire [W*(STAGES+1)-1:0] line;
  genvar i;
  generate
    for (i = 0; i < LANES; i = i + 1) begin : g_lane
      gm_lane_function #(.OP_W(TYPES != 0 ? 5 : 3)) u_function (
        .op_i     (op_i),
        .mem_i    (mem_i[32*i +: 32]),
        .operand_i(operand_i[32*i +: 32]),
        .result_o (line[32*i +: 32]),
        .guard_o  (line[32*LANES + 4*i +: 4])
      );
    end
    for (i = 0; i < STAGES; i = i + 1) begin : g_stage
      pipe_cut #(.W(W)) u_cut (
        .clk_i (clk_i),
        .data_i(line[W*i +: W]),
        .data_o(line[W*(i+1) +: W])
      );
    end
  endgenerate
  assign {guard_o, result_o} = line[W*STAGES +: W];
endmodule
`resetall
