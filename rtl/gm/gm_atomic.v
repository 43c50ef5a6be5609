// gm_atomic: atomic read-modify-write on one slice of global memory, LANES words of 32 bits a beat.
//
//            stage 1: read          stage 2: write
//   req --> [op addr data mask] --> [ALU of each lane] --> [addr word mask tag] --> write, rsp
//             ^   |  |                ^     ^                |
//             |   |  +--- mem read ---+     +--- forward ----+
//             +---+ RESCALE walks: next address, one beat less
//
// Operations: sw/hal/gm_ops.def.  STORE, ADD_F32, ADD_S32 and ADD_S32_RAW take one beat.  RESCALE
// takes req_len_i beats from req_addr_i on, adding lane 0 of req_data_i to every lane; req_mask_i
// is the lane mask of the last beat, the others are full; a length of 0 counts as 1.  An illegal op
// code is answered and writes nothing.
//
// Protocol
//  - One response for each request, in order, carrying its tag.  While the response of stage 2
//    waits for rsp_ready_i its write waits too: a request's last write is issued in the cycle in
//    which its response is taken (a masked-off beat has no write).
//  - Latency: a one-beat request accepted in cycle t reads memory in t and answers in t+2; RESCALE
//    of n beats answers in t+1+n.  Throughput: one beat per cycle, any mix of ops and addresses;
//    a RESCALE holds req_ready_o low for n-1 cycles.
//  - req_ready_o depends combinationally on rsp_ready_i alone among the inputs, mem_re_o and
//    mem_raddr_o on the request, and mem_re_o and mem_we_o on rsp_ready_i.  Responses, write address,
//    data and mask come from registers.
//  - Memory: mem_rdata_i is the beat addressed with mem_re_o in the previous cycle, before a write
//    of that same cycle; it is looked at in one cycle only and kept here if the pipeline waits.
//    Masked-off lanes of mem_wdata_o are undefined.  A beat in flight must not be changed by others.
//  - Status: guards are sticky; cnt_beats_o counts beats written, cnt_guards_o lanes in which a
//    guard fired, both as their beat leaves stage 2; cnt_stalls_o cycles with req_valid_i and not
//    req_ready_o.  Counters wrap.  clear_i zeroes all of them and wins over events of its cycle.
//
// LANES   32-bit words in a beat, >= 1        LEN_W  width of a length in beats, >= 1
// ADDR_W  width of a beat address, >= 1       CNT_W  width of a counter, >= 2 and wide enough
// TAG_W   width of a tag, >= 1                       to hold LANES
// Numerics: see gm_lane_alu.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_atomic #(
  parameter LANES  = 16,
  parameter ADDR_W = 26,
  parameter LEN_W  = 10,
  parameter TAG_W  = 8,
  parameter CNT_W  = 32
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously
  input  wire                clear_i,      // zero the status outputs

  // Request stream
  input  wire                req_valid_i,
  output wire                req_ready_o,
  input  wire [2:0]          req_op_i,
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
  localparam DATA_W = LANES * 32;
  localparam [2:0] OP_STORE   = 3'd0;
  localparam [2:0] OP_RESCALE = 3'd4;      // the highest legal code
  localparam [ADDR_W-1:0] ADDR_ONE = 1;
  localparam [LEN_W-1:0]  LEN_ZERO = 0;
  localparam [LEN_W-1:0]  LEN_ONE  = 1;
  localparam [CNT_W-1:0]  CNT_ONE  = 1;

  // Stage 1: a beat whose read has been issued
  reg               s1_valid_q;
  reg [2:0]         s1_op_q;
  reg [ADDR_W-1:0]  s1_addr_q;
  reg [DATA_W-1:0]  s1_data_q;
  reg [LANES-1:0]   s1_mask_q;             // of the last beat of the request
  reg [LEN_W-1:0]   s1_left_q;             // beats of the request after this one
  reg [TAG_W-1:0]   s1_tag_q;
  reg               s1_forward_q;          // the beat in stage 2 is an older one of this address
  reg [LANES-1:0]   s1_have_q;             // lanes whose old word is in s1_old_q, not on mem_rdata_i
  reg [DATA_W-1:0]  s1_old_q;

  // Stage 2: a beat ready to be written and, if it is the last of its request, answered
  reg               s2_valid_q;
  reg               s2_last_q;
  reg [ADDR_W-1:0]  s2_addr_q;
  reg [DATA_W-1:0]  s2_data_q;
  reg [LANES-1:0]   s2_mask_q;
  reg [TAG_W-1:0]   s2_tag_q;
  reg [3:0]         s2_guard_q;            // guards that fired in any lane
  reg [LANES-1:0]   s2_guarded_q;          // lanes in which any guard fired

  // ---------------------------------------------------------------- flow control
  wire s2_free  = ~s2_valid_q | ~s2_last_q | rsp_ready_i;    // empty or leaving
  wire s2_leave = s2_valid_q & s2_free;
  wire s1_last  = s1_left_q == LEN_ZERO;
  wire s1_walks = s1_valid_q & ~s1_last;
  wire s1_leave = s1_valid_q & s2_free;
  wire accept   = req_valid_i & req_ready_o;
  wire walk     = s1_walks & s2_free;
  wire issue    = accept | walk;           // never both

  assign req_ready_o = ~s1_valid_q | (s2_free & s1_last);
  assign rsp_valid_o = s2_valid_q & s2_last_q;
  assign rsp_tag_o   = s2_tag_q;

  // ---------------------------------------------------------------- stage 1: issue the read
  wire              req_rescale = req_op_i == OP_RESCALE;
  wire              req_legal   = req_op_i <= OP_RESCALE;
  wire              req_reads   = req_legal & (req_op_i != OP_STORE);
  wire              req_walks   = req_rescale & (req_len_i != LEN_ZERO);
  wire [ADDR_W-1:0] issue_addr  = s1_walks ? s1_addr_q + ADDR_ONE : req_addr_i;

  assign mem_re_o    = walk | (accept & req_reads);
  assign mem_raddr_o = issue_addr;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else if (issue) s1_valid_q <= 1'b1;
    else if (s2_free) s1_valid_q <= 1'b0;
  end

  always @(posedge clk_i) begin
    if (issue) s1_addr_q <= issue_addr;
    if (accept) begin
      s1_op_q   <= req_op_i;
      s1_data_q <= req_rescale ? {LANES{req_data_i[31:0]}} : req_data_i;
      s1_mask_q <= req_legal ? req_mask_i : {LANES{1'b0}};
      s1_left_q <= req_walks ? req_len_i - LEN_ONE : LEN_ZERO;
      s1_tag_q  <= req_tag_i;
    end else if (walk) begin
      s1_left_q <= s1_left_q - LEN_ONE;
    end
  end

  // ---------------------------------------------------------------- the old word
  // A read misses the writes of the two beats ahead of it.  The nearer one will be in stage 2 for
  // as long as this beat is in stage 1.  The farther one may be writing in the very cycle of the
  // read, so its word is kept here; the same register keeps the read data when stage 1 waits.
  wire [DATA_W-1:0] s1_base;               // as memory was with all but the beat in stage 2
  wire [DATA_W-1:0] s1_old;                // with all older beats
  wire              s1_same = s1_addr_q == issue_addr;
  wire              s2_same = s2_addr_q == issue_addr;

  always @(posedge clk_i) begin
    if (issue) begin
      s1_forward_q <= s1_valid_q ? s1_same : s2_valid_q & ~s2_free & s2_same;
      s1_have_q    <= s2_leave & s2_same ? s2_mask_q : {LANES{1'b0}};
      s1_old_q     <= s2_data_q;
    end else if (s1_valid_q) begin
      s1_have_q    <= {LANES{1'b1}};
      s1_old_q     <= s1_base;
    end
  end

  // ---------------------------------------------------------------- compute
  wire [LANES-1:0]   s1_mask = s1_last ? s1_mask_q : {LANES{1'b1}};
  wire [DATA_W-1:0]  s1_new;
  wire [LANES*4-1:0] s1_guards;
  wire [LANES-1:0]   s1_guarded;

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      wire       forward = s1_forward_q & s2_mask_q[g];
      wire [3:0] guard;

      assign s1_base[32*g +: 32] = s1_have_q[g] ? s1_old_q[32*g +: 32] : mem_rdata_i[32*g +: 32];
      assign s1_old[32*g +: 32]  = forward ? s2_data_q[32*g +: 32] : s1_base[32*g +: 32];

      gm_lane_alu u_alu (
        .op_i     (s1_op_q),
        .mem_i    (s1_old[32*g +: 32]),
        .operand_i(s1_data_q[32*g +: 32]),
        .result_o (s1_new[32*g +: 32]),
        .guard_o  (guard)
      );

      assign s1_guards[4*g +: 4] = guard & {4{s1_mask[g]}};
      assign s1_guarded[g]       = |s1_guards[4*g +: 4];
    end
  endgenerate

  reg [3:0] s1_guard;
  integer   i;
  always @* begin
    s1_guard = 4'd0;
    for (i = 0; i < LANES; i = i + 1) s1_guard = s1_guard | s1_guards[4*i +: 4];
  end

  // ---------------------------------------------------------------- stage 2: write and answer
  assign mem_we_o    = s2_leave & (|s2_mask_q);
  assign mem_waddr_o = s2_addr_q;
  assign mem_wdata_o = s2_data_q;
  assign mem_wmask_o = s2_mask_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else if (s2_free) s2_valid_q <= s1_valid_q;
  end

  always @(posedge clk_i) begin
    if (s1_leave) begin
      s2_last_q    <= s1_last;
      s2_addr_q    <= s1_addr_q;
      s2_data_q    <= s1_new;
      s2_mask_q    <= s1_mask;
      s2_tag_q     <= s1_tag_q;
      s2_guard_q   <= s1_guard;
      s2_guarded_q <= s1_guarded;
    end
  end

  // ---------------------------------------------------------------- status
  reg [3:0]       guard_q;
  reg [CNT_W-1:0] cnt_beats_q;
  reg [CNT_W-1:0] cnt_guards_q;
  reg [CNT_W-1:0] cnt_stalls_q;
  reg [CNT_W-1:0] guarded_lanes;
  integer         j;

  always @* begin
    guarded_lanes = {CNT_W{1'b0}};
    for (j = 0; j < LANES; j = j + 1) begin
      guarded_lanes = guarded_lanes + {{(CNT_W-1){1'b0}}, s2_guarded_q[j]};
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
        guard_q      <= guard_q | s2_guard_q;
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

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Proved by induction with an abstract gm_lane_alu (tb/formal/): what a lane computes does not
  // matter here, that it computes on the right words does.  rsp_ready_i, requests and clear_i are
  // free; nothing is assumed about a request that waits.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // Requests, responses: number them.  The unit never looks at a tag, so taking the request's
  // number for it loses nothing; then tags in sequence mean no loss, no duplicate and order.
  reg  [TAG_W-1:0] f_accepted_q;
  reg  [TAG_W-1:0] f_answered_q;
  wire             f_answer = rsp_valid_o & rsp_ready_i;
  wire [TAG_W-1:0] f_in_flight = {{(TAG_W-1){1'b0}}, s1_valid_q} + {{(TAG_W-1){1'b0}}, rsp_valid_o};
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_accepted_q <= 0;
      f_answered_q <= 0;
    end else begin
      if (accept) f_accepted_q <= f_accepted_q + 1;
      if (f_answer) f_answered_q <= f_answered_q + 1;
    end
  end
  always @* assume (req_tag_i == f_accepted_q);
  always @* if (f_run) begin
    assert (f_accepted_q == f_answered_q + f_in_flight);
    if (rsp_valid_o) assert (rsp_tag_o == f_answered_q);
    if (s1_valid_q) assert (s1_tag_q + 1'b1 == f_accepted_q);
  end

  // Handshakes: the response holds under a stall, and the unit stalls nobody without a reason.
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(rsp_valid_o && !rsp_ready_i)) begin
      assert (rsp_valid_o && rsp_tag_o == $past(rsp_tag_o));
      assert (mem_waddr_o == $past(mem_waddr_o) && mem_wmask_o == $past(mem_wmask_o));
      assert (mem_wdata_o == $past(mem_wdata_o));
    end
    if ($past(accept)) assert (s1_valid_q);                          // t+1
    if ($past(s1_leave && s1_last)) assert (rsp_valid_o && rsp_tag_o == $past(s1_tag_q));   // t+2
  end
  always @* if (f_run) begin
    if (rsp_ready_i && !s1_walks) assert (req_ready_o);
    if (rsp_valid_o && !rsp_ready_i) assert (!mem_we_o);
  end

  // Beats: request (base, len) makes beats 0 .. len-1 at base + index, the last one answers.
  reg [ADDR_W-1:0] f_s1_base_q, f_s2_base_q;
  reg [LEN_W-1:0]  f_s1_len_q, f_s2_len_q;
  reg [LEN_W-1:0]  f_s1_index_q, f_s2_index_q;
  reg [LEN_W-1:0]  f_next_q;               // index of the next beat to leave stage 2
  wire [LEN_W-1:0] f_after_s2 = s2_last_q ? LEN_ZERO : f_s2_index_q + LEN_ONE;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_next_q <= LEN_ZERO;
    else if (s2_leave) f_next_q <= f_after_s2;
  end
  always @(posedge clk_i) begin
    if (accept) begin
      f_s1_base_q  <= req_addr_i;
      f_s1_len_q   <= (req_op_i == 3'd4 && req_len_i > 1) ? req_len_i : LEN_ONE;
      f_s1_index_q <= LEN_ZERO;
    end else if (walk) begin
      f_s1_index_q <= f_s1_index_q + LEN_ONE;
    end
    if (s1_leave) begin
      f_s2_base_q  <= f_s1_base_q;
      f_s2_len_q   <= f_s1_len_q;
      f_s2_index_q <= f_s1_index_q;
    end
  end
  wire [31:0] f_s1_index = f_s1_index_q;   // wide enough for any address
  wire [31:0] f_s2_index = f_s2_index_q;
  always @* if (f_run) begin
    if (s1_valid_q) begin
      assert (f_s1_index_q < f_s1_len_q);
      assert (s1_left_q == f_s1_len_q - f_s1_index_q - LEN_ONE);
      assert (s1_addr_q == f_s1_base_q + f_s1_index[ADDR_W-1:0]);
      assert (f_s1_index_q == (s2_valid_q ? f_after_s2 : f_next_q));
    end
    if (s2_valid_q) begin
      assert (f_s2_index_q == f_next_q);
      assert (s2_last_q == (f_s2_index_q + LEN_ONE == f_s2_len_q));
      assert (s2_addr_q == f_s2_base_q + f_s2_index[ADDR_W-1:0]);
      if (!s2_last_q) begin
        assert (s1_valid_q && s1_tag_q == s2_tag_q);
        assert (f_s1_base_q == f_s2_base_q && f_s1_len_q == f_s2_len_q);
      end
    end else begin
      assert (f_next_q == LEN_ZERO);       // a walk leaves no bubbles
    end
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
  wire [DATA_W-1:0] f_wdata_at = s2_data_q >> (32 * f_lane);
  wire [DATA_W-1:0] f_old_at   = s1_old >> (32 * f_lane);
  wire [DATA_W-1:0] f_req_at   = req_data_i >> (32 * f_lane);
  wire [LANES-1:0]  f_req_mask = req_mask_i >> f_lane;
  wire [LANES-1:0]  f_s2_mask  = s2_mask_q >> f_lane;
  wire [LANES-1:0]  f_s1_have  = s1_have_q >> f_lane;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_reading_q <= 1'b0;
    else f_reading_q <= mem_re_o && mem_raddr_o == f_addr;
  end
  always @(posedge clk_i) begin
    f_read_q <= f_word_q;
    if (mem_we_o && mem_waddr_o == f_addr && f_s2_mask[0]) f_word_q <= f_wdata_at[31:0];
  end
  always @* if (f_reading_q) assume (f_rdata_at[31:0] == f_read_q);

  reg [2:0]  f_s1_op_q, f_s2_op_q;
  reg [31:0] f_s1_operand_q, f_s2_operand_q;
  reg        f_s1_enable_q, f_s2_enable_q;
  always @(posedge clk_i) begin
    if (accept) begin
      f_s1_op_q      <= req_op_i;
      f_s1_operand_q <= req_op_i == 3'd4 ? req_data_i[31:0] : f_req_at[31:0];
      f_s1_enable_q  <= f_req_mask[0] && req_op_i < 3'd5;
    end
    if (s1_leave) begin
      f_s2_op_q      <= f_s1_op_q;
      f_s2_operand_q <= f_s1_operand_q;
      f_s2_enable_q  <= f_s1_enable_q || f_s1_index_q + LEN_ONE != f_s1_len_q;
    end
  end
  wire [31:0] f_result;
  wire [3:0]  f_guard;
  gm_lane_alu u_formal_alu (
    .op_i     (f_s2_op_q),
    .mem_i    (f_word_q),
    .operand_i(f_s2_operand_q),
    .result_o (f_result),
    .guard_o  (f_guard)
  );
  wire [DATA_W-1:0] f_s1_data_at = s1_data_q >> (32 * f_lane);
  wire [LANES-1:0]  f_s1_mask    = s1_mask_q >> f_lane;
  wire f_s1_here  = s1_valid_q && s1_addr_q == f_addr;
  wire f_s2_here  = s2_valid_q && s2_addr_q == f_addr;
  wire f_s1_reads = f_s1_op_q >= 3'd1 && f_s1_op_q <= 3'd4;
  always @* if (f_run) begin
    if (s2_valid_q) assert (f_s2_mask[0] == f_s2_enable_q);
    if (f_s2_here && f_s2_enable_q) assert (f_wdata_at[31:0] == f_result);
    // Needed for the induction: stage 1 holds the request, and sees the newest word.
    if (s1_valid_q) begin
      assert (s1_op_q == f_s1_op_q && f_s1_data_at[31:0] == f_s1_operand_q);
      assert (f_s1_mask[0] == f_s1_enable_q);
      assert (f_s1_op_q == 3'd4 || f_s1_len_q == LEN_ONE);
    end
    if (f_s1_here && f_s1_reads) begin
      assert (f_s1_have[0] || f_reading_q);
      assert (f_old_at[31:0] == (f_s2_here && f_s2_mask[0] ? f_wdata_at[31:0] : f_word_q));
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
      if ($past(mem_we_o && f_s2_here && f_s2_enable_q)) begin
        assert (($past(f_guard) & ~guard_q) == 4'd0);
      end
    end
  end
  always @* if (f_run && f_s2_here && f_s2_enable_q) assert ((f_guard & ~s2_guard_q) == 4'd0);

  // The traffic these speak about exists.
  always @(posedge clk_i) if (f_run && f_ran) begin
    cover (s1_forward_q && s1_leave && s1_op_q == 3'd2 && s2_mask_q != 0);
    cover (s1_have_q == 1 && s1_leave && s1_op_q == 3'd1 && f_s1_here && $past(mem_we_o));
    cover (f_answer && f_s2_len_q == 3 && $past(!rsp_ready_i && rsp_valid_o && req_valid_i));
    cover (f_answer && $past(f_answer) && $past(f_answer, 2) && f_answered_q == 4);
  end
`endif
endmodule
`resetall
