// gm_axi: the atomic unit of a global memory slice behind AXI: write bursts become its beats, read bursts read beside it.
//
//   AW --> [fifo] --> address, operation --+
//   W  ------------------------------------+--> [gm_atomic] --> B, of a burst's last beat
//                                                  |  ^
//                                                 memory
//                                                  |  ^
//   AR --> [gm_axi_read] --> R                     +--+
//
// Each beat of W is a request to gm_atomic, in the order of AW; a burst is answered when its last beat has
// written.  Write bursts are answered in order, and read bursts are, of one ID and of several.
//
// Which operation (sw/hal/gm_ops.def)
//   AWATOP   AWUSER
//   0        0 STORE, 1 ADD_F32, 2 ADD_S32, 3 ADD_S32_RAW: every beat of a burst; the length is not looked at
//   0        4 RESCALE: one beat, lane 0 the integer; AWUSER above bit 2 is the length in beats of memory, whose
//            last one WSTRB masks
//   010000   AtomicStore ADD, little-endian, of AXI5: four bytes, AWUSER 0: ADD_S32_RAW of one lane
// AXI5 has nothing for the rest: its atomics are of one integer of at most 8 bytes, without floating point,
// guards, lanes or rows.  Its AtomicStores but ADD would need an ALU that is not here, AtomicLoad, AtomicSwap
// and AtomicCompare that data go back through R.
//
// Errors of writes: nothing of such a beat is written, and all others of the burst are.  The first that fits counts:
//   DECERR   AWADDR, a byte that the burst reaches by AXI's rules for its type, or one that a RESCALE walks, lies outside of
//            the slice: no beat of it is written
//   SLVERR   AXI has no such burst (AWSIZE above the bus, type and length that do not go together, a burst over a 4 kB
//            boundary); a RESCALE over one, since it passes whatever guards its address; no such operation; a RESCALE
//            or atomic of more than one beat; several beats that are narrow or do not go up (FIXED, WRAP); an atomic
//            that is not one aligned word, or with a length: no beat of it is written
//   SLVERR   WSTRB that covers a part of a lane: that beat; WLAST that does not go with AWLEN: only told
// Of a single beat the type is not looked at.  WSTRB alone says which lanes take part.
//
// Reads and writes
//  - A read sees each write that was answered (BVALID) before the cycle in which its address was taken.  Of others it
//    sees a beat whole or not at all, and never less than an earlier read of that beat.
//  - Requests of the atomic unit have the memory's read port first.  A read that waits for it, or for a beat of its
//    address that is just being written, holds back the next W beat, once for each one taken: so it waits at most for the
//    beats that the unit has by then, a RESCALE's included, and writes wait at most as long.  Without reads nothing waits.
//
// A beat a cycle, one cycle more than gm_atomic.  No output depends on an input of the same cycle.
//
// LANES   32-bit words in a beat: 2, 4 .. 32  AXI_W  width of an address in bytes, > ADDR_W + $clog2(4 LANES)
// ID_W    width of an ID, >= 1                ADDR_W, LEN_W, CNT_W, ALU_STAGES  as of gm_atomic; LEN_W <= ADDR_W
// PAGE    4096, AXI's boundary; smaller in proofs only
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_axi #(
  parameter LANES      = 16,
  parameter ADDR_W     = 26,
  parameter AXI_W      = 40,
  parameter ID_W       = 8,
  parameter LEN_W      = 10,
  parameter CNT_W      = 32,
  parameter ALU_STAGES = 4,
  parameter PAGE       = 4096
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

  // Memory, synchronous, never stalls: as of gm_atomic
  output wire                mem_re_o,
  output wire [ADDR_W-1:0]   mem_raddr_o,      // in beats
  input  wire [32*LANES-1:0] mem_rdata_i,
  output wire                mem_we_o,
  output wire [ADDR_W-1:0]   mem_waddr_o,
  output wire [32*LANES-1:0] mem_wdata_o,
  output wire [LANES-1:0]    mem_wmask_o,

  // Status: as of gm_atomic; beats of error are no writes
  output wire                guard_zero_o,
  output wire                guard_special_o,
  output wire                guard_underflow_o,
  output wire                guard_overflow_o,
  output wire [CNT_W-1:0]    cnt_beats_o,
  output wire [CNT_W-1:0]    cnt_guards_o,
  output wire [CNT_W-1:0]    cnt_stalls_o
);
  `PARAMETER(LANES_must_be_2_4_8_16_or_32, LANES == 2 || LANES == 4 || LANES == 8 || LANES == 16 || LANES == 32)
  `PARAMETER(ID_W_must_be_at_least_1, ID_W >= 1)
  `PARAMETER(AXI_W_must_be_more_than_the_memory_has, AXI_W > ADDR_W + $clog2(4*LANES))
  `PARAMETER(LEN_W_must_be_at_most_ADDR_W, LEN_W <= ADDR_W)
  `PARAMETER(PAGE_must_be_a_power_of_two_of_a_beat_or_more, PAGE >= 4*LANES && (PAGE & (PAGE - 1)) == 0)
  localparam LANE_W = $clog2(LANES);
  localparam SHIFT  = LANE_W + 2;          // of a beat's address
  localparam PAGE_W = $clog2(PAGE);
  localparam AW_W   = ID_W + AXI_W + 8 + 3 + 2 + 6 + LEN_W + 3;
  localparam SPAN_W = AXI_W > 15 ? AXI_W + 1 : 16;
  localparam [2:0] BEAT_SIZE     = SHIFT[2:0];
  localparam [2:0] WORD_SIZE     = 3'd2;
  localparam [2:0] OP_RESCALE    = 3'd4;   // the highest legal code
  localparam [2:0] OP_RAW        = 3'd3;
  localparam [2:0] OP_NONE       = 3'd7;   // answered, writes nothing
  localparam [1:0] BURST_INCR    = 2'd1;
  localparam [5:0] ATOP_ADD      = 6'b010000;
  localparam [1:0] OKAY = 2'd0, SLVERR = 2'd2, DECERR = 2'd3;

  // ---------------------------------------------------------------- the burst at hand
  wire              aw_valid, aw_take;
  wire [1:0]        aw_level;
`ifdef FORMAL
  wire [2*AW_W-1:0] f_aws;                 // the burst at hand and the one behind it
`endif
  wire [ID_W-1:0]   id;
  wire [AXI_W-1:0]  address;
  wire [7:0]        len;
  wire [2:0]        size;
  wire [1:0]        burst;
  wire [5:0]        atop;
  wire [LEN_W-1:0]  walk;
  wire [2:0]        op;
  wire [AW_W-1:0]   burst_in = {s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awatop,
                                s_axi_awuser};
  fifo #(
    .W    (AW_W),
    .DEPTH(2)
  ) u_aw (
    .clk_i      (aclk),
    .rst_ni     (aresetn),
    .in_valid_i (s_axi_awvalid),
    .in_ready_o (s_axi_awready),
    .in_data_i  (burst_in),
    .out_valid_o(aw_valid),
    .out_ready_i(aw_take),
    .out_data_o ({id, address, len, size, burst, atop, walk, op}),
    .level_o    (aw_level)
`ifdef FORMAL
    , .f_words_o(f_aws)
`endif
  );

  wire              formed, crosses;
  wire [SPAN_W-1:0] end_at;                // the last byte of the burst
  axi_burst #(
    .AXI_W(AXI_W),
    .BEAT (4*LANES),
    .PAGE (PAGE)
  ) u_burst (
    .address_i(address),
    .len_i    (len),
    .size_i   (size),
    .burst_i  (burst),
    .formed_o (formed),
    .crosses_o(crosses),
    .last_o   (end_at)
  );
  wire              rescale = op == OP_RESCALE;
  wire              atomic  = atop != 6'd0;
  wire              single  = len == 8'd0;
  wire [ADDR_W-1:0] first   = address[SHIFT +: ADDR_W];
  wire [LEN_W-1:0]  walked  = walk == {LEN_W{1'b0}} ? walk : walk - {{(LEN_W-1){1'b0}}, 1'b1};
  wire [ADDR_W:0]   walk_at = {1'b0, first} + {{(ADDR_W+1-LEN_W){1'b0}}, walked};    // its last beat
  wire              walks   = rescale & single & ~atomic;
  wire              astray  = (({1'b0, first} ^ walk_at) >> (PAGE_W - SHIFT)) != {(ADDR_W+1){1'b0}};
  wire              outside = (|address[AXI_W-1:SHIFT+ADDR_W]) | (formed & (|end_at[SPAN_W-1:SHIFT+ADDR_W])) |
                              (formed & walks & walk_at[ADDR_W]);
  wire              shaped  = formed & ~crosses & (single | ((burst == BURST_INCR) & (size == BEAT_SIZE)));
  wire              word    = single & (size == WORD_SIZE) & (address[1:0] == 2'd0);
  wire              known   = atomic ? (atop == ATOP_ADD) & (op == 3'd0) & (walk == {LEN_W{1'b0}}) & word
                                     : rescale ? single & ~astray : op < OP_RESCALE;
  wire [1:0]        wrong   = outside ? DECERR : (shaped & known) ? OKAY : SLVERR;

  // ---------------------------------------------------------------- the beat at hand
  reg  [7:0]        beat_q;                // its number in the burst
  reg  [1:0]        error_q;               // of the beats before it
  wire              last     = beat_q == len;
  wire [ADDR_W+8:0] place    = {9'd0, first} + {{(ADDR_W+1){1'b0}}, beat_q};
  wire              req_ready;
  wire              take     = s_axi_wvalid & s_axi_wready;
  reg  [LANES-1:0]  mask;
  reg               partial;
  integer           i;
  always @* begin
    partial = 1'b0;
    for (i = 0; i < LANES; i = i + 1) begin
      mask[i] = &s_axi_wstrb[4*i +: 4];
      partial = partial | ((|s_axi_wstrb[4*i +: 4]) & ~mask[i]);
    end
  end
  wire [LANE_W-1:0] lane     = address[SHIFT-1:2];
  wire              elsewhere = atomic & (mask != ({{(LANES-1){1'b0}}, 1'b1} << lane));
  wire              bad      = (wrong != OKAY) | partial | elsewhere;
  wire [1:0]        error    = error_q | wrong | {partial | elsewhere | (s_axi_wlast != last), 1'b0};

  reg               held_back_q;           // no W beat is taken until a read has been (below)
  assign s_axi_wready = aw_valid & req_ready & ~held_back_q;
  assign aw_take        = take & last;

  always @(posedge aclk or negedge aresetn) begin
    if (!aresetn) begin
      beat_q  <= 8'd0;
      error_q <= OKAY;
    end else if (take) begin
      beat_q  <= last ? 8'd0 : beat_q + 8'd1;
      error_q <= last ? OKAY : error;
    end
  end

  wire [2:0]        req_op   = bad ? OP_NONE : atomic ? OP_RAW : op;

  // ---------------------------------------------------------------- the unit; its tag is the answer
`ifdef FORMAL
  wire [1:0]          f_level;            // of the stand-in: how much is on its way, and what
  wire [3*ID_W+8:0]   f_tags;
  wire                f_pop, f_offered;   // an answer leaves it; one was offered and not taken
  wire [4:0]          f_take_wait, f_answer_wait, f_busy;
`endif
  wire              rsp_valid, rsp_last;
  wire              offered = s_axi_wvalid & aw_valid & ~held_back_q;
  wire              unit_re;
  wire [ADDR_W-1:0] unit_raddr;
  gm_atomic #(
    .LANES     (LANES),
    .ADDR_W    (ADDR_W),
    .LEN_W     (LEN_W),
    .TAG_W     (ID_W + 3),
    .CNT_W     (CNT_W),
    .ALU_STAGES(ALU_STAGES)
  ) u_atomic (
    .clk_i            (aclk),
    .rst_ni           (aresetn),
    .clear_i          (clear_i),
    .req_valid_i      (offered),
    .req_ready_o      (req_ready),
    .req_op_i         (req_op),
    .req_addr_i       (place[ADDR_W-1:0]),
    .req_data_i       (s_axi_wdata),
    .req_mask_i       (mask),
    .req_len_i        (walk),
    .req_tag_i        ({last, error, id}),
    .rsp_valid_o      (rsp_valid),
    .rsp_ready_i      (s_axi_bready | ~rsp_last),
    .rsp_tag_o        ({rsp_last, s_axi_bresp, s_axi_bid}),
    .mem_re_o         (unit_re),
    .mem_raddr_o      (unit_raddr),
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
`ifdef FORMAL
    , .f_level_o(f_level), .f_tags_o(f_tags), .f_pop_o(f_pop), .f_offered_o(f_offered)
    , .f_take_wait_o(f_take_wait), .f_answer_wait_o(f_answer_wait), .f_busy_o(f_busy)
`endif
  );
  assign s_axi_bvalid = rsp_valid & rsp_last;

  // ---------------------------------------------------------------- reads, and whose turn it is
  wire              want;
  wire [ADDR_W-1:0] want_addr;
  wire              free = ~unit_re & ~(mem_we_o & (mem_waddr_o == want_addr));
  gm_axi_read #(
    .LANES (LANES),
    .ADDR_W(ADDR_W),
    .AXI_W (AXI_W),
    .ID_W  (ID_W),
    .PAGE  (PAGE)
  ) u_read (
    .clk_i      (aclk),
    .rst_ni     (aresetn),
    .arvalid_i  (s_axi_arvalid),
    .arready_o  (s_axi_arready),
    .arid_i     (s_axi_arid),
    .araddr_i   (s_axi_araddr),
    .arlen_i    (s_axi_arlen),
    .arsize_i   (s_axi_arsize),
    .arburst_i  (s_axi_arburst),
    .rvalid_o   (s_axi_rvalid),
    .rready_i   (s_axi_rready),
    .rid_o      (s_axi_rid),
    .rdata_o    (s_axi_rdata),
    .rresp_o    (s_axi_rresp),
    .rlast_o    (s_axi_rlast),
    .want_o     (want),
    .addr_o     (want_addr),
    .go_i       (free),
    .mem_rdata_i(mem_rdata_i)
  );
  assign mem_re_o    = unit_re | (want & free);
  assign mem_raddr_o = unit_re ? unit_raddr : want_addr;

  // A beat that is offered stays on offer: none is held back that the unit has seen.
  always @(posedge aclk or negedge aresetn) begin
    if (!aresetn) held_back_q <= 1'b0;
    else held_back_q <= want & ~free & (held_back_q | ~offered | req_ready);
  end
  wire unused = &{1'b0, aw_level, end_at, place[ADDR_W+8:ADDR_W]};    // of places, those outside: their beats are errors

  // ---------------------------------------------------------------- the contract
  wire clk_i  = aclk;                    // as assert.vh has it
  wire rst_ni = aresetn;
  wire unused_clock = &{1'b0, clk_i, rst_ni};
  `ASSUME_STABLE(address_is_held, s_axi_awvalid, s_axi_awready, AW_W, burst_in)
  `ASSUME_STABLE(read_address_is_held, s_axi_arvalid, s_axi_arready, AXI_W + ID_W + 13,
    {s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst})
  `ASSUME_STABLE(data_are_held, s_axi_wvalid, s_axi_wready, 36*LANES + 1, {s_axi_wlast, s_axi_wstrb, s_axi_wdata})
  `ASSERT(no_read_of_what_is_written, !(mem_re_o && mem_we_o && mem_raddr_o == mem_waddr_o))
  `ASSERT_STABLE(answer_is_held, s_axi_bvalid, s_axi_bready, ID_W + 2, {s_axi_bid, s_axi_bresp})

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // gm_atomic is a stand-in (tb/formal/axi/gm_atomic.v) that answers requests in order, when it likes.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(aclk), .rst_ni(aresetn), .run_o(f_run), .ran_o(f_ran));

`ifndef LIVE
  // Follow any one burst, by its number: its address as it came in, its beats as they are asked of the
  // unit, its answer.  Bursts and answers are counted on the bus alone.
  (* anyconst *) wire [2:0] f_number;
  reg  [2:0]       f_aw_q, f_w_q, f_b_q;   // bursts taken, complete, answered
  reg  [7:0]       f_beat_q;               // beats of the present one
  wire             f_req  = s_axi_wvalid & s_axi_wready;
  always @(posedge aclk or negedge aresetn) begin
    if (!aresetn) begin
      {f_aw_q, f_w_q, f_b_q} <= 9'd0;
      f_beat_q <= 8'd0;
    end else begin
      f_aw_q <= f_aw_q + {2'd0, s_axi_awvalid & s_axi_awready};
      f_b_q  <= f_b_q + {2'd0, s_axi_bvalid & s_axi_bready};
      if (f_req) begin
        f_w_q    <= f_w_q + {2'd0, f_beat_q == f_len_q};
        f_beat_q <= f_beat_q == f_len_q ? 8'd0 : f_beat_q + 8'd1;
      end
    end
  end
  reg  [63:0]      f_lens_q;               // of all bursts, eight bits each
  wire [7:0]       f_len_q = f_lens_q[{f_w_q, 3'd0} +: 8];
  reg  [ID_W-1:0]  f_id_q;
  reg  [AXI_W-1:0] f_address_q;
  reg  [2:0]       f_op_q;
  reg  [5:0]       f_atop_q;
  reg  [7:0]       f_own_len_q;
  reg  [2:0]       f_size_q;
  reg  [1:0]       f_burst_q;
  reg  [LEN_W-1:0] f_walk_q;
  reg  [1:0]       f_error_q;              // of its beats so far
  always @(posedge aclk) if (s_axi_awvalid & s_axi_awready) begin
    f_lens_q[{f_aw_q, 3'd0} +: 8] <= s_axi_awlen;
    if (f_aw_q == f_number) begin
      f_id_q      <= s_axi_awid;
      f_address_q <= s_axi_awaddr;
      f_own_len_q   <= s_axi_awlen;
      f_size_q    <= s_axi_awsize;
      f_burst_q   <= s_axi_awburst;
      f_walk_q    <= s_axi_awuser[3 +: LEN_W];
      f_op_q      <= s_axi_awuser[2:0];
      f_atop_q    <= s_axi_awatop;
    end
  end
  wire [2:0]       f_open = f_aw_q - f_b_q;
  wire f_mine = f_req && f_w_q == f_number;

  // What has to become of the burst and of its beat, said apart from the above.
  wire [1:0]   f_plain;                    // of a plain burst
  wire [31:0]  f_at;
  axi_rules #(.BEAT(4*LANES), .SLICE(4*LANES << ADDR_W), .PAGE(PAGE)) u_f_rules (
    .address_i({{(32-AXI_W){1'b0}}, f_address_q}), .len_i(f_own_len_q), .size_i(f_size_q), .burst_i(f_burst_q),
    .index_i(f_beat_q), .response_o(f_plain), .at_o(f_at));
  wire [31:0]  f_beats      = f_op_q == OP_RESCALE && f_walk_q > 1 ? f_walk_q : 1;
  wire [31:0]  f_walk_first = f_address_q / (4*LANES), f_walk_last = f_walk_first + f_beats - 1;
  wire         f_rescales   = f_atop_q == 0 && f_op_q == OP_RESCALE && f_own_len_q == 0;
  reg  [1:0]   f_whole;
  always @* begin
    f_whole = f_plain;
    if (f_plain == OKAY) begin
      if (f_atop_q != 0) begin
        if (f_atop_q != 6'h10 || f_op_q != 0 || f_walk_q != 0 || f_own_len_q != 0 || f_size_q != 2 || f_address_q % 4 != 0)
          f_whole = SLVERR;
      end else if (f_op_q > 4 || (f_op_q == 4 && f_own_len_q != 0)) f_whole = SLVERR;
      else if (f_own_len_q != 0 && (f_burst_q != 1 || (1 << f_size_q) != 4*LANES)) f_whole = SLVERR;
      else if (f_rescales && f_walk_last >> ADDR_W != 0) f_whole = DECERR;
      else if (f_rescales && f_walk_first * (4*LANES) / PAGE != f_walk_last * (4*LANES) / PAGE) f_whole = SLVERR;
    end
  end
  wire [3:0] f_low = s_axi_wstrb[3:0], f_high = s_axi_wstrb[7:4];
  wire       f_lanes = (f_low == 0 || f_low == 15) && (f_high == 0 || f_high == 15);
  wire       f_word  = f_address_q / 4 % 2 == 0 ? f_low == 15 && f_high == 0 : f_low == 0 && f_high == 15;
  wire       f_fails = !f_lanes || (f_atop_q != 0 && !f_word);    // this beat
  wire       f_bad   = f_whole != OKAY || f_fails;
  wire [1:0] f_now   = f_whole | (f_fails || s_axi_wlast != (f_beat_q == f_len_q) ? SLVERR : OKAY);
  always @(posedge aclk) if (f_mine) f_error_q <= (f_beat_q != 0 ? f_error_q : OKAY) | f_now;

  always @* if (f_run) begin
    assert (f_open <= 3'd5);               // counts do not go round
    if (f_mine) begin
      assert (f_aw_q != f_w_q);            // no beat of no burst
      assert ((req_op == OP_NONE) == f_bad);
      if (!f_bad) assert (place[ADDR_W-1:0] == f_at >> SHIFT);
      if (!f_bad) assert (req_op == (f_atop_q == ATOP_ADD ? OP_RAW : f_op_q));
      if (!f_bad) assert (mask == {f_high == 15, f_low == 15});
      assert (walk == f_walk_q);
    end
    if (s_axi_bvalid) assert (f_w_q != f_b_q);                     // an answer is of a burst that is complete
    if (s_axi_bvalid && f_b_q == f_number) begin
      assert (s_axi_bid == f_id_q);
      assert (s_axi_bresp == f_error_q);
    end
    // Once nothing is left in the unit, each burst has been answered.
    if (f_level == 2'd0 && f_beat_q == 0) assert (f_w_q == f_b_q);
    // The unit's reads come first, and nobody reads what is being written.
    if (unit_re) assert (mem_re_o && mem_raddr_o == unit_raddr);
    if (mem_re_o && !unit_re) assert (want && mem_raddr_o == want_addr && !(mem_we_o && mem_waddr_o == mem_raddr_o));
    if (want && !unit_re && !(mem_we_o && mem_waddr_o == want_addr)) assert (mem_re_o);
  end
  // Without reads nothing is held back.
  always @(posedge aclk) if (f_run && f_ran && !$past(want)) assert (!held_back_q);

  // What that rests on, for the induction.  The queue of bursts holds those that are not complete, as they came in.
  wire [2:0]  f_ahead = f_number - f_w_q;
  wire [2:0]  f_next  = f_w_q + 3'd1;
  wire [AW_W-1:0] f_aw = f_aws >> (f_ahead[0] ? AW_W : 0);
  localparam USER_W = LEN_W + 3, LEN_AT = USER_W + 6 + 2 + 3;
  always @* if (f_run) begin
    assert (f_aw_q - f_w_q == {1'b0, aw_level});
    assert (beat_q == f_beat_q);
    if (!aw_valid) assert (beat_q == 8'd0);
    if (aw_valid) assert (f_aws[LEN_AT +: 8] == f_len_q && beat_q <= len);
    if (aw_level == 2'd2) assert (f_aws[AW_W+LEN_AT +: 8] == f_lens_q[{f_next, 3'd0} +: 8]);
    if (f_ahead < {1'b0, aw_level}) begin
      assert (f_aw[AW_W-1 -: ID_W] == f_id_q && f_aw[LEN_AT+8 +: AXI_W] == f_address_q);
      assert (f_aw[USER_W +: 6] == f_atop_q && f_aw[USER_W-1:0] == {f_walk_q, f_op_q});
      assert (f_aw[LEN_AT-3 +: 3] == f_size_q && f_aw[USER_W+6 +: 2] == f_burst_q && f_aw[LEN_AT +: 8] == f_own_len_q);
      assert (f_lens_q[{f_number, 3'd0} +: 8] == f_own_len_q);
    end
    assert (error_q != 2'd1);
    if (f_beat_q == 8'd0) assert (error_q == OKAY);
    else if (f_ahead == 3'd0) assert (f_error_q == error_q);
  end
  // Of the tags on their way, those of a last beat are the bursts that are complete and not answered.
  localparam TAG_W = ID_W + 3;
  reg [2:0]   f_due;
  integer     f_i;
  always @* begin
    f_due = f_b_q;
    for (f_i = 0; f_i < 3; f_i = f_i + 1) begin
      if (f_run && f_i < f_level) begin
        assert (f_tags[TAG_W*f_i+ID_W +: 2] != 2'd1);
        if (f_tags[TAG_W*f_i+ID_W+2] && f_due == f_number) begin
          assert (f_tags[TAG_W*f_i +: ID_W] == f_id_q);
          assert (f_error_q == f_tags[TAG_W*f_i+ID_W +: 2]);
        end
        f_due = f_due + {2'd0, f_tags[TAG_W*f_i+ID_W+2]};
      end
    end
    if (f_run) assert (f_due == f_w_q);
  end
  always @(posedge aclk) if (f_run && f_ran) begin
    cover (s_axi_bvalid && f_b_q == f_number && f_number == 1 && f_len_q == 0 && s_axi_bresp == SLVERR);
    cover (s_axi_bvalid && s_axi_bresp == DECERR);
    cover (f_mine && f_beat_q == 2 && !f_bad);
    cover (f_mine && f_atop_q == ATOP_ADD && !f_bad);
    cover (f_mine && f_rescales && f_beats == 4 && !f_bad);
    cover (held_back_q && $past(held_back_q) && s_axi_wvalid);
  end
`else
  // ---------------------------------------------------------------- everything comes to an end
  // With a unit that takes a request, gives an answer and stops to use its memory in time (the stand-in's LIVE), and a
  // manager that takes an answer in time, though it may wait for it before it is ready: a W beat with its address is
  // taken, an answer leaves the unit, and a read reads, each within a bound.  (What is read, and room for it: gm_axi_read.)
  localparam [4:0] FAIR = 5'd2, BUSY = 5'd3;
  reg  [4:0] f_b_wait_q, f_pop_wait_q, f_hold_wait_q, f_w_wait_q, f_read_wait_q;
  wire       f_w_waits = aw_valid & s_axi_wvalid & ~s_axi_wready;
  always @(posedge aclk or negedge aresetn) begin
    if (!aresetn) {f_b_wait_q, f_pop_wait_q, f_hold_wait_q, f_w_wait_q, f_read_wait_q} <= 25'd0;
    else begin
      f_b_wait_q    <= s_axi_bvalid & ~s_axi_bready ? f_b_wait_q + 5'd1 : 5'd0;
      f_pop_wait_q  <= f_level != 2'd0 & ~f_pop ? f_pop_wait_q + 5'd1 : 5'd0;
      f_hold_wait_q <= held_back_q ? f_hold_wait_q + 5'd1 : 5'd0;
      f_w_wait_q    <= f_w_waits ? f_w_wait_q + 5'd1 : 5'd0;
      f_read_wait_q <= want & ~free ? f_read_wait_q + 5'd1 : 5'd0;
    end
  end
  always @* if (f_b_wait_q == FAIR) assume (s_axi_bready);
  localparam [4:0] POP = 2*FAIR + 5'd1;
  always @* if (f_run) begin
    assert (f_pop_wait_q <= POP);
    assert (f_w_wait_q <= BUSY + 5'd1 + POP + 5'd1 + FAIR);
    assert (f_read_wait_q <= 2*BUSY + 5'd1);
    // For the induction.
    assert (f_answer_wait <= FAIR && f_take_wait <= FAIR && f_b_wait_q <= FAIR && f_busy <= BUSY && f_hold_wait_q <= BUSY + 5'd1);
    assert (f_b_wait_q == 5'd0 || f_offered);
    if (f_level != 2'd0) assert (f_pop_wait_q <= (f_offered ? FAIR + f_b_wait_q : f_answer_wait));
    else assert (f_pop_wait_q == 5'd0);
    if (held_back_q) assert (f_hold_wait_q + f_busy <= BUSY && f_w_wait_q <= f_hold_wait_q);
    if (held_back_q) assert (f_read_wait_q <= BUSY + 5'd1 + f_hold_wait_q);
    else assert (f_read_wait_q == 5'd0 || (want && f_read_wait_q + f_busy <= BUSY));
    if (!held_back_q && f_level == 2'd3) assert (f_w_wait_q <= BUSY + 5'd1 + f_pop_wait_q);
    if (!held_back_q && f_level != 2'd3) assert (f_w_wait_q <= BUSY + 5'd1 + POP + 5'd1 + f_take_wait);
  end
  always @(posedge aclk) if (f_run && f_ran) begin
    cover (f_w_wait_q == 5'd5);
    cover (f_read_wait_q == BUSY + 5'd1);
  end
`endif
`endif
endmodule
`resetall
