// attention_ctrl: takes groups of queries and streams rows of keys past them.
//
//   cycle of acceptance    next cycle           ...
//   row 0 addressed        row 0 at the FAUs    ...      last row at the FAUs
//                          row 1 addressed               next group accepted, its row 0 addressed
//
// All blocks read the same row.  A group's parameters are registered when it is accepted, but row 0 is
// addressed from the inputs, so that groups follow each other without a gap.
//
// Protocol
//  - en_i: everything downstream advances.  Without it nothing is accepted, read or moved.
//  - A row is addressed (row_read_o) once its beat of mask is there, if the group uses the mask; the
//    group itself does not wait for it.  The beat_* outputs describe the row addressed in the previous
//    enabled cycle, and are zero if there was none.
//  - The carry register outside is loaded with accept_o and busy until carry_used_i; meanwhile no
//    other group with a carry is accepted.
//  - q_ready_o depends combinationally on en_i, q_carry_i and carry_used_i, the outputs to mask and
//    memory on the group's inputs and en_i, row_read_o on mask_valid_i as well.
//
// P     blocks, >= 1                      RW  width of a row's address
// NQ    queries in a group, >= 1          LW  width of a count of keys, up to P ROWS
// ROWS  rows of a block, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module attention_ctrl #(
  parameter P    = 4,
  parameter NQ   = 1,
  parameter ROWS = 256
) (
  input  wire             clk_i,
  input  wire             rst_ni,        // active low, asserted asynchronously
  input  wire             en_i,

  // Groups
  input  wire             q_valid_i,
  output wire             q_ready_o,
  input  wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] q_base_i,
  input  wire [$clog2(ROWS > 1 ? ROWS : 2):0]   q_rows_i,      // 1 .. ROWS
  input  wire [$clog2(P*ROWS+1)-1:0]            q_stride_i,
  input  wire [$clog2(P*ROWS+1)*NQ-1:0]         q_limit_i,
  input  wire             q_use_mask_i,
  input  wire             q_final_i,
  input  wire             q_carry_i,
  output wire             accept_o,      // load queries and carry
  input  wire             carry_used_i,

  // Mask, a beat for each row
  input  wire             mask_valid_i,
  output wire             mask_ready_o,
  input  wire [P*NQ-1:0]  mask_i,        // bit b + P n

  // Memory
  output wire             row_read_o,
  output wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] row_addr_o,

  // The row at the FAUs
  output wire             beat_first_o,  // of its group
  output wire             beat_last_o,
  output wire             beat_final_o,
  output wire             beat_carry_o,
  output wire [P*NQ-1:0]  beat_key_o     // bit b + P n: the key of block b takes part for query n
`ifdef FORMAL
  , output wire           f_carry_waits_o,
  output wire             f_carry_coming_o   // the first row of its group is not at the FAUs yet
`endif
);
  `PARAMETER(P_must_be_at_least_1, P >= 1)
  `PARAMETER(NQ_must_be_at_least_1, NQ >= 1)
  `PARAMETER(ROWS_must_be_at_least_1, ROWS >= 1)
  localparam RW = $clog2(ROWS > 1 ? ROWS : 2);
  localparam LW = $clog2(P*ROWS+1);
  localparam IW = LW + $clog2(P+1);      // an index: P - 1 strides and a row fit
  localparam [RW:0]   NO_ROWS  = 0;
  localparam [RW:0]   ONE_ROW  = 1;
  localparam [RW-1:0] ONE_ADDR = 1;
  localparam           LAST_ROW = ROWS - 1;

  // The group under way
  reg [RW:0]      left_q;                // rows not yet addressed
  reg [RW-1:0]    row_q;                 // the next one
  reg             first_q;               // it is the first
  reg             use_mask_q;
  reg             final_q;
  reg             carry_q;
  reg [LW*NQ-1:0] limit_q;
  reg             carry_waits_q;         // in the engine's carry register

  // The row at the FAUs
  reg             beat_q;                // there is one
  reg             beat_first_q;
  reg             beat_last_q;
  reg [P*NQ-1:0]  mask_q;

  // ---------------------------------------------------------------- accept a group
  wire accept = q_valid_i & q_ready_o;

  assign q_ready_o = en_i & (left_q == NO_ROWS) & ~(q_carry_i & carry_waits_q & ~carry_used_i);
  assign accept_o  = accept;

  always @(posedge clk_i) begin
    if (accept) begin
      use_mask_q <= q_use_mask_i;
      final_q    <= q_final_i;
      carry_q    <= q_carry_i;
      limit_q    <= q_limit_i;
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) carry_waits_q <= 1'b0;
    else if (accept & q_carry_i) carry_waits_q <= 1'b1;
    else if (carry_used_i) carry_waits_q <= 1'b0;
  end

  // ---------------------------------------------------------------- address a row
  wire [RW:0]   left     = accept ? q_rows_i : left_q;
  wire [RW-1:0] row      = accept ? q_base_i : row_q;
  wire          first    = accept | first_q;
  wire          use_mask = accept ? q_use_mask_i : use_mask_q;
  wire          wanted   = en_i & (left != NO_ROWS);
  wire          issue    = wanted & (mask_valid_i | ~use_mask);

  assign mask_ready_o = wanted & use_mask;
  assign row_read_o   = issue;
  assign row_addr_o   = row;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= NO_ROWS;
    else left_q <= issue ? left - ONE_ROW : left;
  end

  always @(posedge clk_i) begin
    first_q <= first & ~issue;
    row_q   <= ~issue ? row : row == LAST_ROW[RW-1:0] ? {RW{1'b0}} : row + ONE_ADDR;
  end

  // ---------------------------------------------------------------- the row at the FAUs
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= 1'b0;
    else if (en_i) beat_q <= issue;
  end

  always @(posedge clk_i) begin
    if (issue) begin
      beat_first_q <= first;
      beat_last_q  <= left == ONE_ROW;
      mask_q       <= mask_i | {P*NQ{~use_mask}};
    end
  end

  genvar b, n;
  generate
    for (b = 0; b < P; b = b + 1) begin : g_block
      // Key of row 0: b strides, each block's from the one before it.
      wire [IW-1:0] start;
      if (b == 0) begin : g_start
        assign start = {IW{1'b0}};
        wire unused = &{1'b0, q_stride_i};   // with one block
      end else begin : g_start
        assign start = g_block[b-1].start + {{(IW-LW){1'b0}}, q_stride_i};
      end

      reg [IW-1:0] index_q;
      always @(posedge clk_i) begin
        if (accept) index_q <= start;
        else if (issue & ~first_q) index_q <= index_q + {{(IW-1){1'b0}}, 1'b1};
      end

      for (n = 0; n < NQ; n = n + 1) begin : g_query
        wire [IW-1:0] limit = {{(IW-LW){1'b0}}, limit_q[LW*n +: LW]};
        assign beat_key_o[b + P*n] = beat_q & mask_q[b + P*n] & (index_q < limit);
      end
    end
  endgenerate

  assign beat_first_o = beat_q & beat_first_q;
  assign beat_last_o  = beat_q & beat_last_q;
  assign beat_final_o = beat_q & final_q;
  assign beat_carry_o = beat_q & carry_q;

  `ASSUME(q_rows_in_range, !q_valid_i || (q_rows_i != NO_ROWS && q_rows_i <= ROWS[RW:0]))
  `ASSUME(q_base_in_range, !q_valid_i || {1'b0, q_base_i} < ROWS[RW:0])
  `ASSUME_STABLE(rows_are_held, q_valid_i, q_ready_o, 2*RW + 1 + LW, {q_base_i, q_rows_i, q_stride_i})
  `ASSUME_STABLE(flags_are_held, q_valid_i, q_ready_o, 3, {q_use_mask_i, q_final_i, q_carry_i})
  `ASSUME(carry_used_waits, carry_waits_q || !carry_used_i)

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Proved by induction (tb/formal/) for small parameters.  A group of n rows makes n beats, each once,
  // the first and the last marked, each key with its index.  Their addresses follow each other from the
  // base, around the block's end, and stay within the block.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  assign f_carry_waits_o  = carry_waits_q;
  assign f_carry_coming_o = left_q != NO_ROWS && first_q && carry_q;

  reg [RW:0]   f_rows_q;                 // of the group under way
  reg [LW-1:0] f_stride_q;
  reg [RW:0]   f_issued_q;               // rows of it that have been addressed
  reg [RW-1:0] f_base_q;
  wire [RW:0]  f_issued = accept ? NO_ROWS : f_issued_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_rows_q   <= NO_ROWS;
      f_issued_q <= NO_ROWS;
    end else begin
      if (accept) f_rows_q <= q_rows_i;
      f_issued_q <= f_issued + {{RW{1'b0}}, issue};
    end
  end
  always @(posedge clk_i) begin
    if (accept) begin
      f_stride_q <= q_stride_i;
      f_base_q   <= q_base_i;
    end
  end

  // The address of the next row: rows follow each other from the base, around the block's end.
  wire [RW:0] f_base = {1'b0, accept ? q_base_i : f_base_q};
  wire [RW:0] f_left = ROWS - f_base;    // rows before that end
  wire [RW:0] f_next = f_issued < f_left ? f_base + f_issued : f_issued - f_left;

  // Of the row at the FAUs: its number within its group. Indices are wide enough here for any stride.
  localparam F_IW = LW + RW + P;
  wire [F_IW-1:0] f_row = {{(F_IW-RW-1){1'b0}}, f_issued_q - ONE_ROW};

  always @* if (f_run) begin
    assert (f_issued_q <= f_rows_q && f_rows_q <= ROWS);
    assert (left_q == f_rows_q - f_issued_q);
    if (f_rows_q != NO_ROWS) assert ({1'b0, f_base_q} < ROWS);
    if (left_q != NO_ROWS || issue) assert ({1'b0, row_addr_o} == f_next);
    if (left_q != NO_ROWS) assert (first_q == (f_issued_q == NO_ROWS));
    if (left_q == NO_ROWS) assert (!first_q || f_rows_q == NO_ROWS);
    if (issue) assert (f_issued < (accept ? q_rows_i : f_rows_q));
    if (beat_q) begin
      assert (f_issued_q != NO_ROWS);
      assert (beat_first_q == (f_issued_q == ONE_ROW));
      assert (beat_last_q == (f_issued_q == f_rows_q));
    end
    if (q_ready_o) assert (en_i && left_q == NO_ROWS);
    if (accept & q_carry_i) assert (!carry_waits_q || carry_used_i);
    if (mask_ready_o & mask_valid_i) assert (issue);           // a mask beat goes with a row
    if (en_i && left_q != NO_ROWS && (!use_mask_q || mask_valid_i)) assert (issue);   // no idling
  end
  // Reset leaves nothing under way.
  always @* if (f_run && !f_ran) assert (left_q == NO_ROWS && !beat_q && !carry_waits_q);

  // The row at the FAUs: with its group's flags, its own beat of mask, its group's limits.
  reg             f_use_mask_q, f_final_q, f_carry_q;
  reg [LW*NQ-1:0] f_limit_q;
  reg [P*NQ-1:0]  f_mask_q;
  always @(posedge clk_i) begin
    if (accept) {f_use_mask_q, f_final_q, f_carry_q, f_limit_q} <= {q_use_mask_i, q_final_i, q_carry_i, q_limit_i};
    if (issue) f_mask_q <= mask_i;
  end
  always @* if (f_run && f_rows_q != NO_ROWS) begin
    assert ({use_mask_q, final_q, carry_q, limit_q} == {f_use_mask_q, f_final_q, f_carry_q, f_limit_q});
    if (beat_q) assert (mask_q == (f_use_mask_q ? f_mask_q : {P*NQ{1'b1}}));
    assert (beat_final_o == (beat_q && f_final_q) && beat_carry_o == (beat_q && f_carry_q));
  end
  genvar f_b, f_n;
  generate
    for (f_b = 0; f_b < P; f_b = f_b + 1) begin : g_f_index
      wire [F_IW-1:0] f_start = f_b * {{(F_IW-LW){1'b0}}, f_stride_q};
      always @* if (f_run && f_rows_q != NO_ROWS && f_issued_q == NO_ROWS) begin
        assert (g_block[f_b].index_q == f_start);
      end
      always @* if (f_run && f_issued_q != NO_ROWS) begin
        assert (g_block[f_b].index_q == f_start + f_row);
      end
      for (f_n = 0; f_n < NQ; f_n = f_n + 1) begin : g_f_key
        wire f_masked = f_use_mask_q && !f_mask_q[f_b + P*f_n];
        wire f_inside = f_start + f_row < {{(F_IW-LW){1'b0}}, f_limit_q[LW*f_n +: LW]};
        always @* if (f_run) assert (beat_key_o[f_b + P*f_n] == (beat_q && !f_masked && f_inside));
      end
    end
  endgenerate
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(!en_i)) begin              // the row at the FAUs holds
      assert (beat_q == $past(beat_q) && beat_first_q == $past(beat_first_q));
      assert (beat_last_q == $past(beat_last_q) && beat_key_o == $past(beat_key_o));
    end
    if ($past(en_i)) assert (beat_q == $past(issue));
`ifdef FORMAL_COVER
    cover (beat_last_q && beat_q && $past(beat_q && beat_last_q));   // groups of one row, back to back
`endif
  end
`endif
endmodule
`resetall
