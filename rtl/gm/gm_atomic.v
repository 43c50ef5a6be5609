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
    end else begin
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
endmodule
`resetall
