// hfa_top: attention engine with H-FA's arithmetic: see rtl/README.md for ports and timing.
//
// D, P, NQ, N, LNS, ZERO_EXACT  as of attention_engine
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_top #(
  parameter D          = 64,
  parameter P          = 4,
  parameter NQ         = 1,
  parameter N          = 1024,
  parameter LNS        = 0,
  parameter ZERO_EXACT = 0,
  parameter BW = P > 1 ? $clog2(P) : 1,            // derived, as the next two
  parameter RW = N/P > 1 ? $clog2(N/P) : 1,
  parameter LW = $clog2(N+1)
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,       // active low, asserted asynchronously

  // Keys and values
  input  wire                   kv_valid_i,
  input  wire [BW-1:0]          kv_block_i,
  input  wire [RW-1:0]          kv_row_i,
  input  wire [16*D-1:0]        kv_k_i,
  input  wire [16*D-1:0]        kv_v_i,

  // Groups of queries
  input  wire                   q_valid_i,
  output wire                   q_ready_o,
  input  wire [16*D*NQ-1:0]     q_i,
  input  wire [RW-1:0]          q_base_i,
  input  wire [RW:0]            q_rows_i,
  input  wire [LW-1:0]          q_stride_i,
  input  wire [LW*NQ-1:0]       q_limit_i,
  input  wire                   q_use_mask_i,
  input  wire                   q_final_i,
  input  wire                   q_carry_i,
  input  wire [16*NQ-1:0]       carry_m_i,
  input  wire [17*(D+1)*NQ-1:0] carry_o_i,
  input  wire [NQ-1:0]          carry_poison_i,

  // Mask
  input  wire                   mask_valid_i,
  output wire                   mask_ready_o,
  input  wire [P*NQ-1:0]        mask_i,

  // Results
  output wire                   out_valid_o,
  input  wire                   out_ready_i,
  output wire                   out_final_o,
  output wire [16*NQ-1:0]       out_m_o,
  output wire [NQ-1:0]          out_poison_o,
  output wire [17*(D+1)*NQ-1:0] out_o_o
);
  attention_engine #(
    .FLOAT     (0),
    .D         (D),
    .P         (P),
    .NQ        (NQ),
    .N         (N),
    .LNS       (LNS),
    .ZERO_EXACT(ZERO_EXACT)
  ) u_engine (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .kv_valid_i    (kv_valid_i),
    .kv_block_i    (kv_block_i),
    .kv_row_i      (kv_row_i),
    .kv_k_i        (kv_k_i),
    .kv_v_i        (kv_v_i),
    .q_valid_i     (q_valid_i),
    .q_ready_o     (q_ready_o),
    .q_i           (q_i),
    .q_base_i      (q_base_i),
    .q_rows_i      (q_rows_i),
    .q_stride_i    (q_stride_i),
    .q_limit_i     (q_limit_i),
    .q_use_mask_i  (q_use_mask_i),
    .q_final_i     (q_final_i),
    .q_carry_i     (q_carry_i),
    .carry_m_i     (carry_m_i),
    .carry_o_i     (carry_o_i),
    .carry_poison_i(carry_poison_i),
    .mask_valid_i  (mask_valid_i),
    .mask_ready_o  (mask_ready_o),
    .mask_i        (mask_i),
    .out_valid_o   (out_valid_o),
    .out_ready_i   (out_ready_i),
    .out_final_o   (out_final_o),
    .out_m_o       (out_m_o),
    .out_poison_o  (out_poison_o),
    .out_o_o       (out_o_o)
  );
endmodule
`resetall
