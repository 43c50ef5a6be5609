// attention_registers: what software says to an attention engine and hears from it, behind AXI4-Lite.
//
//   AXI4-Lite --> [registers] -- GROUP written --> [queue of 4] --> group_*
//                      ^-- events of the streams
//
// Registers, their bits and what is refused: sw/hal/attention_registers.def.  A group is queued with the
// values that its registers have when GROUP is written, so the next one's may be written at once.
//
// irq_o is a level, from a register.  Timing of the bus: axi_lite_port.
//
// ARITHMETIC, VARIANT, D, P, NQ, N  as of attention_engine; NQ <= 128, P <= 255
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module attention_registers #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64,
  parameter P          = 4,
  parameter NQ         = 1,
  parameter N          = 1024
) (
  input  wire             clk_i,
  input  wire             rst_ni,           // active low, asserted asynchronously

  // AXI4-Lite
  input  wire             awvalid_i,
  output wire             awready_o,
  input  wire [9:0]       awaddr_i,         // in bytes
  input  wire             wvalid_i,
  output wire             wready_o,
  input  wire [31:0]      wdata_i,
  input  wire [3:0]       wstrb_i,
  output wire             bvalid_o,
  input  wire             bready_i,
  output wire [1:0]       bresp_o,
  input  wire             arvalid_i,
  output wire             arready_o,
  input  wire [9:0]       araddr_i,
  output wire             rvalid_o,
  input  wire             rready_i,
  output wire [31:0]      rdata_o,
  output wire [1:0]       rresp_o,
  output wire             irq_o,            // level, active high

  // The oldest group queued
  output wire             group_valid_o,
  input  wire             group_ready_i,
  output wire [$clog2(N/P > 1 ? N/P : 2)-1:0] group_base_o,
  output wire [$clog2(N/P > 1 ? N/P : 2):0]   group_rows_o,
  output wire [$clog2(N+1)-1:0]    group_stride_o,
  output wire [$clog2(N+1)*NQ-1:0] group_limit_o,
  output wire             group_use_mask_o,
  output wire             group_final_o,
  output wire             group_carry_o,
  output wire [15:0]      scale_o,          // BF16, as it was when the oldest group was queued
  output wire             drop_no,          // 0 for the cycle after ABORT was written: a reset of what groups have left

  // Events, one cycle each
  input  wire             key_i,            // a row of keys and values was written
  input  wire             overwritten_i,    // a row in use was written
  input  wire             result_i,         // a result was taken
  input  wire             offer_i,          // a result was on offer, and not taken to its end
  input  wire             stall_i           // a result waited
`ifdef FORMAL
  , output wire [15:0]    f_begun_o         // groups that have left the queue and whose results have not been taken
`endif
);
  `PARAMETER(NQ_must_be_1_to_128, NQ >= 1 && NQ <= 128)
  `PARAMETER(P_must_be_at_most_255, P <= 255)
  localparam RW = $clog2(N/P > 1 ? N/P : 2);
  localparam LW = $clog2(N+1);
  localparam [31:0] VERSION = 32'h0001_0000;
  localparam ROWS           = N / P;
  localparam WAITING        = 4;            // groups in the queue
  localparam GROUP_W        = 16 + 3 + LW*NQ + LW + RW+1 + RW;
  // Offsets, in words
  localparam [7:0] AT_VERSION = 8'h00, AT_DESIGN = 8'h01, AT_HEAD_DIM = 8'h02, AT_KEYS = 8'h03,
                   AT_STATUS = 8'h04, AT_CLEAR = 8'h05, AT_IRQ_STATUS = 8'h06, AT_IRQ_ENABLE = 8'h07,
                   AT_SCALE = 8'h08, AT_BASE = 8'h09, AT_ROWS = 8'h0a, AT_STRIDE = 8'h0b, AT_GROUP = 8'h0c,
                   AT_CNT_KEYS = 8'h0d, AT_CNT_GROUPS = 8'h0e, AT_CNT_RESULTS = 8'h0f, AT_CNT_BUSY = 8'h10,
                   AT_CNT_STALLS = 8'h11, AT_ABORT = 8'h12, AT_LIMIT = 8'h80;
  localparam [31:0] ROWS_MOST = ROWS, KEYS_MOST = N;
  localparam [7:0]  QUERIES   = NQ[7:0];

  // ---------------------------------------------------------------- the bus
  wire        write, write_whole, write_refuse, read, read_refuse;
  wire [7:0]  write_at, read_at;
  wire [31:0] write_data;
  reg  [31:0] read_data;
  axi_lite_port #(.ADDR_W(10)) u_port (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .awvalid_i     (awvalid_i),
    .awready_o     (awready_o),
    .awaddr_i      (awaddr_i),
    .wvalid_i      (wvalid_i),
    .wready_o      (wready_o),
    .wdata_i       (wdata_i),
    .wstrb_i       (wstrb_i),
    .bvalid_o      (bvalid_o),
    .bready_i      (bready_i),
    .bresp_o       (bresp_o),
    .arvalid_i     (arvalid_i),
    .arready_o     (arready_o),
    .araddr_i      (araddr_i),
    .rvalid_o      (rvalid_o),
    .rready_i      (rready_i),
    .rdata_o       (rdata_o),
    .rresp_o       (rresp_o),
    .write_o       (write),
    .write_at_o    (write_at),
    .write_data_o  (write_data),
    .write_whole_o (write_whole),
    .write_refuse_i(write_refuse),
    .read_o        (read),
    .read_at_o     (read_at),
    .read_data_i   (read_data),
    .read_refuse_i (read_refuse)
  );

  // ---------------------------------------------------------------- what may be written
  wire [7:0] write_query  = write_at - AT_LIMIT;
  wire       write_limit  = (write_at >= AT_LIMIT) & (write_query < QUERIES);
  wire       queue_room;
  reg        abort_q;                       // groups are dropped in this cycle
  reg        write_good;
  always @* begin
    case (write_at)
      AT_CLEAR:      write_good = write_data[31:1] == 31'd0;
      AT_IRQ_STATUS: write_good = write_data[31:4] == 28'd0;
      AT_IRQ_ENABLE: write_good = write_data[31:4] == 28'd0;
      AT_SCALE:      write_good = write_data[31:16] == 16'd0;
      AT_BASE:       write_good = write_data < ROWS_MOST;
      AT_ROWS:       write_good = (write_data != 32'd0) & (write_data <= ROWS_MOST);
      AT_STRIDE:     write_good = write_data <= KEYS_MOST;
      AT_GROUP:      write_good = (write_data[31:3] == 29'd0) & queue_room & ~abort_q;
      AT_ABORT:      write_good = write_data[31:1] == 31'd0;
      default:       write_good = write_limit & (write_data <= KEYS_MOST);
    endcase
  end
  wire   write_done   = write & write_whole & write_good;
  wire   queue        = write_done & (write_at == AT_GROUP);
  wire   clear        = write_done & (write_at == AT_CLEAR) & write_data[0];
  assign write_refuse = ~(write_whole & write_good);
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) abort_q <= 1'b0;
    else abort_q <= write_done & (write_at == AT_ABORT) & write_data[0];
  end
  assign drop_no = rst_ni & ~abort_q;

  // ---------------------------------------------------------------- registers
  reg [15:0]      scale_q;
  reg [RW-1:0]    base_q;
  reg [RW:0]      rows_q;
  reg [LW-1:0]    stride_q;
  reg [LW*NQ-1:0] limit_q;
  reg [3:0]       irq_status_q, irq_enable_q;
  reg             irq_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scale_q      <= 16'h3f80;
      base_q       <= {RW{1'b0}};
      rows_q       <= ROWS_MOST[RW:0];
      stride_q     <= ROWS_MOST[LW-1:0];
      irq_enable_q <= 4'd0;
    end else if (write_done) begin
      if (write_at == AT_SCALE) scale_q <= write_data[15:0];
      if (write_at == AT_BASE) base_q <= write_data[RW-1:0];
      if (write_at == AT_ROWS) rows_q <= write_data[RW:0];
      if (write_at == AT_STRIDE) stride_q <= write_data[LW-1:0];
      if (write_at == AT_IRQ_ENABLE) irq_enable_q <= write_data[3:0];
    end
  end

  genvar n;
  generate
    for (n = 0; n < NQ; n = n + 1) begin : g_limit
      localparam [7:0] QUERY = n[7:0];
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) limit_q[LW*n +: LW] <= KEYS_MOST[LW-1:0];
        else if (write_done & write_limit & (write_query == QUERY)) limit_q[LW*n +: LW] <= write_data[LW-1:0];
      end
    end
  endgenerate

  // ---------------------------------------------------------------- groups
  wire [2:0] queue_level;
  fifo #(
    .W    (GROUP_W),
    .DEPTH(WAITING)
  ) u_groups (
    .clk_i      (clk_i),
    .rst_ni     (drop_no),
    .in_valid_i (queue),
    .in_ready_o (queue_room),
    .in_data_i  ({scale_q, write_data[2:0], limit_q, stride_q, rows_q, base_q}),
    .out_valid_o(group_valid_o),
    .out_ready_i(group_ready_i),
    .out_data_o ({scale_o, group_carry_o, group_final_o, group_use_mask_o, group_limit_o, group_stride_o,
                  group_rows_o, group_base_o}),
    .level_o    (queue_level)
  );

  reg  [15:0] owed_q;                       // groups queued whose results have not been taken
  wire        last = result_i & (owed_q == 16'd1) & ~queue;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owed_q <= 16'd0;
    else if (abort_q) owed_q <= {15'd0, offer_i};
    else owed_q <= owed_q + {15'd0, queue} - {15'd0, result_i};
  end

  // ---------------------------------------------------------------- interrupt
  // What happens in the cycle in which it is cleared is not lost.
  wire [3:0] event_now   = {overwritten_i, (write & write_refuse) | (read & read_refuse), last, result_i};
  wire [3:0] event_clear = (write_done && write_at == AT_IRQ_STATUS) ? write_data[3:0] : 4'd0;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_status_q <= 4'd0;
      irq_q        <= 1'b0;
    end else begin
      irq_status_q <= (irq_status_q & ~event_clear) | event_now;
      irq_q        <= |(irq_status_q & irq_enable_q);
    end
  end
  assign irq_o = irq_q;

  // ---------------------------------------------------------------- counters; they wrap
  reg [31:0] cnt_keys_q, cnt_groups_q, cnt_results_q, cnt_busy_q, cnt_stalls_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {cnt_keys_q, cnt_groups_q, cnt_results_q, cnt_busy_q, cnt_stalls_q} <= 160'd0;
    else if (clear) {cnt_keys_q, cnt_groups_q, cnt_results_q, cnt_busy_q, cnt_stalls_q} <= 160'd0;
    else begin
      cnt_keys_q    <= cnt_keys_q + {31'd0, key_i};
      cnt_groups_q  <= cnt_groups_q + {31'd0, group_valid_o & group_ready_i};
      cnt_results_q <= cnt_results_q + {31'd0, result_i};
      cnt_busy_q    <= cnt_busy_q + {31'd0, owed_q != 16'd0};
      cnt_stalls_q  <= cnt_stalls_q + {31'd0, stall_i};
    end
  end

  // ---------------------------------------------------------------- what may be read
  localparam [31:0] DESIGN = (NQ << 24) | (P << 16) | (VARIANT << 8) | ARITHMETIC;
  localparam [31:0] HEAD_DIM = D;
  wire [7:0]       read_query = read_at - AT_LIMIT;
  wire             read_limit = (read_at >= AT_LIMIT) & (read_query < QUERIES);
  wire [LW*NQ-1:0] limit_at   = limit_q >> (LW * read_query);
  reg              read_good;
  always @* begin
    read_good = 1'b1;
    case (read_at)
      AT_VERSION:     read_data = VERSION;
      AT_DESIGN:      read_data = DESIGN;
      AT_HEAD_DIM:    read_data = HEAD_DIM;
      AT_KEYS:        read_data = KEYS_MOST;
      AT_STATUS:      read_data = {owed_q, 15'd0, queue_room};
      AT_IRQ_STATUS:  read_data = {28'd0, irq_status_q};
      AT_IRQ_ENABLE:  read_data = {28'd0, irq_enable_q};
      AT_SCALE:       read_data = {16'd0, scale_q};
      AT_BASE:        read_data = {{(32-RW){1'b0}}, base_q};
      AT_ROWS:        read_data = {{(31-RW){1'b0}}, rows_q};
      AT_STRIDE:      read_data = {{(32-LW){1'b0}}, stride_q};
      AT_CNT_KEYS:    read_data = cnt_keys_q;
      AT_CNT_GROUPS:  read_data = cnt_groups_q;
      AT_CNT_RESULTS: read_data = cnt_results_q;
      AT_CNT_BUSY:    read_data = cnt_busy_q;
      AT_CNT_STALLS:  read_data = cnt_stalls_q;
      default: begin
        read_good = read_limit;
        read_data = {{(32-LW){1'b0}}, limit_at[LW-1:0]};
      end
    endcase
  end
  assign read_refuse = ~read_good;
  wire   unused = &{1'b0, limit_at, queue_level};

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // What the bus does is proved of axi_lite_port, the queue of fifo.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // Results are of groups that have begun.
  assign f_begun_o = owed_q - {13'd0, queue_level};
  always @* if (f_run && result_i) `ASSUMED (f_begun_o != 16'd0);

  // Read-back: a register of either kind holds what was last written to it, and reads as that.
  (* anyconst *) wire [7:0] f_at;
  wire f_limit = f_at >= AT_LIMIT && f_at < AT_LIMIT + QUERIES;
  wire f_kept  = f_at == AT_SCALE || f_at == AT_BASE || f_at == AT_ROWS || f_at == AT_STRIDE ||
                 f_at == AT_IRQ_ENABLE || f_limit;
  reg        f_written_q;
  reg [31:0] f_value_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_written_q <= 1'b0;
    else if (write & ~write_refuse & (write_at == f_at)) f_written_q <= 1'b1;
  end
  always @(posedge clk_i) if (write & ~write_refuse & (write_at == f_at)) f_value_q <= write_data;
  wire [LW*NQ-1:0] f_limit_at = limit_q >> (LW * (f_at - AT_LIMIT));
  always @* if (f_run && f_kept) begin
    if (f_written_q && f_at == AT_SCALE) assert (f_value_q == scale_q);
    if (f_written_q && f_at == AT_BASE) assert (f_value_q == base_q);
    if (f_written_q && f_at == AT_ROWS) assert (f_value_q == rows_q);
    if (f_written_q && f_at == AT_STRIDE) assert (f_value_q == stride_q);
    if (f_written_q && f_at == AT_IRQ_ENABLE) assert (f_value_q == irq_enable_q);
    if (f_written_q && f_limit) assert (f_value_q == f_limit_at[LW-1:0]);
    if (f_written_q && read && read_at == f_at) assert (read_data == f_value_q && !read_refuse);
  end

  // What a group is queued with is legal; nothing is queued of a write that is refused.
  always @* if (f_run) begin
    assert (rows_q != 0 && rows_q <= ROWS_MOST && base_q < ROWS_MOST && stride_q <= KEYS_MOST);
    if (f_limit) assert (f_limit_at[LW-1:0] <= KEYS_MOST);
    if (queue) assert (queue_room && !write_refuse);
    if (write && write_at == AT_GROUP && write_refuse) assert (!queue);
    if (write && (write_at < AT_CLEAR || (write_at > AT_GROUP && write_at != AT_ABORT && !write_limit))) assert (write_refuse);
    if (write && !write_whole) assert (write_refuse);
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    // Refused: nothing changes that software wrote.
    if ($past(write && write_refuse)) begin
      assert (scale_q == $past(scale_q) && base_q == $past(base_q) && rows_q == $past(rows_q));
      assert (stride_q == $past(stride_q) && limit_q == $past(limit_q) && irq_enable_q == $past(irq_enable_q));
    end
    // Events stay until they are cleared.
    assert ((($past(irq_status_q) & ~$past(event_clear)) & ~irq_status_q) == 4'd0);
    assert (($past(event_now) & ~irq_status_q) == 4'd0);
    assert (irq_o == $past(|(irq_status_q & irq_enable_q)));
    if (!$past(abort_q)) assert (owed_q == $past(owed_q + {15'd0, queue} - {15'd0, result_i}));
    // Aborted in the cycle in which the write is answered: what is left is a result on offer.
    if ($past(write && write_at == AT_ABORT && write_whole && write_data == 32'd1)) assert (!drop_no);
    if (!drop_no) assert ($past(write && write_at == AT_ABORT && write_whole && write_data == 32'd1));
    if ($past(abort_q)) assert (owed_q == $past(offer_i) && !group_valid_o && queue_room);
    if ($past(clear)) assert (cnt_results_q == 0 && cnt_keys_q == 0 && cnt_groups_q == 0 && cnt_busy_q == 0 && cnt_stalls_q == 0);
    else assert (cnt_results_q == $past(cnt_results_q + {31'd0, result_i}));
`ifdef FORMAL_COVER
    cover (irq_o && $past(!irq_o));
    cover (write && write_at == AT_GROUP && write_whole && !queue_room && write_refuse);
    cover (f_written_q && f_limit && read && read_at == f_at);
`endif
  end
`endif
endmodule
`resetall
