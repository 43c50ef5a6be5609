// gm_lane_alu: the new memory words of the 32-bit lanes of gm_atomic, in STAGES cycles, a beat a cycle.
//
//   mem_i -----+--> [order] --> [align] --> [add] --> [lead] --> [normalise] --> [round] --> [op] --> result_o, guard_o
//   operand_i -+--> [gm_s32_guard] ------------------------------------------------------------^
//
// Latency STAGES: the last register is result_o's and guard_o's own, the others cut the adder of
// fp32_add where the pieces are about equal:
//
//   STAGES  cuts
//      1    none
//      2    order, align, add | lead, normalise, round
//      3    order, align | add | lead, normalise, round
//      4    order, align | add | lead, normalise | round
//      5    order, align | add | lead | normalise | round
//      6    order | align | add | lead | normalise | round
//
// guard_o = {overflow, underflow, special, zero} of each lane; only ADD_S32 and RESCALE raise it.
// Op codes are those of sw/hal/gm_ops.def (the testbench drives the codes of that file, so a
// difference fails there).  Other codes give the operand; gm_atomic does not write it.
// Bit-exact with num_gm_apply().
//
// LANES   of a beat, >= 1
// STAGES  1 .. 6
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
  `PARAMETER(STAGES_must_be_1_to_6, STAGES >= 1 && STAGES <= 6)
  localparam W = 32 * LANES;
  localparam [2:0] OP_ADD_F32     = 3'd1;
  localparam [2:0] OP_ADD_S32     = 3'd2;
  localparam [2:0] OP_ADD_S32_RAW = 3'd3;
  localparam [2:0] OP_RESCALE     = 3'd4;
  localparam [4:0] CUTS = STAGES == 1 ? 5'b00000
                        : STAGES == 2 ? 5'b00100
                        : STAGES == 3 ? 5'b00110
                        : STAGES == 4 ? 5'b10110
                        : STAGES == 5 ? 5'b11110
                                      : 5'b11111;

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

  // ---------------------------------------------------------------- all others: ready before the second cut
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

  // Chosen behind the first cut.
  wire [W-1:0]       sum, operand;
  wire [4*LANES-1:0] sum_guard;
  wire               sum_f32, sum_guarded, sum_raw;
  pipe_cut #(.W(2*W + 4*LANES + 3), .ON(CUTS[0])) u_integer (
    .clk_i (clk_i),
    .data_i({op_i == OP_ADD_F32, guarded, raw, s32_guard, s32_sum, operand_i}),
    .data_o({sum_f32, sum_guarded, sum_raw, sum_guard, sum, operand})
  );

  localparam KIND_W = 1 + 4 * LANES;
  wire [5*KIND_W-1:0] kinds;             // {is ADD_F32, guards} before and behind each of the other cuts
  wire [5*W-1:0]      words;
  assign kinds[KIND_W-1:0] = {sum_f32, sum_guarded ? sum_guard : {(4*LANES){1'b0}}};
  assign words[W-1:0]      = (sum_guarded | sum_raw) ? sum : operand;
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : g_cut
      pipe_cut #(.W(KIND_W), .ON(CUTS[i+1])) u_kind (
        .clk_i (clk_i),
        .data_i(kinds[KIND_W*i +: KIND_W]),
        .data_o(kinds[KIND_W*(i+1) +: KIND_W])
      );
      pipe_cut #(.W(W), .ON(CUTS[i+1])) u_word (
        .clk_i (clk_i),
        .data_i(words[W*i +: W]),
        .data_o(words[W*(i+1) +: W])
      );
    end
  endgenerate

  wire               is_f32;
  wire [4*LANES-1:0] guard;
  assign {is_f32, guard} = kinds[4*KIND_W +: KIND_W];
  wire [W-1:0] word = words[4*W +: W];

  always @(posedge clk_i) begin
    result_o <= is_f32 ? f32_sum : word;
    guard_o  <= guard;
  end
endmodule
`resetall
