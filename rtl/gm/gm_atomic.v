// gm_atomic: atomic read-modify-write on one slice of global memory, LANES words of 32 bits a beat.
//
//           request               arrival      ALU_STAGES          write
//   req --> [op addr data mask] --> [word] --> [ALU of each lane] --> [addr word mask] --> write
//             ^  |  |                ^                     |
//             |  |  +-- mem read ----+                     +--> [tags] --> rsp
//             +--+ RESCALE walks: next address, one beat less
//
// Operations: sw/hal/gm_ops.def.  STORE, ADD_F32, ADD_S32 and ADD_S32_RAW take one beat.  RESCALE
// takes req_len_i beats from req_addr_i on, adding lane 0 of req_data_i to every lane; req_mask_i
// is the lane mask of the last beat, the others are full; a length of 0 counts as 1.  An illegal op
// code is answered and writes nothing.
//
// How it works
//  - Only the request stage ever waits.  A beat that has left it (issued: its read is in that cycle)
//    is in flight for FLIGHT = ALU_STAGES + 2 cycles, which nothing stops, and writes in the last.
//  - Interlock: a beat that reads is not issued while an older one of its address is in flight, so
//    what it reads is always what it needs.  Forwarding could not do better than the ALU: a sum of
//    FP32 is not there before its last stage.
//  - Credits: a request's last beat is issued only if the queue of tags will have room for its
//    answer.  The queue is long enough that a receiver that is always ready never holds anything up.
//
// Protocol
//  - One response for each request, in order, carrying its tag, offered from the cycle of its last
//    write on (a masked-off beat has no write).
//  - Latency: a one-beat request accepted in cycle t reads memory in t+1 and answers in
//    t + 3 + ALU_STAGES; RESCALE of n beats n-1 later.  Throughput: one beat per cycle, any mix of ops, if
//    addresses within FLIGHT beats differ; beats of one address, one in FLIGHT + 1 cycles.
//    A RESCALE holds req_ready_o low for n-1 cycles.
//  - No output depends combinationally on an input.  mem_rdata_i goes into a register.
//  - Memory: mem_rdata_i is the beat addressed with mem_re_o in the previous cycle, and is looked at
//    in one cycle only.  Masked-off lanes of mem_wdata_o are undefined.  A beat in flight must not be
//    changed by others.  No beat is read in the cycle in which it is written.
//  - Status: guards are sticky; cnt_beats_o counts beats written, cnt_guards_o lanes in which a
//    guard fired, both with the write; cnt_stalls_o cycles with req_valid_i and not req_ready_o.
//    Counters wrap.  clear_i zeroes all of them and wins over events of its cycle.
//
// LANES   32-bit words in a beat, >= 1        LEN_W  width of a length in beats, >= 1
// ADDR_W  width of a beat address, >= 1       CNT_W  width of a counter, >= 2 and wide enough
// TAG_W   width of a tag, >= 1                       to hold LANES
// ALU_STAGES  of gm_lane_alu, 1 .. 6     TYPES  0, or 1: operations of all types (gm_lane_alu)
// Numerics: see gm_lane_alu.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_atomic #(
  parameter LANES  = 16,
  parameter ADDR_W = 26,
  parameter LEN_W  = 10,
  parameter TAG_W  = 8,
  parameter CNT_W  = 32,
  parameter ALU_STAGES = 4,
  parameter TYPES = 0
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously
  input  wire                clear_i,      // zero the status outputs

  // Request stream
  input  wire                req_valid_i,
  output wire                req_ready_o,
  input  wire [TYPES != 0 ? 4 : 2:0] req_op_i,
  input  wire [ADDR_W-1:0]   req_addr_i,   // in beats
  input  wire [LANES*32-1:0] req_data_i,
  input  wire [LANES-1:0]    req_mask_i,
  input  wire [LEN_W-1:0]    req_len_i,    // in beats, RESCALE only
  input  wire [TAG_W-1:0]    req_tag_i,

  // Response stream
  output wire                rsp_valid_o,
  input  wire                rsp_ready_i,
  output wire [TAG_W-1:0]    rsp_tag_o,

  // Memory, synchronous, never stalls
  output wire                mem_re_o,
  output wire [ADDR_W-1:0]   mem_raddr_o,
  input  wire [LANES*32-1:0] mem_rdata_i,
  output wire                mem_we_o,
  output wire [ADDR_W-1:0]   mem_waddr_o,
  output wire [LANES*32-1:0] mem_wdata_o,
  output wire [LANES-1:0]    mem_wmask_o,

  // Status
  output wire                guard_zero_o,
  output wire                guard_special_o,
  output wire                guard_underflow_o,
  output wire                guard_overflow_o,
  output wire [CNT_W-1:0]    cnt_beats_o,
  output wire [CNT_W-1:0]    cnt_guards_o,
  output wire [CNT_W-1:0]    cnt_stalls_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  `PARAMETER(ADDR_W_must_be_at_least_1, ADDR_W >= 1)
  `PARAMETER(LEN_W_must_be_at_least_1, LEN_W >= 1)
  `PARAMETER(TAG_W_must_be_at_least_1, TAG_W >= 1)
  `PARAMETER(CNT_W_must_be_wide_enough_to_hold_LANES, CNT_W >= 2 && (LANES >> CNT_W) == 0)
  `PARAMETER(ALU_STAGES_must_be_1_to_6, ALU_STAGES >= 1 && ALU_STAGES <= 6)
  localparam DATA_W = LANES * 32;
  localparam FLIGHT = ALU_STAGES + 2;      // the word arrives, the ALU, the write
  localparam WRITE  = FLIGHT - 1;          // the last of these cycles
  localparam TAGS   = FLIGHT + 1;          // and one in which a credit comes back
  localparam OWED_COUNTS = TAGS + 1;       // 0 .. TAGS
  localparam OWED_W = $clog2(OWED_COUNTS);
  localparam OP_W = TYPES != 0 ? 5 : 3;
  localparam [OP_W-1:0] OP_STORE   = 0;
  localparam [OP_W-1:0] OP_RESCALE = 4;
  localparam [4:0]      LAST_CODE  = TYPES != 0 ? 5'd20 : 5'd4;
  localparam [OP_W-1:0] OP_LAST    = LAST_CODE[OP_W-1:0];
  localparam [ADDR_W-1:0] ADDR_ONE = 1;
  localparam [LEN_W-1:0]  LEN_ZERO = 0;
  localparam [LEN_W-1:0]  LEN_ONE  = 1;
  localparam [CNT_W-1:0]  CNT_ONE  = 1;
  localparam [OWED_W-1:0] OWED_ONE = 1;
  localparam [OWED_W-1:0] OWED_ALL = TAGS[OWED_W-1:0];

  // ---------------------------------------------------------------- request: walk, issue
  reg               rq_valid_q;
  reg [OP_W-1:0]    rq_op_q;
  reg               rq_reads_q;
  reg [ADDR_W-1:0]  rq_addr_q;
  reg [DATA_W-1:0]  rq_data_q;
  reg [LANES-1:0]   rq_mask_q;             // of the last beat
  reg [LEN_W-1:0]   rq_left_q;             // beats after this one
  reg               rq_last_q;             // there are none
  reg [TAG_W-1:0]   rq_tag_q;

  wire conflict;                           // an older beat of this address is in flight
  wire credit;                             // its answer will find room
  wire rq_last = rq_last_q;
  wire issue   = rq_valid_q & ~(rq_reads_q & conflict) & (credit | ~rq_last);
  wire accept  = req_valid_i & req_ready_o;

  wire req_rescale = req_op_i == OP_RESCALE;
  wire req_legal   = req_op_i <= OP_LAST;
  wire req_walks   = req_rescale & (req_len_i != LEN_ZERO);

  assign req_ready_o = ~rq_valid_q | (issue & rq_last);
  assign mem_re_o    = issue & rq_reads_q;
  assign mem_raddr_o = rq_addr_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rq_valid_q <= 1'b0;
    else if (req_ready_o) rq_valid_q <= req_valid_i;
  end

  always @(posedge clk_i) begin
    if (accept) begin
      rq_op_q    <= req_op_i;
      rq_reads_q <= req_legal & (req_op_i != OP_STORE);
      rq_addr_q  <= req_addr_i;
      rq_data_q  <= req_rescale ? {LANES{req_data_i[31:0]}} : req_data_i;
      rq_mask_q  <= req_legal ? req_mask_i : {LANES{1'b0}};
      rq_left_q  <= req_walks ? req_len_i - LEN_ONE : LEN_ZERO;
      rq_last_q  <= ~req_walks | (req_len_i == LEN_ONE);
      rq_tag_q   <= req_tag_i;
    end else if (issue) begin
      rq_addr_q  <= rq_addr_q + ADDR_ONE;
      rq_left_q  <= rq_left_q - LEN_ONE;
      rq_last_q  <= rq_left_q == LEN_ONE;
    end
  end

  // ---------------------------------------------------------------- in flight, the youngest lowest
  reg  [FLIGHT-1:0]        valid_q;
  reg  [FLIGHT*ADDR_W-1:0] addr_q;
  reg  [DATA_W-1:0]        word_q;         // of the beat one cycle on
  reg  [DATA_W-1:0]        issued_q;       // operand of the youngest
  reg  [DATA_W-1:0]        operand_q;      // ... and that of word_q
  wire [FLIGHT-1:0]        same;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= {FLIGHT{1'b0}};
    else valid_q <= {valid_q[FLIGHT-2:0], issue};
  end

  always @(posedge clk_i) begin
    addr_q    <= {addr_q[(FLIGHT-1)*ADDR_W-1:0], rq_addr_q};
    word_q    <= mem_rdata_i;
    issued_q  <= rq_data_q;
    operand_q <= issued_q;
  end

  genvar g;
  generate
    for (g = 0; g < FLIGHT; g = g + 1) begin : g_flight
      assign same[g] = valid_q[g] & (addr_q[ADDR_W*g +: ADDR_W] == rq_addr_q);
    end
  endgenerate
  assign conflict = |same;

  // ---------------------------------------------------------------- compute
  wire [OP_W-1:0] alu_op;
  delay_line #(.W(OP_W), .DEPTH(2)) u_op (
    .clk_i (clk_i),
    .en_i  (1'b1),
    .data_i(rq_op_q),
    .data_o(alu_op)
  );

  wire [DATA_W-1:0]  new_word;
  wire [LANES*4-1:0] new_guard;
  wire [LANES-1:0]   mask;                 // of the beat that writes
  delay_line #(.W(LANES), .DEPTH(FLIGHT)) u_mask (
    .clk_i (clk_i),
    .en_i  (1'b1),
    .data_i(rq_last ? rq_mask_q : {LANES{1'b1}}),
    .data_o(mask)
  );

  gm_lane_alu #(
    .LANES (LANES),
    .STAGES(ALU_STAGES),
    .TYPES (TYPES)
  ) u_alu (
    .clk_i    (clk_i),
    .op_i     (alu_op),
    .mem_i    (word_q),
    .operand_i(operand_q),
    .result_o (new_word),
    .guard_o  (new_guard)
  );

  // ---------------------------------------------------------------- write and answer
  assign mem_we_o    = valid_q[WRITE] & (|mask);
  assign mem_waddr_o = addr_q[ADDR_W*WRITE +: ADDR_W];
  assign mem_wdata_o = new_word;
  assign mem_wmask_o = mask;

  // A tag enters the queue in the cycle before its write, so it is offered with that.
  wire              done_last;
  wire [TAG_W-1:0]  done_tag;
  delay_line #(.W(1 + TAG_W), .DEPTH(FLIGHT - 1)) u_tag (
    .clk_i (clk_i),
    .en_i  (1'b1),
    .data_i({rq_last, rq_tag_q}),
    .data_o({done_last, done_tag})
  );

  wire              tags_room;
  wire [OWED_W-1:0] tags_level;
  fifo #(.W(TAG_W), .DEPTH(TAGS)) u_tags (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (valid_q[WRITE-1] & done_last),
    .in_ready_o (tags_room),
    .in_data_i  (done_tag),
    .out_valid_o(rsp_valid_o),
    .out_ready_i(rsp_ready_i),
    .out_data_o (rsp_tag_o),
    .level_o    (tags_level)
  );
  wire unused = &{1'b0, tags_room, tags_level};    // the credits count what is on its way, too

  reg  [OWED_W-1:0] owed_q;                // answers issued and not taken
  wire              owe = issue & rq_last;
  wire              pay = rsp_valid_o & rsp_ready_i;
  assign credit = owed_q != OWED_ALL;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owed_q <= {OWED_W{1'b0}};
    else if (owe & ~pay) owed_q <= owed_q + OWED_ONE;
    else if (pay & ~owe) owed_q <= owed_q - OWED_ONE;
  end

  // ---------------------------------------------------------------- status
  reg [3:0]       guard_q;
  reg [CNT_W-1:0] cnt_beats_q;
  reg [CNT_W-1:0] cnt_guards_q;
  reg [CNT_W-1:0] cnt_stalls_q;
  reg [3:0]       fired;                   // guards that fired in any lane
  reg [CNT_W-1:0] guarded_lanes;           // lanes in which any guard fired
  integer         i;

  always @* begin
    fired         = 4'd0;
    guarded_lanes = {CNT_W{1'b0}};
    for (i = 0; i < LANES; i = i + 1) begin
      fired         = fired | (new_guard[4*i +: 4] & {4{mask[i]}});
      guarded_lanes = guarded_lanes + {{(CNT_W-1){1'b0}}, mask[i] & (|new_guard[4*i +: 4])};
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      guard_q      <= 4'd0;
      cnt_beats_q  <= {CNT_W{1'b0}};
      cnt_guards_q <= {CNT_W{1'b0}};
      cnt_stalls_q <= {CNT_W{1'b0}};
    end else if (clear_i) begin
      guard_q      <= 4'd0;
      cnt_beats_q  <= {CNT_W{1'b0}};
      cnt_guards_q <= {CNT_W{1'b0}};
      cnt_stalls_q <= {CNT_W{1'b0}};
    end else begin
      if (mem_we_o) begin
        guard_q      <= guard_q | fired;
        cnt_beats_q  <= cnt_beats_q + CNT_ONE;
        cnt_guards_q <= cnt_guards_q + guarded_lanes;
      end
      if (req_valid_i && !req_ready_o) cnt_stalls_q <= cnt_stalls_q + CNT_ONE;
    end
  end

  assign {guard_overflow_o, guard_underflow_o, guard_special_o, guard_zero_o} = guard_q;
  assign cnt_beats_o  = cnt_beats_q;
  assign cnt_guards_o = cnt_guards_q;
  assign cnt_stalls_o = cnt_stalls_q;

  // ---------------------------------------------------------------- the contract
  localparam CALL_W = OP_W + ADDR_W + LANES + LEN_W + TAG_W;
`ifndef FORMAL                             // which needs nothing of a request that waits
  `ASSUME_STABLE(request_is_held, req_valid_i, req_ready_o, CALL_W, {req_op_i, req_addr_i, req_mask_i, req_len_i, req_tag_i})
  `ASSUME_STABLE(operand_is_held, req_valid_i, req_ready_o, DATA_W, req_data_i)
`endif
  `ASSERT(answer_has_room, !(valid_q[WRITE-1] && done_last) || tags_room)
  `ASSERT(credits_in_range, {1'b0, owed_q} < OWED_COUNTS[OWED_W:0])
  `ASSERT(no_read_of_what_is_written, !(mem_re_o && mem_we_o && mem_raddr_o == mem_waddr_o))

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Proved by induction with an abstract gm_lane_alu (tb/formal/): what a lane computes does not
  // matter here, that it computes on the right words does.  rsp_ready_i, requests and clear_i are
  // free; nothing is assumed about a request that waits.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));
  wire f_reads = rq_op_q != OP_STORE && rq_op_q <= OP_LAST;

  // Requests, responses: number them.  The unit never looks at a tag, so taking the request's
  // number for it loses nothing; then tags in sequence into the queue, which is proved to keep them
  // in order (rtl/lib/fifo.v), mean no loss, no duplicate and order.
  reg  [TAG_W-1:0] f_accepted_q, f_queued_q, f_answered_q;
  wire             f_queue = valid_q[WRITE-1] & done_last;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_accepted_q <= 0;
      f_queued_q   <= 0;
      f_answered_q <= 0;
    end else begin
      if (accept) f_accepted_q <= f_accepted_q + 1'b1;
      if (f_queue) f_queued_q <= f_queued_q + 1'b1;
      if (pay) f_answered_q <= f_answered_q + 1'b1;
    end
  end
  always @* assume (req_tag_i == f_accepted_q);

  reg [FLIGHT-1:0] f_last_q, f_reads_q;    // of the beats in flight
  reg [TAG_W-1:0]  f_on_way;               // last ones of them that are not in the queue yet
  reg              f_older, f_alone;
  integer          k;
  always @* begin
    f_on_way = 0;
    for (k = 0; k < WRITE; k = k + 1) begin
      if (valid_q[k] && f_last_q[k]) f_on_way = f_on_way + 1'b1;
    end
  end
  wire [TAG_W-1:0] f_level = {{(TAG_W-OWED_W){1'b0}}, tags_level};
  wire [TAG_W-1:0] f_owed  = {{(TAG_W-OWED_W){1'b0}}, owed_q};
  always @* if (f_run) begin
    assert (owed_q <= OWED_ALL);
    assert (f_owed == f_on_way + f_level);
    assert (f_accepted_q == f_answered_q + f_owed + {{(TAG_W-1){1'b0}}, rq_valid_q});
    assert (f_queued_q == f_answered_q + f_level);
    if (f_queue) assert (tags_room && done_tag == f_queued_q);
    if (rq_valid_q) assert (rq_tag_q + 1'b1 == f_accepted_q);
  end

  // Handshakes: the response holds under a stall, and the unit stalls nobody without a reason.
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(rsp_valid_o && !rsp_ready_i)) assert (rsp_valid_o && rsp_tag_o == $past(rsp_tag_o));
    if ($past(accept)) assert (rq_valid_q);                          // t+1
    if ($past(f_queue)) assert (rsp_valid_o && valid_q[WRITE]);      // with the write
  end
  always @* if (f_run) begin
    if (rq_valid_q && !conflict && (credit || !rq_last)) assert (issue);
    if (!rq_valid_q || (issue && rq_last)) assert (req_ready_o);
  end

  // A receiver that is always ready: nothing waits for a credit.
  reg [3:0] f_prompt_q;                    // cycles for which it was
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_prompt_q <= 4'd15;
    else if (rsp_valid_o && !rsp_ready_i) f_prompt_q <= 4'd0;
    else if (f_prompt_q != 4'd15) f_prompt_q <= f_prompt_q + 4'd1;
  end
  always @* if (f_run && f_prompt_q > TAGS) assert (credit);
  always @* if (f_run && f_prompt_q > TAGS) assert (tags_level <= 1);

  // Beats: request (base, len) makes beats 0 .. len-1 at base + index, the last one answers.
  reg [ADDR_W-1:0] f_base_q;
  reg [LEN_W-1:0]  f_len_q, f_index_q;
  always @(posedge clk_i) begin
    if (accept) begin
      f_base_q  <= req_addr_i;
      f_len_q   <= (req_op_i == OP_RESCALE && req_len_i > 1) ? req_len_i : LEN_ONE;
      f_index_q <= LEN_ZERO;
    end else if (issue) begin
      f_index_q <= f_index_q + LEN_ONE;
    end
  end
  wire [31:0] f_index = f_index_q;         // wide enough for any address
  wire [ADDR_W-1:0] f_address = f_base_q + f_index[ADDR_W-1:0];
  reg  [FLIGHT*ADDR_W-1:0] f_addresses_q;  // of the beats in flight
  reg               f_same;
  always @(posedge clk_i) f_addresses_q <= {f_addresses_q[(FLIGHT-1)*ADDR_W-1:0], f_address};
  always @* begin
    f_same = 1'b0;
    for (k = 0; k < FLIGHT; k = k + 1) begin
      if (valid_q[k] && f_addresses_q[ADDR_W*k +: ADDR_W] == f_address) f_same = 1'b1;
    end
  end
  // Beats of different addresses do not wait for each other.
  always @* if (f_run && rq_valid_q && !f_same && (credit || !rq_last)) assert (issue);
  always @* begin
    for (k = 0; k < FLIGHT; k = k + 1) begin
      if (f_run && valid_q[k]) assert (addr_q[ADDR_W*k +: ADDR_W] == f_addresses_q[ADDR_W*k +: ADDR_W]);
    end
  end
  always @* if (f_run && rq_valid_q) begin
    assert (f_index_q < f_len_q);
    assert (rq_left_q == f_len_q - f_index_q - LEN_ONE && rq_last_q == (rq_left_q == LEN_ZERO));
    assert (rq_addr_q == f_base_q + f_index[ADDR_W-1:0]);
    assert (rq_reads_q == f_reads);
    assert (rq_op_q == OP_RESCALE || f_len_q == LEN_ONE);
  end

  // Data: follow one word, any lane of any address.  The memory answers a read with the word before
  // a write of the same cycle, and in the cycle after only.  Each write of the word is the ALU's
  // result on the word that the write before it left, with op and operand as they were requested.
  (* anyconst *) wire [ADDR_W-1:0] f_addr;
  (* anyconst *) wire [7:0]        f_lane;
  always @* assume (f_lane < LANES);

  reg  [31:0]       f_word_q;              // in memory, any value at first
  reg  [31:0]       f_read_q;              // what the last read saw
  reg               f_reading_q;           // and that was in the previous cycle
  wire [DATA_W-1:0] f_rdata_at = mem_rdata_i >> (32 * f_lane);
  wire [DATA_W-1:0] f_wdata_at = mem_wdata_o >> (32 * f_lane);
  wire [DATA_W-1:0] f_req_at   = req_data_i >> (32 * f_lane);
  wire [LANES-1:0]  f_req_mask = req_mask_i >> f_lane;
  wire [LANES-1:0]  f_mask     = mask >> f_lane;
  wire [DATA_W-1:0] f_rq_data_at = rq_data_q >> (32 * f_lane);
  wire [LANES-1:0]  f_rq_mask  = rq_mask_q >> f_lane;
  wire              f_writes   = mem_we_o && mem_waddr_o == f_addr && f_mask[0];
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_reading_q <= 1'b0;
    else f_reading_q <= mem_re_o && mem_raddr_o == f_addr;
  end
  always @(posedge clk_i) begin
    f_read_q <= f_word_q;
    if (f_writes) f_word_q <= f_wdata_at[31:0];
  end
  always @* if (f_reading_q) assume (f_rdata_at[31:0] == f_read_q);

  reg [OP_W-1:0] f_rq_op_q;
  reg [31:0] f_rq_operand_q;
  reg        f_rq_enable_q;
  always @(posedge clk_i) begin
    if (accept) begin
      f_rq_op_q      <= req_op_i;
      f_rq_operand_q <= req_op_i == OP_RESCALE ? req_data_i[31:0] : f_req_at[31:0];
      f_rq_enable_q  <= f_req_mask[0] && req_op_i <= OP_LAST;
    end
    f_last_q  <= {f_last_q[FLIGHT-2:0], f_index_q + LEN_ONE == f_len_q};
    f_reads_q <= {f_reads_q[FLIGHT-2:0], f_rq_op_q != OP_STORE && f_rq_op_q <= OP_LAST};
  end
  wire [OP_W-1:0] f_op;                        // of the beat that writes
  wire [31:0] f_operand;
  wire        f_enable;
  delay_line #(.W(OP_W + 33), .DEPTH(FLIGHT)) u_f_beat (
    .clk_i (clk_i),
    .en_i  (1'b1),
    .data_i({f_rq_op_q, f_rq_operand_q, f_rq_enable_q || f_index_q + LEN_ONE != f_len_q}),
    .data_o({f_op, f_operand, f_enable})
  );
  wire [31:0] f_result;
  wire [3:0]  f_guard;
  gm_lane_function #(.OP_W(OP_W)) u_f_function (
    .op_i     (f_op),
    .mem_i    (f_word_q),
    .operand_i(f_operand),
    .result_o (f_result),
    .guard_o  (f_guard)
  );
  // Nobody older of its address is in flight with one that reads.
  always @* begin
    f_older = 1'b0;
    f_alone = 1'b1;
    for (k = WRITE; k >= 0; k = k - 1) begin
      if (valid_q[k] && addr_q[ADDR_W*k +: ADDR_W] == f_addr) begin
        if (f_reads_q[k] && f_older) f_alone = 1'b0;
        f_older = 1'b1;
      end
    end
  end
  always @* if (f_run) begin
    assert (f_alone);
    if (mem_re_o && mem_we_o) assert (mem_raddr_o != mem_waddr_o);
    if (valid_q[WRITE]) assert (f_mask[0] == f_enable);
    if (f_writes) assert (f_wdata_at[31:0] == f_result);
    // Needed for the induction: the request stage holds the request.
    if (rq_valid_q) begin
      assert (rq_op_q == f_rq_op_q && f_rq_data_at[31:0] == f_rq_operand_q);
      assert (f_rq_mask[0] == f_rq_enable_q);
    end
  end

  // Status
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(clear_i)) begin
      assert (guard_q == 4'd0 && cnt_beats_o == 0 && cnt_guards_o == 0 && cnt_stalls_o == 0);
    end else begin
      assert (($past(guard_q) & ~guard_q) == 4'd0);
      assert (cnt_beats_o == $past(cnt_beats_o + mem_we_o));
      assert (cnt_stalls_o == $past(cnt_stalls_o + (req_valid_i & ~req_ready_o)));
      if ($past(f_writes)) assert (($past(f_guard) & ~guard_q) == 4'd0);
    end
  end
  always @* if (f_run && f_writes) assert ((f_guard & ~fired) == 4'd0);
  wire [LANES-1:0] f_guarded;              // lanes of this write in which a guard fires
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_f_lane
      assign f_guarded[g] = mask[g] && new_guard[4*g +: 4] != 4'd0;
    end
  endgenerate
  reg [CNT_W-1:0] f_guards;
  always @* begin
    f_guards = 0;
    for (k = 0; k < LANES; k = k + 1) f_guards = f_guards + f_guarded[k];
  end
  always @(posedge clk_i) if (f_run && f_ran && !$past(clear_i)) begin
    assert (cnt_guards_o == $past(mem_we_o ? cnt_guards_o + f_guards : cnt_guards_o));
  end
  always @* if (f_run && !f_ran) begin     // reset
    assert (guard_q == 4'd0 && cnt_beats_o == 0 && cnt_guards_o == 0 && cnt_stalls_o == 0);
    assert (!rq_valid_q && valid_q == 0 && owed_q == 0 && !rsp_valid_o);
  end

  // The traffic these speak about exists.
  always @(posedge clk_i) if (f_run && f_ran) begin
    cover (f_writes && f_op == 2 && $past(rq_valid_q && conflict && rq_addr_q == f_addr));
    cover (rq_valid_q && rq_last && !credit && req_valid_i);
    cover (&valid_q && f_writes);
    cover (pay && $past(pay) && $past(pay, 2) && f_answered_q == 4);
  end
`endif
endmodule
`resetall
