// attention_whole: the engine as it is, with the traffic that its contract allows, in arithmetic that counts; for
// proofs only.
//
// A row is 1 in two bits of its own (stubs/kv_sram.v), sums are sums, and scores are 0: a result says how often
// each row took part in it. It must be what group, mask and carry, all seen at the ports alone, ask for, for each
// group, in order, each once, and in time.  With INDUCTION that is left away: attention_engine's own properties.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module attention_whole #(
  parameter P  = 1,
  parameter NQ = 1,
  parameter N  = 2
) (
  input wire                                 clk_i,
  input wire                                 rst_ni,
  input wire                                 kv_valid_i,
  input wire [$clog2(P > 1 ? P : 2)-1:0]     kv_block_i,
  input wire [$clog2(N/P > 1 ? N/P : 2)-1:0] kv_row_i,
  input wire                                 q_valid_i,
  input wire [$clog2(N/P > 1 ? N/P : 2)-1:0] q_base_i,
  input wire [$clog2(N/P > 1 ? N/P : 2):0]   q_rows_i,
  input wire [$clog2(N+1)-1:0]               q_stride_i,
  input wire [$clog2(N+1)*NQ-1:0]            q_limit_i,
  input wire                                 q_use_mask_i,
  input wire                                 q_final_i,
  input wire                                 q_carry_i,
  input wire                                 carry_large_i,
  input wire                                 carry_poison_i,
  input wire                                 carry_i,
  input wire                                 mask_valid_i,
  input wire [P*NQ-1:0]                      mask_i,
  input wire                                 out_ready_i
);
  localparam D    = 2;
  localparam ROWS = N / P;
  localparam RW   = $clog2(ROWS > 1 ? ROWS : 2);
  localparam LW   = $clog2(N+1);
  localparam EW   = 17 * (D + 1);
  localparam [RW:0] ALL_ROWS = ROWS;

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  wire             q_ready, mask_ready, out_valid, out_final;
  wire [16*NQ-1:0] out_m;
  wire [NQ-1:0]    out_poison;
  wire [EW*NQ-1:0] out_o;
  attention_engine #(.D(D), .P(P), .NQ(NQ), .N(N)) u_engine (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .kv_valid_i(kv_valid_i), .kv_block_i(kv_block_i), .kv_row_i(kv_row_i),
    .kv_k_i({16*D{1'b0}}), .kv_v_i({16*D{1'b0}}),
    .q_valid_i(q_valid_i), .q_ready_o(q_ready), .q_i({16*D*NQ{1'b0}}),
    .q_base_i(q_base_i), .q_rows_i(q_rows_i), .q_stride_i(q_stride_i), .q_limit_i(q_limit_i),
    .q_use_mask_i(q_use_mask_i), .q_final_i(q_final_i), .q_carry_i(q_carry_i),
    .carry_m_i({NQ{carry_large_i ? 16'h4000 : 16'hff80}}), .carry_o_i({(D+1)*NQ{8'd0, carry_i, 8'd0}}),
    .carry_poison_i({NQ{carry_poison_i}}),
    .mask_valid_i(mask_valid_i), .mask_ready_o(mask_ready), .mask_i(mask_i),
    .out_valid_o(out_valid), .out_ready_i(out_ready_i), .out_final_o(out_final),
    .out_m_o(out_m), .out_poison_o(out_poison), .out_o_o(out_o)
  );
  wire accept = q_valid_i & q_ready;

  // ---------------------------------------------------------------- the contract
  `ASSUME(block_in_range, kv_block_i < P)
  `ASSUME(row_in_range, kv_row_i < ROWS)
  `ASSUME(rows_in_range, q_rows_i != 0 && q_rows_i <= ROWS)
  `ASSUME(base_in_range, q_base_i < ROWS)
  `ASSUME(stride_in_range, q_stride_i <= N)
  `ASSUME_STABLE(rows_held, q_valid_i, q_ready, 2*RW + 1 + LW, {q_base_i, q_rows_i, q_stride_i})
  `ASSUME_STABLE(flags_held, q_valid_i, q_ready, 3, {q_use_mask_i, q_final_i, q_carry_i})
  `ASSUME_STABLE(limit_held, q_valid_i, q_ready, LW*NQ, q_limit_i)
  `ASSUME_STABLE(carry_held, q_valid_i, q_ready, 3, {carry_large_i, carry_poison_i, carry_i})
  `ASSUME_STABLE(mask_held, mask_valid_i, mask_ready, P*NQ, mask_i)
  genvar b, n;
  generate
    for (n = 0; n < NQ; n = n + 1) begin : g_limit
      `ASSUME(limit_in_range, q_limit_i[LW*n +: LW] <= N)
    end
  endgenerate
  always @* assume (!kv_valid_i);            // which rows may be written: attention_memory

`ifndef INDUCTION
  // ---------------------------------------------------------------- the group of any one number
  localparam G_W = 5;                        // more than are on their way
  (* anyconst *) wire [G_W-1:0] number;
  reg  [G_W-1:0] in_q, out_q;                // groups taken, results given
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {in_q, out_q} <= 0;
    else begin
      if (accept) in_q <= in_q + 1'b1;
      if (out_valid & out_ready_i) out_q <= out_q + 1'b1;
    end
  end
  wire begins = accept && in_q == number;
  reg  mine_q;                               // the last group taken is the one
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mine_q <= 1'b0;
    else if (accept) mine_q <= begins;
  end
  wire mine = accept ? begins : mine_q;

  reg [RW-1:0]    base_q;
  reg [LW-1:0]    stride_q;
  reg [LW*NQ-1:0] limit_q;
  reg             use_mask_q, final_q, carry_q, large_q, poison_q;
  reg             start_q;
  reg [RW:0]      rows_q;
  reg [RW:0]      beats_q;                   // of mask, taken
  always @(posedge clk_i) if (begins) begin
    {base_q, rows_q, stride_q, limit_q} <= {q_base_i, q_rows_i, q_stride_i, q_limit_i};
    {use_mask_q, final_q, carry_q} <= {q_use_mask_i, q_final_i, q_carry_i};
    {large_q, poison_q, start_q} <= {q_carry_i && carry_large_i, q_carry_i && carry_poison_i, q_carry_i && carry_i};
  end
  wire beat = mask_valid_i & mask_ready;
  wire [RW:0] beats = begins ? {(RW+1){1'b0}} : beats_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beats_q <= 0;
    else if (mine) beats_q <= beats + beat;
  end
  reg [P*NQ*ROWS-1:0] mask_q;                // row r from bit P NQ r
  always @(posedge clk_i) if (mine & beat) mask_q[P*NQ*beats +: P*NQ] <= mask_i;

  // What the result must be.
  wire [17*NQ-1:0] sum;
  wire [NQ-1:0]    any;
  generate
    for (n = 0; n < NQ; n = n + 1) begin : g_expected
      reg [16:0] total;
      reg        some;
      reg [RW:0] row;
      reg        part;
      integer    r, k;
      always @* begin
        total = {8'd0, start_q, 8'd0};
        some  = 1'b0;
        for (r = 0; r < ROWS; r = r + 1) begin
          row = base_q + r < ALL_ROWS ? base_q + r : base_q + r - ALL_ROWS;
          for (k = 0; k < P; k = k + 1) begin
            part = r < rows_q && (!use_mask_q || mask_q[P*NQ*r + P*n + k]) &&
                   32'd0 + k * stride_q + r < limit_q[LW*n +: LW];
            if (part) total = total + (17'd1 << {row[1:0], 1'b0});
            some = some | part;
          end
        end
      end
      assign sum[17*n +: 17] = total;
      assign any[n]          = some;
    end
  endgenerate

  always @* if (f_run && out_valid) assert (out_q != in_q);      // nothing out of nothing
  wire shows = out_valid && out_q == number && in_q != number;
  always @* if (f_run && shows) begin
    assert (out_final == final_q);
    if (use_mask_q) assert (beats_q == rows_q);
  end
  generate
    for (n = 0; n < NQ; n = n + 1) begin : g_result
      wire [EW-1:0] o = out_o[EW*n +: EW];
      wire [15:0]   y = poison_q ? 16'h7fc0 : sum[17*n +: 16];
      always @* if (f_run && shows) begin
        assert (out_poison[n] == poison_q);
        assert (out_m[16*n +: 16] == (large_q ? 16'h4000 : any[n] ? 16'h0000 : 16'hff80));
        assert (o[17*D +: 17] == (final_q ? {1'b0, y} : sum[17*n +: 17]));
      end
    end
  endgenerate

  // ---------------------------------------------------------------- no deadlock
  // With results taken and masks there, no more than a group's cycles pass until the next result; a waiting group
  // is taken as soon.
  localparam BOUND = ROWS + 15 + 1 + 3 * (P - 1);
  wire prompt = out_ready_i & mask_valid_i;
  wire owed   = out_q != in_q || q_valid_i;
  reg  [5:0] still_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) still_q <= 6'd0;
    else still_q <= (prompt && owed && !out_valid) ? still_q + 6'd1 : 6'd0;
  end
  always @* if (f_run) assert (still_q <= BOUND);

`ifdef REACH                                 // must fail: what it speaks about exists
  always @* if (f_run) assert (!(shows && number == 1 && carry_q && use_mask_q && any == {NQ{1'b1}}));
`endif
`endif
endmodule
`resetall
