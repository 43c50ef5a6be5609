// gm_atomic, abstract: stands in for rtl/gm/gm_atomic.v in the proof of gm_axi: it takes requests when it likes, up to three at a time,
// and answers them in order, when it likes.
//
// Parameters as of gm_atomic.  f_level_o, f_tags_o: what is on its way, the oldest lowest.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_atomic #(
  parameter LANES  = 16,
  parameter ADDR_W = 26,
  parameter LEN_W  = 10,
  parameter TAG_W  = 8,
  parameter CNT_W  = 32,
  parameter ALU_STAGES = 4
) (
  input  wire                clk_i,
  input  wire                rst_ni,
  input  wire                clear_i,
  input  wire                req_valid_i,
  output wire                req_ready_o,
  input  wire [2:0]          req_op_i,
  input  wire [ADDR_W-1:0]   req_addr_i,
  input  wire [LANES*32-1:0] req_data_i,
  input  wire [LANES-1:0]    req_mask_i,
  input  wire [LEN_W-1:0]    req_len_i,
  input  wire [TAG_W-1:0]    req_tag_i,
  output wire                rsp_valid_o,
  input  wire                rsp_ready_i,
  output wire [TAG_W-1:0]    rsp_tag_o,
  output wire                mem_re_o,
  output wire [ADDR_W-1:0]   mem_raddr_o,
  input  wire [LANES*32-1:0] mem_rdata_i,
  output wire                mem_we_o,
  output wire [ADDR_W-1:0]   mem_waddr_o,
  output wire [LANES*32-1:0] mem_wdata_o,
  output wire [LANES-1:0]    mem_wmask_o,
  output wire                guard_zero_o,
  output wire                guard_special_o,
  output wire                guard_underflow_o,
  output wire                guard_overflow_o,
  output wire [CNT_W-1:0]    cnt_beats_o,
  output wire [CNT_W-1:0]    cnt_guards_o,
  output wire [CNT_W-1:0]    cnt_stalls_o,
  output wire [1:0]          f_level_o,
  output wire [3*TAG_W-1:0]  f_tags_o
);
  (* anyseq *) wire take_wish, answer_wish;
  reg  offered_q;                          // an offer stays
  wire room, some;
  fifo #(.W(TAG_W), .DEPTH(3)) u_tags (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_valid_i(req_valid_i & take_wish), .in_ready_o(room), .in_data_i(req_tag_i),
    .out_valid_o(some), .out_ready_i(rsp_valid_o & rsp_ready_i), .out_data_o(rsp_tag_o), .level_o(f_level_o), .f_words_o(f_tags_o));
  assign req_ready_o = room & take_wish;
  assign rsp_valid_o = some & (answer_wish | offered_q);
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) offered_q <= 1'b0;
    else offered_q <= rsp_valid_o & ~rsp_ready_i;
  end
  // What is not looked at.
  assign {mem_re_o, mem_we_o, guard_zero_o, guard_special_o, guard_underflow_o, guard_overflow_o} = 6'd0;
  assign mem_raddr_o  = {ADDR_W{1'b0}};
  assign mem_waddr_o  = {ADDR_W{1'b0}};
  assign mem_wdata_o  = {(LANES*32){1'b0}};
  assign mem_wmask_o  = {LANES{1'b0}};
  assign cnt_beats_o  = {CNT_W{1'b0}};
  assign cnt_guards_o = {CNT_W{1'b0}};
  assign cnt_stalls_o = {CNT_W{1'b0}};
endmodule
`resetall
