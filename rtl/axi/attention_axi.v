// attention_axi: the attention engine on the buses of a chip: AXI4-Stream for what streams, AXI4-Lite for the rest.
//
//   s_axil_* --> [attention_registers] --> groups --+
//   s_axis_q ------> [x SCALE] --> [hold] ----------+--> [attention_engine] --> [split] --> m_axis_out
//   s_axis_carry ----------------> [join] ----------+          ^  ^
//   s_axis_mask -----------------> [fifo] ---------------------+  |
//   s_axis_kv ----------------------------------------------------+
//
// A group begins when it is at the head of the registers' queue and its beat of s_axis_q, and of s_axis_carry
// if it takes one, have come.  What software has to keep to is the engine's: rows in use are not written,
// and are free once the result of the last group that reads them is on offer.
// Data are in streams and what is the same for a group in registers: a mask is a beat a row, a carry some
// hundred words.  Bits are the engine's with SCALE 1.0; latency is two cycles more from s_axis_q, one of them
// before the engine and one behind it.
//
// ABORT drops all groups in the cycle in which its write is answered, for instance if a mask is short: the engine, its
// queue and what has come for groups are reset; rows, registers and a result that is on offer stay.
//
// No bus output depends on a bus input of the same cycle.  Streams of rows and queries are as wide as the engine; a
// narrower one takes a width converter, of which every AXI library has one.
//
// ARITHMETIC, VARIANT, D, P, NQ, N  as of attention_engine; NQ <= 128, P <= 255
// STREAM_W  bits of a beat of s_axis_carry and m_axis_out, in whole bytes: triplets and results then take several,
//           the lowest bits first.  0: one, of as many bytes as hold it and are a power of two
// A triplet has 17 (D+2) bits for each query: elements, l, m and poison.  The other TDATA have the width of what they
// carry, in whole bytes.  Bits above are ignored, or 0.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module attention_axi #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64,
  parameter P          = 4,
  parameter NQ         = 1,
  parameter N          = 1024,
  parameter STREAM_W   = 0
) (
  input  wire                       aclk,
  input  wire                       aresetn,         // active low, asserted asynchronously, released with the clock

  // AXI4-Lite: sw/hal/attention_registers.def
  input  wire                       s_axil_awvalid,
  output wire                       s_axil_awready,
  input  wire [9:0]                 s_axil_awaddr,
  input  wire                       s_axil_wvalid,
  output wire                       s_axil_wready,
  input  wire [31:0]                s_axil_wdata,
  input  wire [3:0]                 s_axil_wstrb,
  output wire                       s_axil_bvalid,
  input  wire                       s_axil_bready,
  output wire [1:0]                 s_axil_bresp,    // OKAY, or SLVERR of an access that is refused
  input  wire                       s_axil_arvalid,
  output wire                       s_axil_arready,
  input  wire [9:0]                 s_axil_araddr,
  output wire                       s_axil_rvalid,
  input  wire                       s_axil_rready,
  output wire [31:0]                s_axil_rdata,
  output wire [1:0]                 s_axil_rresp,
  output wire                       irq_o,           // level, active high

  // Keys and values, a row a beat, BF16: {value, key}, element i of each from bit 16 i on.  Always taken.
  input  wire                       s_axis_kv_tvalid,
  output wire                       s_axis_kv_tready,
  input  wire [32*D-1:0]            s_axis_kv_tdata,
  input  wire [$clog2(P > 1 ? P : 2)+$clog2(N/P > 1 ? N/P : 2)-1:0]  s_axis_kv_tuser,     // {block, row}

  // Queries, a group a beat, BF16: element i of query n from bit 16 (D n + i) on
  input  wire                       s_axis_q_tvalid,
  output wire                       s_axis_q_tready,
  input  wire [16*D*NQ-1:0]         s_axis_q_tdata,

  // Mask, a row of a group that takes one a beat: bit b + P n: the key of block b takes part for query n
  input  wire                       s_axis_mask_tvalid,
  output wire                       s_axis_mask_tready,
  input  wire [(P*NQ+7)/8*8-1:0]         s_axis_mask_tdata,

  // Carry, one for each group that takes one: beats as of m_axis_out that are no result
  input  wire                       s_axis_carry_tvalid,
  output wire                       s_axis_carry_tready,
  input  wire [(STREAM_W == 0 ? 8 << $clog2((17*(D+2)*NQ+7)/8) : STREAM_W)-1:0]  s_axis_carry_tdata,

  // Results, a packet a group, in the order of groups: {0, poison, m, elements}, of each the NQ queries',
  // query 0 lowest: NQ bits, 16 NQ, 17 (D+1) NQ.  Of a group that divides, BF16 in place of elements, packed
  // as queries are, and TKEEP, and beats, of these bytes alone
  output wire                       m_axis_out_tvalid,
  input  wire                       m_axis_out_tready,
  output wire [(STREAM_W == 0 ? 8 << $clog2((17*(D+2)*NQ+7)/8) : STREAM_W)-1:0]  m_axis_out_tdata,
  output wire [(STREAM_W == 0 ? 8 << $clog2((17*(D+2)*NQ+7)/8) : STREAM_W)/8-1:0]  m_axis_out_tkeep,
  output wire                       m_axis_out_tlast,
  output wire                       m_axis_out_tuser     // the group divides
);
  `PARAMETER(NQ_must_be_1_to_128, NQ >= 1 && NQ <= 128)
  `PARAMETER(STREAM_W_must_be_a_multiple_of_8, STREAM_W >= 0 && STREAM_W % 8 == 0)
  localparam BW = $clog2(P > 1 ? P : 2);
  localparam RW = $clog2(N/P > 1 ? N/P : 2);
  localparam LW = $clog2(N+1);
  localparam MASK_BYTES    = (P*NQ + 7) / 8;
  localparam TRIPLET_BITS  = 17 * (D+2) * NQ;
  localparam TRIPLET_BYTES = (TRIPLET_BITS + 7) / 8;
  localparam EW = 17 * (D + 1);             // elements of a triplet
  localparam OW = 16 * D * NQ;              // results
  localparam BEAT_W        = STREAM_W == 0 ? 8 << $clog2(TRIPLET_BYTES) : STREAM_W;
  localparam BEAT_BYTES    = BEAT_W / 8;
  localparam [31:0] TRIPLET_MORE = (TRIPLET_BYTES - 1) / BEAT_BYTES;    // beats after the first
  localparam [31:0] RESULT_MORE  = (2*D*NQ - 1) / BEAT_BYTES;

  // ---------------------------------------------------------------- registers
  wire             group_valid, group_ready;
  wire [RW-1:0]    group_base;
  wire [RW:0]      group_rows;
  wire [LW-1:0]    group_stride;
  wire [LW*NQ-1:0] group_limit;
  wire             group_use_mask, group_final, group_carry;
  wire [15:0]      scale;
  wire             drop_n;                  // a reset, or ABORT was written: groups and what came for them are dropped
  wire             kv_valid = s_axis_kv_tvalid;
  wire             overwritten;
  wire             out_take = m_axis_out_tvalid & m_axis_out_tready & m_axis_out_tlast;
`ifdef FORMAL
  wire [15:0]      f_owed;                  // results, by the registers
  wire [6:0]       f_inside;                // groups, by the engine
`endif
  attention_registers #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT),
    .D         (D),
    .P         (P),
    .NQ        (NQ),
    .N         (N)
  ) u_registers (
    .clk_i           (aclk),
    .rst_ni          (aresetn),
    .awvalid_i       (s_axil_awvalid),
    .awready_o       (s_axil_awready),
    .awaddr_i        (s_axil_awaddr),
    .wvalid_i        (s_axil_wvalid),
    .wready_o        (s_axil_wready),
    .wdata_i         (s_axil_wdata),
    .wstrb_i         (s_axil_wstrb),
    .bvalid_o        (s_axil_bvalid),
    .bready_i        (s_axil_bready),
    .bresp_o         (s_axil_bresp),
    .arvalid_i       (s_axil_arvalid),
    .arready_o       (s_axil_arready),
    .araddr_i        (s_axil_araddr),
    .rvalid_o        (s_axil_rvalid),
    .rready_i        (s_axil_rready),
    .rdata_o         (s_axil_rdata),
    .rresp_o         (s_axil_rresp),
    .irq_o           (irq_o),
    .group_valid_o   (group_valid),
    .group_ready_i   (group_ready),
    .group_base_o    (group_base),
    .group_rows_o    (group_rows),
    .group_stride_o  (group_stride),
    .group_limit_o   (group_limit),
    .group_use_mask_o(group_use_mask),
    .group_final_o   (group_final),
    .group_carry_o   (group_carry),
    .scale_o         (scale),
    .drop_no         (drop_n),
    .key_i           (kv_valid),
    .overwritten_i   (overwritten),
    .result_i        (out_take),
    .offer_i         (m_axis_out_tvalid & ~out_take),
    .stall_i         (m_axis_out_tvalid & ~m_axis_out_tready)
`ifdef FORMAL
    , .f_begun_o(f_owed)
`endif
  );

  // ---------------------------------------------------------------- queries, carry, mask
  wire          begins;                     // the engine takes a group
  wire          q_valid, carry_valid;
  wire [OW-1:0] query, scaled;
  stream_hold #(.W(OW)) u_query (
    .clk_i      (aclk),
    .rst_ni     (drop_n),
    .in_valid_i (s_axis_q_tvalid),
    .in_ready_o (s_axis_q_tready),
    .in_data_i  (s_axis_q_tdata),
    .out_valid_o(q_valid),
    .out_ready_i(begins),
    .out_data_o (query)
  );
  wire unscaled = scale == 16'h3f80;        // 1.0: bit for bit, NaNs and subnormals, too
  genvar i;
  generate
    for (i = 0; i < D * NQ; i = i + 1) begin : g_scale
      wire [15:0] product;
      bf16_mul u_mul (
        .a_i(query[16*i +: 16]),
        .b_i(scale),
        .y_o(product)
      );
      assign scaled[16*i +: 16] = unscaled ? query[16*i +: 16] : product;
    end
  endgenerate

  wire [TRIPLET_BITS-1:0] carry;
  stream_join #(
    .W     (TRIPLET_BITS),
    .BEAT_W(BEAT_W)
  ) u_carry (
    .clk_i      (aclk),
    .rst_ni     (drop_n),
    .in_valid_i (s_axis_carry_tvalid),
    .in_ready_o (s_axis_carry_tready),
    .in_data_i  (s_axis_carry_tdata),
    .out_valid_o(carry_valid),
    .out_ready_i(begins & group_carry),
    .out_data_o (carry)
  );

  wire            mask_valid, mask_ready;
  wire [P*NQ-1:0] mask;
  wire [1:0]      mask_level;
  fifo #(
    .W    (P*NQ),
    .DEPTH(2)
  ) u_mask (
    .clk_i      (aclk),
    .rst_ni     (drop_n),
    .in_valid_i (s_axis_mask_tvalid),
    .in_ready_o (s_axis_mask_tready),
    .in_data_i  (s_axis_mask_tdata[P*NQ-1:0]),
    .out_valid_o(mask_valid),
    .out_ready_i(mask_ready),
    .out_data_o (mask),
    .level_o    (mask_level)
  );

  wire unused_level = &{1'b0, mask_level};
  generate
    if (8*MASK_BYTES > P*NQ) begin : g_mask_rest
      wire unused = &{1'b0, s_axis_mask_tdata[8*MASK_BYTES-1:P*NQ]};
    end
  endgenerate

  // ---------------------------------------------------------------- the engine
  wire             begin_ready;
  wire             begin_valid = group_valid & q_valid & (carry_valid | ~group_carry);
  wire             out_valid, out_ready, out_final;
  wire [16*NQ-1:0] out_m;
  wire [NQ-1:0]    out_poison;
  wire [EW*NQ-1:0] out_o;
  assign begins      = begin_valid & begin_ready;
  assign group_ready = begins;
  assign s_axis_kv_tready = 1'b1;
  attention_engine #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT),
    .D         (D),
    .P         (P),
    .NQ        (NQ),
    .N         (N)
  ) u_engine (
    .clk_i         (aclk),
    .rst_ni        (drop_n),
    .kv_valid_i    (kv_valid),
    .kv_block_i    (s_axis_kv_tuser[RW +: BW]),
    .kv_row_i      (s_axis_kv_tuser[RW-1:0]),
    .kv_k_i        (s_axis_kv_tdata[16*D-1:0]),
    .kv_v_i        (s_axis_kv_tdata[16*D +: 16*D]),
    .q_valid_i     (begin_valid),
    .q_ready_o     (begin_ready),
    .q_i           (scaled),
    .q_base_i      (group_base),
    .q_rows_i      (group_rows),
    .q_stride_i    (group_stride),
    .q_limit_i     (group_limit),
    .q_use_mask_i  (group_use_mask),
    .q_final_i     (group_final),
    .q_carry_i     (group_carry),
    .carry_m_i     (carry[EW*NQ +: 16*NQ]),
    .carry_o_i     (carry[EW*NQ-1:0]),
    .carry_poison_i(carry[(EW+16)*NQ +: NQ]),
    .mask_valid_i  (mask_valid),
    .mask_ready_o  (mask_ready),
    .mask_i        (mask),
    .out_valid_o   (out_valid),
    .out_ready_i   (out_ready),
    .out_final_o   (out_final),
    .out_m_o       (out_m),
    .out_poison_o  (out_poison),
    .out_o_o       (out_o),
    .overwritten_o (overwritten)
`ifdef FORMAL
    , .f_inside_o(f_inside)
`endif
  );

  // ---------------------------------------------------------------- results
  wire [OW-1:0] packed_o;                   // what a division leaves, without the gaps between elements
  generate
    for (i = 0; i < D * NQ; i = i + 1) begin : g_pack
      assign packed_o[16*i +: 16] = out_o[EW*(i/D) + 17*(1 + i%D) +: 16];
    end
  endgenerate
  wire [EW*NQ-1:0] elements = out_final ? {{(EW*NQ-OW){1'b0}}, packed_o} : out_o;
  stream_split #(
    .W     (TRIPLET_BITS),
    .BEAT_W(BEAT_W)
  ) u_out (
    .clk_i      (aclk),
    .rst_ni     (aresetn),
    .in_valid_i (out_valid),
    .in_ready_o (out_ready),
    .in_data_i  ({out_poison, out_m, elements}),
    .in_more_i  (out_final ? RESULT_MORE : TRIPLET_MORE),
    .out_valid_o(m_axis_out_tvalid),
    .out_ready_i(m_axis_out_tready),
    .out_data_o (m_axis_out_tdata),
    .out_last_o (m_axis_out_tlast)
  );
  reg final_q;                              // of the result on offer
  always @(posedge aclk) if (out_valid & out_ready) final_q <= out_final;
  assign m_axis_out_tuser = final_q;
  localparam [BEAT_BYTES-1:0] ALL_BYTES     = {BEAT_BYTES{1'b1}};
  localparam [BEAT_BYTES-1:0] TRIPLET_BYTES_LAST = ALL_BYTES >> (BEAT_BYTES * (TRIPLET_MORE+1) - TRIPLET_BYTES);
  localparam [BEAT_BYTES-1:0] RESULT_BYTES_LAST  = ALL_BYTES >> (BEAT_BYTES * (RESULT_MORE+1) - 2*D*NQ);
  assign m_axis_out_tkeep = ~m_axis_out_tlast ? ALL_BYTES : final_q ? RESULT_BYTES_LAST : TRIPLET_BYTES_LAST;

  // ---------------------------------------------------------------- the contract
  wire clk_i  = aclk;                     // as assert.vh has it
  wire rst_ni = aresetn;
  wire unused_clock = &{1'b0, clk_i, rst_ni};
  `ASSUME_STABLE(query_is_held, s_axis_q_tvalid, s_axis_q_tready, OW, s_axis_q_tdata)
  `ASSUME_STABLE(carry_is_held, s_axis_carry_tvalid, s_axis_carry_tready, BEAT_W, s_axis_carry_tdata)
  `ASSUME_STABLE(mask_is_held, s_axis_mask_tvalid, s_axis_mask_tready, P*NQ, s_axis_mask_tdata[P*NQ-1:0])
  `ASSERT_STABLE(result_is_held, m_axis_out_tvalid, m_axis_out_tready, BEAT_W + 2,
    {m_axis_out_tuser, m_axis_out_tlast, m_axis_out_tdata})

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // The engine is a stand-in (tb/formal/axi/attention_engine.v) that begins groups and answers as it likes.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(aclk), .rst_ni(aresetn), .run_o(f_run), .ran_o(f_ran));

  // What the engine is offered stays, though it comes from four places.
  wire [OW+LW*NQ+RW+2:0] f_group = {query, group_limit, group_base, group_use_mask, group_final, group_carry};
  always @(posedge aclk) if (f_run && f_ran && drop_n && $past(drop_n && begin_valid && !begin_ready)) begin
    assert (begin_valid && f_group == $past(f_group));
  end

  // No beat is lost or invented: of each stream, taken from the bus is taken by the engine and what is held.
  // Every group has one descriptor, one beat of queries and, if it says so, one of carry.
  reg [3:0] f_q_q, f_carry_q, f_begun_q, f_carried_q, f_done_q, f_out_q;
  always @(posedge aclk or negedge aresetn) begin
    if (!aresetn) {f_done_q, f_out_q} <= 8'd0;
    else begin
      f_done_q    <= f_done_q + {3'd0, out_valid & out_ready};
      f_out_q     <= f_out_q + {3'd0, out_take};
    end
  end
  always @(posedge aclk or negedge drop_n) begin
    if (!drop_n) {f_q_q, f_carry_q, f_begun_q, f_carried_q} <= 16'd0;
    else begin
      f_q_q       <= f_q_q + {3'd0, s_axis_q_tvalid & s_axis_q_tready};
      f_carry_q   <= f_carry_q + {3'd0, s_axis_carry_tvalid & s_axis_carry_tready};
      f_begun_q   <= f_begun_q + {3'd0, begin_valid & begin_ready};
      f_carried_q <= f_carried_q + {3'd0, begin_valid & begin_ready & group_carry};
    end
  end
  wire [3:0] f_q_held     = f_q_q - f_begun_q;
  wire [3:0] f_carry_held = f_carry_q - f_carried_q;
  wire [3:0] f_out_held   = f_done_q - f_out_q;
  always @* if (f_run) begin
    assert (f_q_held == {3'd0, q_valid});
    assert (f_carry_held == {3'd0, carry_valid});
    assert (f_out_held == {3'd0, m_axis_out_tvalid});
    if (drop_n) assert (f_owed == {9'd0, f_inside} + {15'd0, m_axis_out_tvalid});
    if (m_axis_out_tvalid) assert (f_owed != 16'd0);
    if (begin_valid && begin_ready) assert (group_valid && q_valid && (!group_carry || carry_valid));
  end
  // Dropped: a result that is on offer stays, and nothing else.
  always @(posedge aclk) if (f_run && f_ran && $past(!drop_n)) begin
    assert (!group_valid && !q_valid && !carry_valid && !mask_valid && f_inside == 7'd0);
    assert (m_axis_out_tvalid == $past(m_axis_out_tvalid && !m_axis_out_tready) && f_owed == {15'd0, m_axis_out_tvalid});
  end
  reg [OW-1:0] f_query_q;
  always @(posedge aclk) if (s_axis_q_tvalid && s_axis_q_tready) f_query_q <= s_axis_q_tdata;
  always @* if (f_run && q_valid) assert (query == f_query_q);
  always @(posedge aclk) if (f_run && f_ran && $past(out_valid && out_ready)) begin
    assert (m_axis_out_tuser == $past(out_final));
    if ($past(!out_final)) assert (m_axis_out_tdata[TRIPLET_BITS-1:0] == $past({out_poison, out_m, out_o}));
    if ($past(out_final)) assert (m_axis_out_tdata[OW-1:0] == $past(packed_o));
  end
  always @(posedge aclk) if (f_run && f_ran) begin
    cover (f_carried_q == 1 && f_begun_q == 2);
    cover ($past(!drop_n) && m_axis_out_tvalid);
    cover (m_axis_out_tvalid && m_axis_out_tuser && out_valid);
  end
`endif
endmodule
`resetall
