// attention_engine: the attention engine as a whole, in any arithmetic: see rtl/README.md.
//
// ARITHMETIC, VARIANT  as of fau_lane
// D      elements of a query, >= 2      NQ  queries at a time, >= 1
// P      blocks of keys, >= 1           N   keys held, a multiple of P
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module attention_engine #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64,
  parameter P          = 4,
  parameter NQ         = 1,
  parameter N          = 1024
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,       // active low, asserted asynchronously

  // Keys and values, a row a cycle, always taken; BF16, element i from bit 16 i on.  A row in use is not written.
  input  wire                   kv_valid_i,
  input  wire [$clog2(P > 1 ? P : 2)-1:0]       kv_block_i,   // below P
  input  wire [$clog2(N/P > 1 ? N/P : 2)-1:0]   kv_row_i,     // below N/P
  input  wire [16*D-1:0]        kv_k_i,
  input  wire [16*D-1:0]        kv_v_i,

  // Groups of NQ queries; all of this is held from q_valid_i to q_ready_o
  input  wire                   q_valid_i,
  output wire                   q_ready_o,
  input  wire [16*D*NQ-1:0]     q_i,          // BF16, scaled; query n from bit 16 D n on
  input  wire [$clog2(N/P > 1 ? N/P : 2)-1:0]   q_base_i,     // first row, of every block, below N/P; rows wrap at N/P
  input  wire [$clog2(N/P > 1 ? N/P : 2):0]     q_rows_i,     // rows to stream, 1 .. N/P
  input  wire [$clog2(N+1)-1:0]                 q_stride_i,   // index distance of consecutive blocks, 0 .. N
  input  wire [$clog2(N+1)*NQ-1:0]              q_limit_i,    // keys below this index take part, 0 .. N each
  input  wire                   q_use_mask_i, // takes a beat of mask for every row
  input  wire                   q_final_i,    // 1: divide; 0: put out the triplet
  input  wire                   q_carry_i,    // continue carry_* in place of an empty triplet
  input  wire [16*NQ-1:0]       carry_m_i,    // taken with the group: triplets, as they came out of out_*
  input  wire [17*(D+1)*NQ-1:0] carry_o_i,
  input  wire [NQ-1:0]          carry_poison_i,

  // Mask, a beat a row; a row waits for its beat
  input  wire                   mask_valid_i,
  output wire                   mask_ready_o,
  input  wire [P*NQ-1:0]        mask_i,       // bit b + P n: the key of block b takes part for query n

  // Results, a group a beat, in order, held until taken
  output wire                   out_valid_o,
  input  wire                   out_ready_i,
  output wire                   out_final_o,  // 1: results, 0: triplets
  output wire [16*NQ-1:0]       out_m_o,      // of the triplets, BF16
  output wire [NQ-1:0]          out_poison_o, // an infinity or NaN was among the operands
  output wire [17*(D+1)*NQ-1:0] out_o_o,      // triplets' elements, l first; with out_final_o element 1 + c is {0, BF16
                                              // of column c}, element 0 undefined

  output wire                   overwritten_o // a row in use was written in the cycle before (attention_rows)
);
  `PARAMETER(ARITHMETIC_must_be_0_to_2, ARITHMETIC >= 0 && ARITHMETIC <= 2)
  `PARAMETER(VARIANT_must_be_one_of_the_ARITHMETIC, VARIANT >= 0 && VARIANT <= (ARITHMETIC < 2 ? 3 - 2*ARITHMETIC : 0))
  `PARAMETER(D_must_be_at_least_2, D >= 2)
  `PARAMETER(P_must_be_at_least_1, P >= 1)
  `PARAMETER(NQ_must_be_at_least_1, NQ >= 1)
  `PARAMETER(N_must_be_a_multiple_of_P, N >= P && N % P == 0)
  localparam ROWS    = N / P;
  localparam BW      = $clog2(P > 1 ? P : 2);
  localparam RW      = $clog2(ROWS > 1 ? ROWS : 2);
  localparam LW      = $clog2(N+1);
  localparam EW      = 17 * (D + 1);          // the elements of one triplet
  localparam V_DELAY = 9 + $clog2(D);         // values are needed so much later than keys

  // ---------------------------------------------------------------- control
  wire [P*NQ-1:0] fau_ready;
  wire            advance = &fau_ready;       // the FAUs move together
  wire            accept;
  wire [P*NQ-1:0] carry_used;              // by block 0's FAUs, all together
  wire            k_read;
  wire [RW-1:0]   k_row;
  wire            v_read;
  wire [RW-1:0]   v_row;
  wire            beat_first;
  wire            beat_last;
  wire            beat_final;
  wire            beat_carry;
  wire [P*NQ-1:0] beat_key;
`ifdef FORMAL
  wire            f_carry_waits, f_carry_coming;
  wire [V_DELAY:0] f_carry_at [0:P*NQ-1];
`endif
  attention_ctrl #(
    .P   (P),
    .NQ  (NQ),
    .ROWS(ROWS)
  ) u_ctrl (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .en_i        (advance),
    .q_valid_i   (q_valid_i),
    .q_ready_o   (q_ready_o),
    .q_base_i    (q_base_i),
    .q_rows_i    (q_rows_i),
    .q_stride_i  (q_stride_i),
    .q_limit_i   (q_limit_i),
    .q_use_mask_i(q_use_mask_i),
    .q_final_i   (q_final_i),
    .q_carry_i   (q_carry_i),
    .accept_o    (accept),
    .carry_used_i(|carry_used),
    .mask_valid_i(mask_valid_i),
    .mask_ready_o(mask_ready_o),
    .mask_i      (mask_i),
    .row_read_o  (k_read),
    .row_addr_o  (k_row),
    .beat_first_o(beat_first),
    .beat_last_o (beat_last),
    .beat_final_o(beat_final),
    .beat_carry_o(beat_carry),
    .beat_key_o  (beat_key)
`ifdef FORMAL
    , .f_carry_waits_o(f_carry_waits), .f_carry_coming_o(f_carry_coming)
`endif
  );

  attention_rows #(
    .ROWS (ROWS),
    .DELAY(V_DELAY)
  ) u_rows (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .en_i         (advance),
    .k_read_i     (k_read),
    .k_row_i      (k_row),
    .v_read_o     (v_read),
    .v_row_o      (v_row),
    .we_i         (kv_valid_i),
    .waddr_i      (kv_row_i),
    .overwritten_o(overwritten_o)
  );

  // ---------------------------------------------------------------- the group's queries and carry
  reg [16*D*NQ-1:0] query_q;
  reg [16*NQ-1:0]   carry_m_q;
  reg [NQ-1:0]      carry_poison_q;
  reg [EW*NQ-1:0]   carry_o_q;
  always @(posedge clk_i) begin
    if (accept) query_q <= q_i;
    if (accept & q_carry_i) begin
      carry_m_q      <= carry_m_i;
      carry_poison_q <= carry_poison_i;
      carry_o_q      <= carry_o_i;
    end
  end

  // ---------------------------------------------------------------- blocks
  wire               sum_valid;               // behind the last ACC
  wire               sum_ready;
  wire               sum_final;
  wire [NQ-1:0]      sum_valids;              // all alike, as are sum_finals
  wire [NQ-1:0]      sum_finals;
  wire [16*NQ-1:0]   sum_m;
  wire [NQ-1:0]      sum_poison;
  wire [EW*NQ-1:0]   sum_o;

  genvar b, n;
  generate
    for (b = 0; b < P; b = b + 1) begin : g_kv
      wire            write = kv_valid_i & (kv_block_i == b);
      wire [16*D-1:0] k, v;
      wire            k_special, v_special;
      kv_sram #(
        .D   (D),
        .ROWS(ROWS)
      ) u_keys (
        .clk_i  (clk_i),
        .we_i   (write),
        .waddr_i(kv_row_i),
        .row_i  (kv_k_i),
        .re_i   (k_read),
        .raddr_i(k_row),
        .row_o  (k)
      );
      kv_sram #(
        .D   (D),
        .ROWS(ROWS)
      ) u_values (
        .clk_i  (clk_i),
        .we_i   (write),
        .waddr_i(kv_row_i),
        .row_i  (kv_v_i),
        .re_i   (v_read),
        .raddr_i(v_row),
        .row_o  (v)
      );
      // Of what was read: a memory's word is the row alone.
      bf16_row_special #(.D(D)) u_k_special (
        .row_i    (k),
        .special_o(k_special)
      );
      bf16_row_special #(.D(D)) u_v_special (
        .row_i    (v),
        .special_o(v_special)
      );
    end

    for (n = 0; n < NQ; n = n + 1) begin : g_query
      wire [16*D-1:0] query = query_q[16*D*n +: 16*D];
      wire            query_special;
      bf16_row_special #(.D(D)) u_special (
        .row_i    (query),
        .special_o(query_special)
      );

      // The triplet of blocks 0 .. b together, as FAU 0 or the ACC of block b leaves it.
      for (b = 0; b < P; b = b + 1) begin : g_run
        wire          valid, take, is_final, poison;
        wire [15:0]   m;
        wire [EW-1:0] o;
      end

      for (b = 0; b < P; b = b + 1) begin : g_block
        wire          fau_valid, fau_take, fau_final, fau_poison;
        wire [15:0]   fau_m;
        wire [EW-1:0] fau_o;

        // Only block 0 continues a carry.
        wire          carry        = b == 0 ? beat_carry : 1'b0;
        wire [15:0]   carry_m      = b == 0 ? carry_m_q[16*n +: 16] : 16'd0;
        wire          carry_poison = b == 0 ? carry_poison_q[n] : 1'b0;
        wire [EW-1:0] carry_o      = b == 0 ? carry_o_q[EW*n +: EW] : {EW{1'b0}};

        fau #(
          .ARITHMETIC(ARITHMETIC),
          .VARIANT   (VARIANT),
          .D         (D)
        ) u_fau (
          .clk_i         (clk_i),
          .rst_ni        (rst_ni),
          .en_i          (advance),
          .ready_o       (fau_ready[b + P*n]),
          .q_i           (query),
          .q_special_i   (query_special),
          .k_i           (g_kv[b].k),
          .k_special_i   (g_kv[b].k_special),
          .key_i         (beat_key[b + P*n]),
          .first_i       (beat_first),
          .last_i        (beat_last),
          .final_i       (beat_final),
          .carry_i       (carry),
          .v_i           (g_kv[b].v),
          .v_special_i   (g_kv[b].v_special),
          .carry_m_i     (carry_m),
          .carry_poison_i(carry_poison),
          .carry_o_i     (carry_o),
          .carry_used_o  (carry_used[b + P*n]),
          .out_valid_o   (fau_valid),
          .out_ready_i   (fau_take),
          .out_final_o   (fau_final),
          .out_m_o       (fau_m),
          .out_poison_o  (fau_poison),
          .out_o_o       (fau_o)
`ifdef FORMAL
          , .f_carry_at_o(f_carry_at[b + P*n])
`endif
        );

        if (b == 0) begin : g_first
          assign fau_take          = g_run[0].take;
          assign g_run[0].valid    = fau_valid;
          assign g_run[0].is_final = fau_final;
          assign g_run[0].m        = fau_m;
          assign g_run[0].poison   = fau_poison;
          assign g_run[0].o        = fau_o;
        end else begin : g_merge
          wire unused = fau_final;            // block 0's is as good
          acc #(
            .ARITHMETIC(ARITHMETIC),
            .VARIANT   (VARIANT),
            .D         (D)
          ) u_acc (
            .clk_i       (clk_i),
            .rst_ni      (rst_ni),
            .a_valid_i   (g_run[b-1].valid),
            .a_ready_o   (g_run[b-1].take),
            .a_final_i   (g_run[b-1].is_final),
            .a_m_i       (g_run[b-1].m),
            .a_poison_i  (g_run[b-1].poison),
            .a_o_i       (g_run[b-1].o),
            .b_valid_i   (fau_valid),
            .b_ready_o   (fau_take),
            .b_m_i       (fau_m),
            .b_poison_i  (fau_poison),
            .b_o_i       (fau_o),
            .out_valid_o (g_run[b].valid),
            .out_ready_i (g_run[b].take),
            .out_final_o (g_run[b].is_final),
            .out_m_o     (g_run[b].m),
            .out_poison_o(g_run[b].poison),
            .out_o_o     (g_run[b].o)
          );
        end
      end

      assign sum_valids[n]     = g_run[P-1].valid;
      assign sum_finals[n]     = g_run[P-1].is_final;
      assign sum_m[16*n +: 16] = g_run[P-1].m;
      assign sum_poison[n]     = g_run[P-1].poison;
      assign sum_o[EW*n +: EW] = g_run[P-1].o;
      assign g_run[P-1].take   = sum_ready;
    end
  endgenerate

  divide #(
    .ARITHMETIC(ARITHMETIC),
    .D         (D),
    .NQ        (NQ)
  ) u_divide (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .in_valid_i  (sum_valid),
    .in_ready_o  (sum_ready),
    .in_final_i  (sum_final),
    .in_m_i      (sum_m),
    .in_poison_i (sum_poison),
    .in_o_i      (sum_o),
    .out_valid_o (out_valid_o),
    .out_ready_i (out_ready_i),
    .out_final_o (out_final_o),
    .out_m_o     (out_m_o),
    .out_poison_o(out_poison_o),
    .out_o_o     (out_o_o)
  );

  assign sum_valid = &sum_valids;
  assign sum_final = &sum_finals;

  // ---------------------------------------------------------------- the contract
  // What attention_ctrl asks of a group is in there. Queries and elements are held, too, but wide to look at.
  localparam COUNTS = N + 1;                  // 0 .. N
  `ASSUME(kv_block_in_range, !kv_valid_i || {1'b0, kv_block_i} < P[BW:0])
  `ASSUME(kv_row_in_range, !kv_valid_i || {1'b0, kv_row_i} < ROWS[RW:0])
  `ASSUME(q_stride_in_range, !q_valid_i || {1'b0, q_stride_i} < COUNTS[LW:0])
  `ASSUME_STABLE(limit_is_held, q_valid_i, q_ready_o, LW*NQ, q_limit_i)
  `ASSUME_STABLE(carry_is_held, q_valid_i & q_carry_i, q_ready_o, 17*NQ, {carry_m_i, carry_poison_i})
  `ASSUME_STABLE(mask_is_held, mask_valid_i, mask_ready_o, P*NQ, mask_i)
  generate
    for (n = 0; n < NQ; n = n + 1) begin : g_limit
      `ASSUME(q_limit_in_range, !q_valid_i || {1'b0, q_limit_i[LW*n +: LW]} < COUNTS[LW:0])
    end
  endgenerate

  // No kv_sram is read and written at once.
  `ASSUME(no_collision_of_keys, !(kv_valid_i && k_read && kv_row_i == k_row))
  `ASSUME(no_collision_of_values, !(kv_valid_i && v_read && kv_row_i == v_row))

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Proved by induction (tb/formal/) with abstract arithmetic, what goes in and out by attention_whole there.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // The carry register is its group's until used: that group has one first row, on its way to the lanes or in
  // one stage of the FAUs, and the register is that group's there.
  localparam F_STAGES = V_DELAY + 1;           // of an FAU, up to the lanes
  reg  [1:0]            f_group_q, f_owner_q;  // the number of the last group; of that in the register
  reg  [2*F_STAGES-1:0] f_group_at_q;          // of the row in each stage
  reg  [1:0]            f_beat_group_q;
  reg  [(EW+17)*NQ-1:0] f_carry_q;             // of that group, as it came in
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_group_q <= 2'd0;
    else if (accept) f_group_q <= f_group_q + 2'd1;
  end
  wire [1:0] f_group = accept ? f_group_q + 2'd1 : f_group_q;
  always @(posedge clk_i) begin
    if (accept & q_carry_i) f_owner_q <= f_group;
    if (accept & q_carry_i) f_carry_q <= {carry_m_i, carry_poison_i, carry_o_i};
    if (advance) f_beat_group_q <= f_group;
    if (advance) f_group_at_q <= {f_group_at_q[2*F_STAGES-3:0], f_beat_group_q};
  end

  wire [F_STAGES+1:0] f_carries = {f_carry_at[0], beat_first & beat_carry, f_carry_coming};
  integer f_s;
  always @* if (f_run) begin
    assert ((f_carries & (f_carries - 1'b1)) == 0);
    assert (f_carry_waits == (f_carries != 0));
    if (f_carry_waits) assert ({carry_m_q, carry_poison_q, carry_o_q} == f_carry_q);
    if (f_carry_coming) assert (f_owner_q == f_group_q);
    if (beat_first & beat_carry) assert (f_owner_q == f_beat_group_q);
    for (f_s = 0; f_s < F_STAGES; f_s = f_s + 1) begin
      if (f_carry_at[0][f_s]) assert (f_owner_q == f_group_at_q[2*f_s +: 2]);
    end
  end
  generate
    for (n = 0; n < NQ; n = n + 1) begin : g_f_query
      for (b = 0; b < P; b = b + 1) begin : g_f_block
        always @* if (f_run) assert (f_carry_at[b + P*n] == (b == 0 ? f_carry_at[0] : {F_STAGES{1'b0}}));
      end
    end
  endgenerate
`ifdef ENGINE_COVER
  always @(posedge clk_i) if (f_run && f_ran) begin
    cover ((|f_carry_at[0]) && f_group_q == f_owner_q + 2'd2);     // a carry waits while later groups begin
    cover (accept && q_carry_i && f_carry_waits);
  end
`endif
`endif
endmodule
`resetall
