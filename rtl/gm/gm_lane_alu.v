// gm_lane_alu: the new memory word of one 32-bit lane of gm_atomic, in STAGES cycles, one a cycle.
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
// guard_o = {overflow, underflow, special, zero}; only ADD_S32 and RESCALE raise it.
// Op codes are those of sw/hal/gm_ops.def (the testbench drives the codes of that file, so a
// difference fails there).  Other codes give the operand; gm_atomic does not write it.
// Bit-exact with num_gm_apply().
//
// STAGES  1 .. 4
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_lane_alu #(
  parameter STAGES = 4
) (
  input  wire        clk_i,
  input  wire [2:0]  op_i,
  input  wire [31:0] mem_i,
  input  wire [31:0] operand_i,
  output reg  [31:0] result_o,
  output reg  [3:0]  guard_o
);
  `PARAMETER(STAGES_must_be_1_to_4, STAGES >= 1 && STAGES <= 4)
  localparam [2:0] OP_ADD_F32     = 3'd1;
  localparam [2:0] OP_ADD_S32     = 3'd2;
  localparam [2:0] OP_ADD_S32_RAW = 3'd3;
  localparam [2:0] OP_RESCALE     = 3'd4;
  localparam [2:0] CUTS = STAGES == 1 ? 3'b000
                        : STAGES == 2 ? 3'b010
                        : STAGES == 3 ? 3'b011
                                      : 3'b111;

  // ---------------------------------------------------------------- ADD_F32
  wire [31:0] f32_sum;
  fp32_add #(.CUTS(CUTS)) u_f32 (
    .clk_i(clk_i),
    .a_i  (mem_i),
    .b_i  (operand_i),
    .sum_o(f32_sum)
  );

  // ---------------------------------------------------------------- all others: ready before the first cut
  wire        guarded = (op_i == OP_ADD_S32) | (op_i == OP_RESCALE);
  wire        raw     = op_i == OP_ADD_S32_RAW;
  wire [31:0] s32_sum;
  wire [3:0]  s32_guard;
  gm_s32_guard u_s32 (
    .u_i     (mem_i),
    .n_i     (operand_i),
    .raw_i   (raw),
    .result_o(s32_sum),
    .guard_o (s32_guard)
  );

  localparam KIND_W = 1 + 4;
  wire [4*KIND_W-1:0] kinds;             // {is ADD_F32, guard} before and behind each cut
  wire [4*32-1:0]     words;
  assign kinds[KIND_W-1:0] = {op_i == OP_ADD_F32, guarded ? s32_guard : 4'd0};
  assign words[31:0]       = (guarded | raw) ? s32_sum : operand_i;
  genvar i;
  generate
    for (i = 0; i < 3; i = i + 1) begin : g_cut
      pipe_cut #(.W(KIND_W), .ON(CUTS[i])) u_kind (
        .clk_i (clk_i),
        .data_i(kinds[KIND_W*i +: KIND_W]),
        .data_o(kinds[KIND_W*(i+1) +: KIND_W])
      );
      pipe_cut #(.W(32), .ON(CUTS[i])) u_word (
        .clk_i (clk_i),
        .data_i(words[32*i +: 32]),
        .data_o(words[32*(i+1) +: 32])
      );
    end
  endgenerate

  wire        is_f32;
  wire [3:0]  guard;
  assign {is_f32, guard} = kinds[3*KIND_W +: KIND_W];
  wire [31:0] word = words[3*32 +: 32];

  always @(posedge clk_i) begin
    result_o <= is_f32 ? f32_sum : word;
    guard_o  <= guard;
  end
endmodule
`resetall
