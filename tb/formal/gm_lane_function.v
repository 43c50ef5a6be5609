// gm_lane_function: what the abstract gm_lane_alu computes.
//
// Every op is a different function of both inputs that no two beats can do in either order, so a
// word taken too early, too late or from the wrong lane shows; and adders are easy on the solver.
// Latency 0: combinational.  No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_lane_function (
  input  wire [2:0]  op_i,
  input  wire [31:0] mem_i,
  input  wire [31:0] operand_i,
  output reg  [31:0] result_o,
  output wire [3:0]  guard_o
);
  always @* begin
    case (op_i)
      3'd1:    result_o = {mem_i[30:0], mem_i[31]} + operand_i;
      3'd2:    result_o = operand_i - mem_i;
      3'd3:    result_o = {mem_i[30:0], ~mem_i[31]} ^ operand_i;
      3'd4:    result_o = ~operand_i - mem_i;
      default: result_o = operand_i;
    endcase
  end
  assign guard_o = (op_i == 3'd2 || op_i == 3'd4) ? mem_i[3:0] & operand_i[3:0] : 4'd0;
endmodule
`resetall
