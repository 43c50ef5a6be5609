// gm_lane_alu: the new memory words of the 32-bit lanes of gm_atomic, in STAGES cycles, a beat a cycle.
//
//   mem_i -----+--> [order] --> [align] --> [add] --> [lead] --> [normalise] --> [round] --> [op] --> result_o, guard_o
//   operand_i -+--> [gm_s32_guard, gm_choose] -------------------------------------------------^
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
// TYPES   1: adds of F16, BF16, S16 and S8, and maxima and minima (gm_choose): codes from ADD_F16 on.  The FP32
//         adder adds the lower of two halves, and one for them alone the upper one.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
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
  output reg  [32*LANES-1:0] result_o,
  output reg  [4*LANES-1:0]  guard_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  `PARAMETER(STAGES_must_be_1_to_6, STAGES >= 1 && STAGES <= 6)
  localparam W = 32 * LANES;
  localparam OP_W = TYPES != 0 ? 5 : 3;
  localparam [OP_W-1:0] OP_ADD_F32     = 1;
  localparam [OP_W-1:0] OP_ADD_S32     = 2;
  localparam [OP_W-1:0] OP_ADD_S32_RAW = 3;
  localparam [OP_W-1:0] OP_RESCALE     = 4;
  localparam [4:0] CUTS = STAGES == 1 ? 5'b00000
                        : STAGES == 2 ? 5'b00100
                        : STAGES == 3 ? 5'b00110
                        : STAGES == 4 ? 5'b10110
                        : STAGES == 5 ? 5'b11110
                                      : 5'b11111;

  // ---------------------------------------------------------------- ADD_F32, and ADD_F16 and ADD_BF16
  wire [1:0]   kind;                     // as fp32_add has it
  wire [W-1:0] f32_mem, f32_operand;     // for the adder
  wire [W-1:0] f32_sum, float_sum;
  wire [W-1:0] other;                    // of operations that are none of those of gm_s32_guard and the adder
  wire         adds_float;
  fp32_add #(
    .LANES(LANES),
    .CUTS (CUTS),
    .TYPES(TYPES)
  ) u_f32 (
    .clk_i (clk_i),
    .kind_i(kind),
    .a_i   (f32_mem),
    .b_i   (f32_operand),
    .sum_o (f32_sum)
  );

  genvar g;
  generate
    if (TYPES == 0) begin : g_plain
      assign kind        = 2'd0;
      assign f32_mem     = mem_i;
      assign f32_operand = operand_i;
      assign float_sum   = f32_sum;
      assign other       = operand_i;
      assign adds_float  = op_i == OP_ADD_F32;
    end else begin : g_types
      localparam [4:0] OP_ADD_F16 = 5, OP_ADD_BF16 = 6;
      wire         is_f16  = op_i == OP_ADD_F16;
      wire         is_bf16 = op_i == OP_ADD_BF16;
      wire [W-1:0] high_mem, high_operand, high_sum, chosen;
      assign kind       = {is_bf16, is_f16};
      assign adds_float = (op_i == OP_ADD_F32) | is_f16 | is_bf16;
      assign other      = op_i > OP_ADD_BF16 ? chosen : operand_i;
      for (g = 0; g < LANES; g = g + 1) begin : g_lane
        wire [31:0] m = mem_i[32*g +: 32];
        wire [31:0] x = operand_i[32*g +: 32];
        // An infinite exponent of F16 becomes one of FP32.
        assign f32_mem[32*g +: 32] =
          is_f16 ? {m[15], {3{&m[14:10]}}, m[14:0], 13'd0} : is_bf16 ? {m[15:0], 16'd0} : m;
        assign f32_operand[32*g +: 32] =
          is_f16 ? {x[15], {3{&x[14:10]}}, x[14:0], 13'd0} : is_bf16 ? {x[15:0], 16'd0} : x;
        assign high_mem[32*g +: 32] = {m[31], 13'd0, is_f16 ? {{3{&m[30:26]}}, m[30:16]} : {m[30:16], 3'd0}};
        assign high_operand[32*g +: 32] = {x[31], 13'd0, is_f16 ? {{3{&x[30:26]}}, x[30:16]} : {x[30:16], 3'd0}};
        assign float_sum[32*g +: 32] = {f32_sum[32*g + 16 +: 16] | high_sum[32*g +: 16], f32_sum[32*g +: 16]};
      end
      fp32_add #(
        .LANES   (LANES),
        .CUTS    (CUTS),
        .TYPES   (1),
        .FRACTION(10)
      ) u_high (
        .clk_i (clk_i),
        .kind_i(kind),
        .a_i   (high_mem),
        .b_i   (high_operand),
        .sum_o (high_sum)
      );
      wire unused = &{1'b0, high_sum};   // its upper halves are 0
      gm_choose #(.LANES(LANES)) u_choose (
        .op_i    (op_i),
        .m_i     (mem_i),
        .x_i     (operand_i),
        .result_o(chosen)
      );
    end
  endgenerate

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
    .data_i({adds_float, guarded, raw, s32_guard, s32_sum, other}),
    .data_o({sum_f32, sum_guarded, sum_raw, sum_guard, sum, operand})
  );

  localparam KIND_W = 1 + 4 * LANES;
  wire [5*KIND_W-1:0] kinds;             // {is the adder's, guards} before and behind each of the other cuts
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
    result_o <= is_f32 ? float_sum : word;
    guard_o  <= guard;
  end
endmodule
`resetall
