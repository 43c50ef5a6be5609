// gm_lane_alu: the new memory word of one 32-bit lane of gm_atomic, combinational.
//
//   mem_i -----+--> [fp32_add]     --+
//   operand_i -+--> [gm_s32_guard] --+--> op_i selects --> result_o, guard_o
//              +---------------------+
//
// Latency 0: both outputs are combinational from all inputs.
// guard_o = {overflow, underflow, special, zero}; only ADD_S32 and RESCALE raise it.
// Op codes are those of sw/hal/gm_ops.def (the testbench drives the codes of that file, so a
// difference fails there).  Other codes give the operand; gm_atomic does not write it.
// No parameters.  Bit-exact with num_gm_apply().
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_lane_alu (
  input  wire [2:0]  op_i,
  input  wire [31:0] mem_i,
  input  wire [31:0] operand_i,
  output wire [31:0] result_o,
  output wire [3:0]  guard_o
);
  localparam [2:0] OP_ADD_F32     = 3'd1;
  localparam [2:0] OP_ADD_S32     = 3'd2;
  localparam [2:0] OP_ADD_S32_RAW = 3'd3;
  localparam [2:0] OP_RESCALE     = 3'd4;

  wire        guarded = (op_i == OP_ADD_S32) | (op_i == OP_RESCALE);
  wire        raw     = op_i == OP_ADD_S32_RAW;
  wire [31:0] f32_sum;
  wire [31:0] s32_sum;
  wire [3:0]  s32_guard;

  fp32_add u_f32 (
    .a_i  (mem_i),
    .b_i  (operand_i),
    .sum_o(f32_sum)
  );

  gm_s32_guard u_s32 (
    .u_i     (mem_i),
    .n_i     (operand_i),
    .raw_i   (raw),
    .result_o(s32_sum),
    .guard_o (s32_guard)
  );

  assign result_o = (op_i == OP_ADD_F32) ? f32_sum
                  : (guarded | raw)      ? s32_sum
                                         : operand_i;
  assign guard_o  = guarded ? s32_guard : 4'd0;
endmodule
`resetall
