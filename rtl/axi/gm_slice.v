// gm_slice: a slice of global memory as a chip has it: the atomic unit behind AXI, and its memory.
//
//   AXI --> [gm_axi] <--> [ram_1r1w]
//
// Ports, operations, errors: gm_axi.  The memory is ram_1r1w with a mask of lanes: no word is read in the cycle of its
// write.
//
// WORDS  beats of memory, a power of two, >= 2; ADDR_W of gm_axi follows from it
// LANES, AXI_W, ID_W, LEN_W, CNT_W, ALU_STAGES  as of gm_axi
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_slice #(
  parameter WORDS      = 4096,
  parameter LANES      = 16,
  parameter AXI_W      = 40,
  parameter ID_W       = 8,
  parameter LEN_W      = 10,
  parameter CNT_W      = 32,
  parameter ALU_STAGES = 4
) (
  input  wire                aclk_i,
  input  wire                aresetn_i,    // active low, asserted asynchronously, released with the clock
  input  wire                clear_i,      // zero the status outputs

  // AXI4, write channels; AWATOP of AXI5
  input  wire                s_axi_awvalid_i,
  output wire                s_axi_awready_o,
  input  wire [ID_W-1:0]     s_axi_awid_i,
  input  wire [AXI_W-1:0]    s_axi_awaddr_i,   // in bytes
  input  wire [7:0]          s_axi_awlen_i,    // beats less one
  input  wire [2:0]          s_axi_awsize_i,   // log2 of bytes
  input  wire [1:0]          s_axi_awburst_i,  // 1: INCR
  input  wire [5:0]          s_axi_awatop_i,
  input  wire [LEN_W+2:0]    s_axi_awuser_i,   // {length, operation}
  input  wire                s_axi_wvalid_i,
  output wire                s_axi_wready_o,
  input  wire [32*LANES-1:0] s_axi_wdata_i,
  input  wire [4*LANES-1:0]  s_axi_wstrb_i,
  input  wire                s_axi_wlast_i,
  output wire                s_axi_bvalid_o,
  input  wire                s_axi_bready_i,
  output wire [ID_W-1:0]     s_axi_bid_o,
  output wire [1:0]          s_axi_bresp_o,    // 0 OKAY, 2 SLVERR, 3 DECERR

  // Status: as of gm_atomic; beats of error are no writes
  output wire                guard_zero_o,
  output wire                guard_special_o,
  output wire                guard_underflow_o,
  output wire                guard_overflow_o,
  output wire [CNT_W-1:0]    cnt_beats_o,
  output wire [CNT_W-1:0]    cnt_guards_o,
  output wire [CNT_W-1:0]    cnt_stalls_o
);
  `PARAMETER(WORDS_must_be_a_power_of_two, WORDS >= 2 && (WORDS & (WORDS - 1)) == 0)
  localparam ADDR_W = $clog2(WORDS);

  wire                re, we;
  wire [ADDR_W-1:0]   raddr, waddr;
  wire [32*LANES-1:0] rdata, wdata;
  wire [LANES-1:0]    wmask;

  gm_axi #(
    .LANES     (LANES),
    .ADDR_W    (ADDR_W),
    .AXI_W     (AXI_W),
    .ID_W      (ID_W),
    .LEN_W     (LEN_W),
    .CNT_W     (CNT_W),
    .ALU_STAGES(ALU_STAGES)
  ) u_axi (
    .aclk_i           (aclk_i),
    .aresetn_i        (aresetn_i),
    .clear_i          (clear_i),
    .s_axi_awvalid_i  (s_axi_awvalid_i),
    .s_axi_awready_o  (s_axi_awready_o),
    .s_axi_awid_i     (s_axi_awid_i),
    .s_axi_awaddr_i   (s_axi_awaddr_i),
    .s_axi_awlen_i    (s_axi_awlen_i),
    .s_axi_awsize_i   (s_axi_awsize_i),
    .s_axi_awburst_i  (s_axi_awburst_i),
    .s_axi_awatop_i   (s_axi_awatop_i),
    .s_axi_awuser_i   (s_axi_awuser_i),
    .s_axi_wvalid_i   (s_axi_wvalid_i),
    .s_axi_wready_o   (s_axi_wready_o),
    .s_axi_wdata_i    (s_axi_wdata_i),
    .s_axi_wstrb_i    (s_axi_wstrb_i),
    .s_axi_wlast_i    (s_axi_wlast_i),
    .s_axi_bvalid_o   (s_axi_bvalid_o),
    .s_axi_bready_i   (s_axi_bready_i),
    .s_axi_bid_o      (s_axi_bid_o),
    .s_axi_bresp_o    (s_axi_bresp_o),
    .mem_re_o         (re),
    .mem_raddr_o      (raddr),
    .mem_rdata_i      (rdata),
    .mem_we_o         (we),
    .mem_waddr_o      (waddr),
    .mem_wdata_o      (wdata),
    .mem_wmask_o      (wmask),
    .guard_zero_o     (guard_zero_o),
    .guard_special_o  (guard_special_o),
    .guard_underflow_o(guard_underflow_o),
    .guard_overflow_o (guard_overflow_o),
    .cnt_beats_o      (cnt_beats_o),
    .cnt_guards_o     (cnt_guards_o),
    .cnt_stalls_o     (cnt_stalls_o)
  );

  ram_1r1w #(
    .WIDTH(32*LANES),
    .DEPTH(WORDS),
    .LANE (32)
  ) u_memory (
    .clk_i  (aclk_i),
    .we_i   (we),
    .waddr_i(waddr),
    .wmask_i(wmask),
    .wdata_i(wdata),
    .re_i   (re),
    .raddr_i(raddr),
    .rdata_o(rdata)
  );
endmodule
`resetall
