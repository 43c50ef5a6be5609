// gm_lane_alu: the new memory words of the 32-bit lanes of gm_atomic, in STAGES cycles, a beat a cycle.
//
//   mem_i -----+--> [align] --> [add] --> [normalise] --> [round] --> [op] --> result_o, guard_o
//   operand_i -+--> [gm_s32_guard] ------------------------------------^
//
// Latency STAGES: the last register is result_o's and guard_o's own, the others cut the adder of
// fp32_add where the pieces are about equal:
//
//   STAGES  cuts
//      1    none
//      2    align, add | normalise, round
//      3    align | add | normalise, round
//      4    align | add | normalise | round
//
// guard_o = {overflow, underflow, special, zero} of each lane; only ADD_S32 and RESCALE raise it.
// Op codes are those of sw/hal/gm_ops.def (the testbench drives the codes of that file, so a
// difference fails there).  Other codes give the operand; gm_atomic does not write it.
// Bit-exact with num_gm_apply().
//
// LANES   of a beat, >= 1
// STAGES  1 .. 4
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_lane_alu #(
  parameter LANES  = 1,
  parameter STAGES = 4
) (
  input  wire                clk_i,
  input  wire [2:0]          op_i,
  input  wire [32*LANES-1:0] mem_i,
  input  wire [32*LANES-1:0] operand_i,
  output reg  [32*LANES-1:0] result_o,
  output reg  [4*LANES-1:0]  guard_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  `PARAMETER(STAGES_must_be_1_to_4, STAGES >= 1 && STAGES <= 4)
  localparam W = 32 * LANES;
  localparam [2:0] OP_ADD_F32     = 3'd1;
  localparam [2:0] OP_ADD_S32     = 3'd2;
  localparam [2:0] OP_ADD_S32_RAW = 3'd3;
  localparam [2:0] OP_RESCALE     = 3'd4;
  localparam [2:0] CUTS = STAGES == 1 ? 3'b000
                        : STAGES == 2 ? 3'b010
                        : STAGES == 3 ? 3'b011
                                      : 3'b111;

  // ---------------------------------------------------------------- ADD_F32
  wire [W-1:0] f32_sum;
  fp32_add #(
    .LANES(LANES),
    .CUTS (CUTS)
  ) u_f32 (
    .clk_i(clk_i),
    .a_i  (mem_i),
    .b_i  (operand_i),
    .sum_o(f32_sum)
  );

  // ---------------------------------------------------------------- all others: ready before the first cut
  wire               guarded = (op_i == OP_ADD_S32) | (op_i == OP_RESCALE);
  wire               raw     = op_i == OP_ADD_S32_RAW;
  wire [W-1:0]       s32_sum;
  wire [4*LANES-1:0] s32_guard;
  gm_s32_guard #(.LANES(LANES)) u_s32 (
    .u_i     (mem_i),
    .n_i     (operand_i),
    .raw_i   (raw),
    .result_o(s32_sum),
    .guard_o (s32_guard)
  );

  localparam KIND_W = 1 + 4 * LANES;
  wire [4*KIND_W-1:0] kinds;             // {is ADD_F32, guards} before and behind each cut
  wire [4*W-1:0]      words;
  assign kinds[KIND_W-1:0] = {op_i == OP_ADD_F32, guarded ? s32_guard : {(4*LANES){1'b0}}};
  assign words[W-1:0]      = (guarded | raw) ? s32_sum : operand_i;
  genvar i;
  generate
    for (i = 0; i < 3; i = i + 1) begin : g_cut
      pipe_cut #(.W(KIND_W), .ON(CUTS[i])) u_kind (
        .clk_i (clk_i),
        .data_i(kinds[KIND_W*i +: KIND_W]),
        .data_o(kinds[KIND_W*(i+1) +: KIND_W])
      );
      pipe_cut #(.W(W), .ON(CUTS[i])) u_word (
        .clk_i (clk_i),
        .data_i(words[W*i +: W]),
        .data_o(words[W*(i+1) +: W])
      );
    end
  endgenerate

  wire               is_f32;
  wire [4*LANES-1:0] guard;
  assign {is_f32, guard} = kinds[3*KIND_W +: KIND_W];
  wire [W-1:0] word = words[3*W +: W];

  always @(posedge clk_i) begin
    result_o <= is_f32 ? f32_sum : word;
    guard_o  <= guard;
  end
endmodule
`resetall
