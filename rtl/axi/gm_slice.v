// gm_slice: a slice of global memory as a chip has it: the atomic unit behind AXI, and its memory.
//
//   AXI --> [gm_axi] <--> [ram_1r1w]
//
// Ports, operations, errors, order of reads and writes: gm_axi.  The memory is ram_1r1w with a mask of lanes: no word is read in the cycle of its
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
  input  wire                aclk,
  input  wire                aresetn,          // active low, asserted asynchronously, released with the clock
  input  wire                clear_i,      // zero the status outputs

  // AXI4; AWATOP of AXI5
  input  wire                s_axi_awvalid,
  output wire                s_axi_awready,
  input  wire [ID_W-1:0]     s_axi_awid,
  input  wire [AXI_W-1:0]    s_axi_awaddr,     // in bytes
  input  wire [7:0]          s_axi_awlen,      // beats less one
  input  wire [2:0]          s_axi_awsize,     // log2 of bytes
  input  wire [1:0]          s_axi_awburst,    // 1: INCR
  input  wire [5:0]          s_axi_awatop,
  input  wire [LEN_W+2:0]    s_axi_awuser,     // {length, operation}
  input  wire                s_axi_wvalid,
  output wire                s_axi_wready,
  input  wire [32*LANES-1:0] s_axi_wdata,
  input  wire [4*LANES-1:0]  s_axi_wstrb,
  input  wire                s_axi_wlast,
  output wire                s_axi_bvalid,
  input  wire                s_axi_bready,
  output wire [ID_W-1:0]     s_axi_bid,
  output wire [1:0]          s_axi_bresp,      // 0 OKAY, 2 SLVERR, 3 DECERR
  input  wire                s_axi_arvalid,
  output wire                s_axi_arready,
  input  wire [ID_W-1:0]     s_axi_arid,
  input  wire [AXI_W-1:0]    s_axi_araddr,
  input  wire [7:0]          s_axi_arlen,
  input  wire [2:0]          s_axi_arsize,
  input  wire [1:0]          s_axi_arburst,
  output wire                s_axi_rvalid,
  input  wire                s_axi_rready,
  output wire [ID_W-1:0]     s_axi_rid,
  output wire [32*LANES-1:0] s_axi_rdata,
  output wire [1:0]          s_axi_rresp,
  output wire                s_axi_rlast,

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
    .aclk             (aclk),
    .aresetn          (aresetn),
    .clear_i          (clear_i),
    .s_axi_awvalid    (s_axi_awvalid),
    .s_axi_awready    (s_axi_awready),
    .s_axi_awid       (s_axi_awid),
    .s_axi_awaddr     (s_axi_awaddr),
    .s_axi_awlen      (s_axi_awlen),
    .s_axi_awsize     (s_axi_awsize),
    .s_axi_awburst    (s_axi_awburst),
    .s_axi_awatop     (s_axi_awatop),
    .s_axi_awuser     (s_axi_awuser),
    .s_axi_wvalid     (s_axi_wvalid),
    .s_axi_wready     (s_axi_wready),
    .s_axi_wdata      (s_axi_wdata),
    .s_axi_wstrb      (s_axi_wstrb),
    .s_axi_wlast      (s_axi_wlast),
    .s_axi_bvalid     (s_axi_bvalid),
    .s_axi_bready     (s_axi_bready),
    .s_axi_bid        (s_axi_bid),
    .s_axi_bresp      (s_axi_bresp),
    .s_axi_arvalid    (s_axi_arvalid),
    .s_axi_arready    (s_axi_arready),
    .s_axi_arid       (s_axi_arid),
    .s_axi_araddr     (s_axi_araddr),
    .s_axi_arlen      (s_axi_arlen),
    .s_axi_arsize     (s_axi_arsize),
    .s_axi_arburst    (s_axi_arburst),
    .s_axi_rvalid     (s_axi_rvalid),
    .s_axi_rready     (s_axi_rready),
    .s_axi_rid        (s_axi_rid),
    .s_axi_rdata      (s_axi_rdata),
    .s_axi_rresp      (s_axi_rresp),
    .s_axi_rlast      (s_axi_rlast),
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
    .clk_i  (aclk),
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
