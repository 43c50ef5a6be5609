// gm_axi: the atomic unit of a global memory slice behind AXI: write bursts become its beats.
//
//   AW --> [fifo] --> address, operation --+
//   W  ------------------------------------+--> [gm_atomic] --> B, of a burst's last beat
//                                                  |  ^
//                                                 memory
//
// Each beat of W is a request to gm_atomic, in the order of AW; a burst is answered when its last beat has
// written.  Bursts of one ID and of several are answered in order.  There are no read channels: plain reads go
// to the memory's other users, and see a write once it has been answered.
//
// Which operation (sw/hal/gm_ops.def)
//   AWATOP   AWUSER
//   0        0 STORE, 1 ADD_F32, 2 ADD_S32, 3 ADD_S32_RAW: every beat of a burst of 1 to 256
//   0        4 RESCALE: one beat, lane 0 the integer; AWUSER above bit 2 is the length in beats of memory, whose
//            last one WSTRB masks
//   010000   AtomicStore ADD, little-endian, of AXI5: four bytes, AWUSER 0: ADD_S32_RAW of one lane
// AXI5 has nothing for the rest: its atomics are of one integer of at most 8 bytes, without floating point,
// guards, lanes or rows.  Its AtomicStores but ADD would need an ALU that is not here, AtomicLoad, AtomicSwap
// and AtomicCompare a read channel.
//
// Errors: nothing of such a beat is written, and all others of the burst are
//   DECERR   the burst, or what a RESCALE walks, does not lie in the slice: no beat of it is written
//   SLVERR   no such operation, a RESCALE or atomic of more than one beat, several beats that are narrow or do
//            not go up (FIXED, WRAP), an atomic that is not one aligned word: no beat of it is written;
//            WSTRB that covers a part of a lane: that beat; WLAST that does not go with AWLEN: only told
//
// A beat a cycle, one cycle more than gm_atomic.  No output depends on an input of the same cycle.
//
// LANES   32-bit words in a beat: 2, 4 .. 32  AXI_W  width of an address in bytes, > ADDR_W + $clog2(4 LANES)
// ID_W    width of an ID, >= 1                ADDR_W, LEN_W, CNT_W, ALU_STAGES  as of gm_atomic; LEN_W <= ADDR_W
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
  localparam LANE_W = $clog2(LANES);
  localparam SHIFT  = LANE_W + 2;          // of a beat's address
  localparam AW_W   = ID_W + AXI_W + 8 + 3 + 2 + 6 + LEN_W + 3;
  localparam SPAN_W = ADDR_W + 9;          // an address and what is added to it
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
  wire [AW_W-1:0]   burst_in = {s_axi_awid_i, s_axi_awaddr_i, s_axi_awlen_i, s_axi_awsize_i, s_axi_awburst_i, s_axi_awatop_i,
                                s_axi_awuser_i};
  fifo #(
    .W    (AW_W),
    .DEPTH(2)
  ) u_aw (
    .clk_i      (aclk_i),
    .rst_ni     (aresetn_i),
    .in_valid_i (s_axi_awvalid_i),
    .in_ready_o (s_axi_awready_o),
    .in_data_i  (burst_in),
    .out_valid_o(aw_valid),
    .out_ready_i(aw_take),
    .out_data_o ({id, address, len, size, burst, atop, walk, op}),
    .level_o    (aw_level)
`ifdef FORMAL
    , .f_words_o(f_aws)
`endif
  );

  wire              rescale = op == OP_RESCALE;
  wire              atomic  = atop != 6'd0;
  wire              single  = len == 8'd0;
  wire [ADDR_W-1:0] first   = address[SHIFT +: ADDR_W];
  wire [LEN_W-1:0]  walked  = walk == {LEN_W{1'b0}} ? walk : walk - {{(LEN_W-1){1'b0}}, 1'b1};
  wire [SPAN_W-1:0] reach   = rescale ? {{(SPAN_W-LEN_W){1'b0}}, walked} : {{(SPAN_W-8){1'b0}}, len};
  wire [SPAN_W-1:0] end_at  = {{(SPAN_W-ADDR_W){1'b0}}, first} + reach;     // its last beat
  wire              outside = (|end_at[SPAN_W-1:ADDR_W]) | (|address[AXI_W-1:SHIFT+ADDR_W]);
  wire              shaped  = single | ((burst == BURST_INCR) & (size == BEAT_SIZE));
  wire              known   = atomic ? (atop == ATOP_ADD) & (op == 3'd0) & single & (size == WORD_SIZE) & (address[1:0] == 2'd0)
                                     : (op <= OP_RESCALE) & (single | ~rescale);
  wire [1:0]        wrong   = outside ? DECERR : (shaped & known) ? OKAY : SLVERR;

  // ---------------------------------------------------------------- the beat at hand
  reg  [7:0]        beat_q;                // its number in the burst
  reg  [1:0]        error_q;               // of the beats before it
  wire              last     = beat_q == len;
  wire [SPAN_W-1:0] place    = {{(SPAN_W-ADDR_W){1'b0}}, first} + {{(SPAN_W-8){1'b0}}, beat_q};
  wire              req_ready;
  wire              take     = s_axi_wvalid_i & s_axi_wready_o;
  reg  [LANES-1:0]  mask;
  reg               partial;
  integer           i;
  always @* begin
    partial = 1'b0;
    for (i = 0; i < LANES; i = i + 1) begin
      mask[i] = &s_axi_wstrb_i[4*i +: 4];
      partial = partial | ((|s_axi_wstrb_i[4*i +: 4]) & ~mask[i]);
    end
  end
  wire [LANE_W-1:0] lane     = address[SHIFT-1:2];
  wire              elsewhere = atomic & (mask != ({{(LANES-1){1'b0}}, 1'b1} << lane));
  wire              bad      = (wrong != OKAY) | partial | elsewhere;
  wire [1:0]        error    = error_q | wrong | {partial | elsewhere | (s_axi_wlast_i != last), 1'b0};

  assign s_axi_wready_o = aw_valid & req_ready;
  assign aw_take        = take & last;

  always @(posedge aclk_i or negedge aresetn_i) begin
    if (!aresetn_i) begin
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
`endif
  wire            rsp_valid, rsp_last;
  gm_atomic #(
    .LANES     (LANES),
    .ADDR_W    (ADDR_W),
    .LEN_W     (LEN_W),
    .TAG_W     (ID_W + 3),
    .CNT_W     (CNT_W),
    .ALU_STAGES(ALU_STAGES)
  ) u_atomic (
    .clk_i            (aclk_i),
    .rst_ni           (aresetn_i),
    .clear_i          (clear_i),
    .req_valid_i      (s_axi_wvalid_i & aw_valid),
    .req_ready_o      (req_ready),
    .req_op_i         (req_op),
    .req_addr_i       (place[ADDR_W-1:0]),
    .req_data_i       (s_axi_wdata_i),
    .req_mask_i       (mask),
    .req_len_i        (walk),
    .req_tag_i        ({last, error, id}),
    .rsp_valid_o      (rsp_valid),
    .rsp_ready_i      (s_axi_bready_i | ~rsp_last),
    .rsp_tag_o        ({rsp_last, s_axi_bresp_o, s_axi_bid_o}),
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
`ifdef FORMAL
    , .f_level_o(f_level), .f_tags_o(f_tags)
`endif
  );
  assign s_axi_bvalid_o = rsp_valid & rsp_last;
  wire unused = &{1'b0, aw_level, end_at, place};    // of a place, what lies outside: those beats are errors

  // ---------------------------------------------------------------- the contract
  wire clk_i  = aclk_i;                    // as assert.vh has it
  wire rst_ni = aresetn_i;
  wire unused_clock = &{1'b0, clk_i, rst_ni};
  `ASSUME_STABLE(address_is_held, s_axi_awvalid_i, s_axi_awready_o, AW_W, burst_in)
  `ASSUME_STABLE(data_are_held, s_axi_wvalid_i, s_axi_wready_o, 36*LANES + 1, {s_axi_wlast_i, s_axi_wstrb_i, s_axi_wdata_i})
  `ASSERT_STABLE(answer_is_held, s_axi_bvalid_o, s_axi_bready_i, ID_W + 2, {s_axi_bid_o, s_axi_bresp_o})

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // gm_atomic is a stand-in (tb/formal/axi/gm_atomic.v) that answers requests in order, when it likes.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(aclk_i), .rst_ni(aresetn_i), .run_o(f_run), .ran_o(f_ran));

  // Follow any one burst, by its number: its address as it came in, its beats as they are asked of the
  // unit, its answer.  Bursts and answers are counted on the bus alone.
  (* anyconst *) wire [2:0] f_number;
  reg  [2:0]       f_aw_q, f_w_q, f_b_q;   // bursts taken, complete, answered
  reg  [7:0]       f_beat_q;               // beats of the present one
  wire             f_req  = s_axi_wvalid_i & s_axi_wready_o;
  always @(posedge aclk_i or negedge aresetn_i) begin
    if (!aresetn_i) begin
      {f_aw_q, f_w_q, f_b_q} <= 9'd0;
      f_beat_q <= 8'd0;
    end else begin
      f_aw_q <= f_aw_q + {2'd0, s_axi_awvalid_i & s_axi_awready_o};
      f_b_q  <= f_b_q + {2'd0, s_axi_bvalid_o & s_axi_bready_i};
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
  reg              f_error_q;              // of any of its beats so far
  always @(posedge aclk_i) if (s_axi_awvalid_i & s_axi_awready_o) begin
    f_lens_q[{f_aw_q, 3'd0} +: 8] <= s_axi_awlen_i;
    if (f_aw_q == f_number) begin
      f_id_q      <= s_axi_awid_i;
      f_address_q <= s_axi_awaddr_i;
      f_op_q      <= s_axi_awuser_i[2:0];
      f_atop_q    <= s_axi_awatop_i;
    end
  end
  wire [2:0]       f_open = f_aw_q - f_b_q;
  wire f_mine = f_req && f_w_q == f_number;
  wire f_bad  = req_op == OP_NONE;
  always @(posedge aclk_i) if (f_mine) f_error_q <= (f_beat_q != 0 && f_error_q) || f_bad || (s_axi_wlast_i != (f_beat_q == f_len_q));

  wire [31:0] f_at = (f_address_q >> SHIFT) + {24'd0, f_beat_q};
  always @* if (f_run) begin
    assert (f_open <= 3'd5);               // counts do not go round
    if (f_mine) begin
      assert (f_aw_q != f_w_q);            // no beat of no burst
      if (!f_bad) assert (place[ADDR_W-1:0] == f_at && f_at < (32'd1 << ADDR_W));
      if (!f_bad) assert (req_op == (f_atop_q == ATOP_ADD ? OP_RAW : f_op_q) && f_op_q <= OP_RESCALE);
      if (!f_bad) assert (f_atop_q == 6'd0 || f_atop_q == ATOP_ADD);
      if (!f_bad && (f_op_q == OP_RESCALE || f_atop_q != 6'd0)) assert (f_len_q == 8'd0);
      if (!f_bad) assert ({{4{mask[1]}}, {4{mask[0]}}} == s_axi_wstrb_i[7:0]);
    end
    if (s_axi_bvalid_o) assert (f_w_q != f_b_q);                     // an answer is of a burst that is complete
    if (s_axi_bvalid_o && f_b_q == f_number) begin
      assert (s_axi_bid_o == f_id_q);
      assert ((s_axi_bresp_o != OKAY) == f_error_q);
      assert (s_axi_bresp_o != 2'd1);
    end
    // Once nothing is left in the unit, each burst has been answered.
    if (f_level == 2'd0 && f_beat_q == 0) assert (f_w_q == f_b_q);
  end

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
      assert (f_aw[USER_W +: 6] == f_atop_q && f_aw[2:0] == f_op_q);
    end
    assert (error_q != 2'd1);
    if (f_beat_q == 8'd0) assert (error_q == OKAY);
    else if (f_ahead == 3'd0) assert (f_error_q == (error_q != OKAY));
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
          assert (f_error_q == (f_tags[TAG_W*f_i+ID_W +: 2] != OKAY));
        end
        f_due = f_due + {2'd0, f_tags[TAG_W*f_i+ID_W+2]};
      end
    end
    if (f_run) assert (f_due == f_w_q);
  end
  always @(posedge aclk_i) if (f_run && f_ran) begin
    cover (s_axi_bvalid_o && f_b_q == f_number && f_number == 1 && f_len_q == 0 && s_axi_bresp_o == SLVERR);
    cover (s_axi_bvalid_o && s_axi_bresp_o == DECERR);
    cover (f_mine && f_beat_q == 2 && !f_bad);
    cover (f_mine && f_atop_q == ATOP_ADD && !f_bad);
  end
`endif
endmodule
`resetall
