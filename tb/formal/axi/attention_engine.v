// attention_engine, abstract: stands in for rtl/attention/attention_engine.v in the proof of attention_axi: it begins groups, takes
// beats of mask and answers when it likes, but never more than it began, and holds what it offers.
//
// Parameters as of the engine; what is computed does not matter.  f_inside_o: groups begun whose results have not been taken.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module attention_engine #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64,
  parameter P          = 4,
  parameter NQ         = 1,
  parameter N          = 1024
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,
  input  wire                   kv_valid_i,
  input  wire [$clog2(P > 1 ? P : 2)-1:0] kv_block_i,
  input  wire [$clog2(N/P > 1 ? N/P : 2)-1:0] kv_row_i,
  input  wire [16*D-1:0]        kv_k_i,
  input  wire [16*D-1:0]        kv_v_i,
  input  wire                   q_valid_i,
  output wire                   q_ready_o,
  input  wire [16*D*NQ-1:0]     q_i,
  input  wire [$clog2(N/P > 1 ? N/P : 2)-1:0] q_base_i,
  input  wire [$clog2(N/P > 1 ? N/P : 2):0] q_rows_i,
  input  wire [$clog2(N+1)-1:0] q_stride_i,
  input  wire [$clog2(N+1)*NQ-1:0] q_limit_i,
  input  wire                   q_use_mask_i,
  input  wire                   q_final_i,
  input  wire                   q_carry_i,
  input  wire [16*NQ-1:0]       carry_m_i,
  input  wire [17*(D+1)*NQ-1:0] carry_o_i,
  input  wire [NQ-1:0]          carry_poison_i,
  input  wire                   mask_valid_i,
  output wire                   mask_ready_o,
  input  wire [P*NQ-1:0]        mask_i,
  output wire                   out_valid_o,
  input  wire                   out_ready_i,
  output wire                   out_final_o,
  output wire [16*NQ-1:0]       out_m_o,
  output wire [NQ-1:0]          out_poison_o,
  output wire [17*(D+1)*NQ-1:0] out_o_o,
  output wire                   overwritten_o,
  output wire [6:0]             f_inside_o
);
  (* anyseq *) wire begin_wish, mask_wish, answer_wish, overwritten;
  (* anyseq *) wire [17*(NQ*(D+2)) + 1 - 1:0] word;
  reg [5:0]                         inside_q;      // groups begun and not answered: more than an engine has stages
  reg                               valid_q;
  reg [17*(NQ*(D+2)):0]             word_q;
  wire answers = answer_wish & (inside_q != 6'd0) & ~valid_q;
  assign overwritten_o = overwritten;
  assign f_inside_o   = {1'b0, inside_q} + {6'd0, valid_q};
  assign q_ready_o    = begin_wish & (inside_q != 6'd63);
  assign mask_ready_o = mask_wish;
  assign out_valid_o  = valid_q;
  assign {out_final_o, out_poison_o, out_m_o, out_o_o} = word_q[17*(NQ*(D+2)):0];
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 6'd0;
      valid_q  <= 1'b0;
    end else begin
      inside_q <= inside_q + {5'd0, q_valid_i & q_ready_o} - {5'd0, answers};
      valid_q  <= valid_q ? ~out_ready_i : answers;
    end
  end
  always @(posedge clk_i) if (answers) word_q <= word;
endmodule
`resetall
