// gm_lane_function: what the abstract gm_lane_alu computes.
//
// Every op is a different function of both inputs that no two beats can do in either order, so a
// word taken too early, too late or from the wrong lane shows; and adders are easy on the solver.
// Latency 0: combinational.
// OP_W  bits of op_i, 3, or 5 for units of all types
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_lane_function #(
  parameter OP_W = 3
) (
  input  wire [OP_W-1:0] op_i,
  input  wire [31:0] mem_i,
  input  wire [31:0] operand_i,
  output reg  [31:0] result_o,
  output wire [3:0]  guard_o
);
  // Those that only units of all types have; codes beyond them write nothing.
  wire one_of_more = OP_W > 3 && op_i > 4 && op_i <= 20;
  always @* begin
    case (op_i)
      1:    result_o = {mem_i[30:0], mem_i[31]} + operand_i;
      2:    result_o = operand_i - mem_i;
      3:    result_o = {mem_i[30:0], ~mem_i[31]} ^ operand_i;
      4:    result_o = ~operand_i - mem_i;
      default: result_o = one_of_more ? operand_i - (mem_i ^ {{(32-OP_W){1'b0}}, op_i}) : operand_i;
    endcase
  end
  assign guard_o = (op_i == 2 || op_i == 4) ? mem_i[3:0] & operand_i[3:0] : 4'd0;
endmodule
`resetall
