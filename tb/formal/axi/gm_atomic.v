// gm_atomic, abstract: stands in for rtl/gm/gm_atomic.v in the proof of gm_axi: it takes requests when it likes, up to three at a time,
// and answers them in order, when it likes; it reads and writes its memory when it likes, but for a beat in the cycle of
// its write.  With LIVE it takes a request, and answers one, after two cycles at the latest, and is busy with its memory
// in three cycles at most without a new request.
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
  output wire [3*TAG_W-1:0]  f_tags_o,
  output wire                f_pop_o, f_offered_o,
  output wire [4:0]          f_take_wait_o, f_answer_wait_o, f_busy_o
);
  (* anyseq *) wire take_any, answer_any, re_any, we_any;
  (* anyseq *) wire [ADDR_W-1:0] raddr, waddr;
  wire take_wish, answer_wish, able;
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
  reg  [1:0] take_wait_q, answer_wait_q, busy_q;    // busy_q: cycles of memory left
  wire       accept = req_valid_i & req_ready_o;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {take_wait_q, answer_wait_q, busy_q} <= 6'd0;
    else begin
      take_wait_q   <= req_valid_i & room & ~take_wish ? take_wait_q + {1'b0, take_wait_q != 2'd2} : 2'd0;
      answer_wait_q <= some & ~rsp_valid_o ? answer_wait_q + {1'b0, answer_wait_q != 2'd2} : 2'd0;
      busy_q        <= accept ? 2'd3 : busy_q - {1'b0, able & (mem_re_o | mem_we_o)};
    end
  end
`ifdef LIVE
  assign take_wish   = take_any | (take_wait_q == 2'd2);
  assign answer_wish = answer_any | (answer_wait_q == 2'd2);
  assign able        = busy_q != 2'd0;
`else
  assign take_wish   = take_any;
  assign answer_wish = answer_any;
  assign able        = 1'b1;
`endif
  assign mem_re_o    = re_any & able & ~(we_any & (raddr == waddr));
  assign mem_we_o    = we_any & able;
  assign mem_raddr_o = raddr;
  assign mem_waddr_o = waddr;
  assign f_pop_o         = rsp_valid_o & rsp_ready_i;
  assign f_offered_o     = offered_q;
  assign f_take_wait_o   = {3'd0, take_wait_q};
  assign f_answer_wait_o = {3'd0, answer_wait_q};
  assign f_busy_o        = {3'd0, busy_q};
  // What is not looked at.
  assign {guard_zero_o, guard_special_o, guard_underflow_o, guard_overflow_o} = 4'd0;
  assign mem_wdata_o  = {(LANES*32){1'b0}};
  assign mem_wmask_o  = {LANES{1'b0}};
  assign cnt_beats_o  = {CNT_W{1'b0}};
  assign cnt_guards_o = {CNT_W{1'b0}};
  assign cnt_stalls_o = {CNT_W{1'b0}};
endmodule
`resetall
