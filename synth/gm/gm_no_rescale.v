// gm_no_rescale: gm_atomic that is never asked for a RESCALE, so that synthesis takes its walk out.
//
// Parameters and ports as of gm_atomic.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_no_rescale #(
  parameter LANES  = 16,
  parameter ADDR_W = 26,
  parameter LEN_W  = 10,
  parameter TAG_W  = 8,
  parameter CNT_W  = 32
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously
  input  wire                clear_i,
  input  wire                req_valid_i,
  output wire                req_ready_o,
  input  wire [1:0]          req_op_i,
  input  wire [ADDR_W-1:0]   req_addr_i,
  input  wire [LANES*32-1:0] req_data_i,
  input  wire [LANES-1:0]    req_mask_i,
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
  output wire [CNT_W-1:0]    cnt_stalls_o
);
  gm_atomic #(
    .LANES (LANES),
    .ADDR_W(ADDR_W),
    .LEN_W (LEN_W),
    .TAG_W (TAG_W),
    .CNT_W (CNT_W)
  ) u_atomic (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .clear_i          (clear_i),
    .req_valid_i      (req_valid_i),
    .req_ready_o      (req_ready_o),
    .req_op_i         ({1'b0, req_op_i}),
    .req_addr_i       (req_addr_i),
    .req_data_i       (req_data_i),
    .req_mask_i       (req_mask_i),
    .req_len_i        ({LEN_W{1'b0}}),
    .req_tag_i        (req_tag_i),
    .rsp_valid_o      (rsp_valid_o),
    .rsp_ready_i      (rsp_ready_i),
    .rsp_tag_o        (rsp_tag_o),
    .mem_re_o         (mem_re_o),
    .mem_raddr_o      (mem_raddr_o),
    .mem_rdata_i      (mem_rdata_i),
    .mem_we_o         (mem_we_o),
    .mem_waddr_o      (mem_waddr_o),
    .mem_wdata_o      (mem_wdata_o),
    .mem_wmask_o      (mem_wmask_o),
    .guard_zero_o     (guard_zero_o),
    .guard_special_o  (guard_special_o),
    .guard_underflow_o(guard_underflow_o),
    .guard_overflow_o (guard_overflow_o),
    .cnt_beats_o      (cnt_beats_o),
    .cnt_guards_o     (cnt_guards_o),
    .cnt_stalls_o     (cnt_stalls_o)
  );
endmodule
`resetall
