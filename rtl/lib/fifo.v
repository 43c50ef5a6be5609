// fifo: a queue of DEPTH words; the oldest is in a register of its own, all others move up behind it.
//
//   in --> [DEPTH-1] -> ... -> [1] -> [0] --> out
//             +--- into the first free ---+
//
// A word taken in cycle t is offered in t + 1 at the earliest.  No path from an input to an output.
// For a few narrow words: every word moves with every take.
//
// W      bits of a word, >= 1
// DEPTH  words, >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module fifo #(
  parameter W     = 8,
  parameter DEPTH = 4
) (
  input  wire               clk_i,
  input  wire               rst_ni,        // active low, asserted asynchronously
  input  wire               in_valid_i,
  output wire               in_ready_o,
  input  wire [W-1:0]       in_data_i,
  output wire               out_valid_o,
  input  wire               out_ready_i,
  output wire [W-1:0]       out_data_o,
  output wire [$clog2(DEPTH+1)-1:0] level_o    // words held
`ifdef FORMAL
  , output wire [W*DEPTH-1:0] f_words_o    // the oldest lowest
`endif
);
  `PARAMETER(W_must_be_at_least_1, W >= 1)
  `PARAMETER(DEPTH_must_be_at_least_2, DEPTH >= 2)
  localparam LEVEL_W = $clog2(DEPTH + 1);
  localparam LEVELS  = DEPTH + 1;
  localparam [LEVEL_W-1:0] ONE  = 1;
  localparam [LEVEL_W-1:0] FULL = DEPTH[LEVEL_W-1:0];

  reg  [LEVEL_W-1:0] level_q;
  reg  [W*DEPTH-1:0] word_q;               // the oldest lowest
  wire               put   = in_valid_i & in_ready_o;
  wire               take  = out_valid_o & out_ready_i;
  wire [LEVEL_W-1:0] place = take ? level_q - ONE : level_q;    // of a word put in now

  assign in_ready_o  = level_q != FULL;
  assign out_valid_o = level_q != {LEVEL_W{1'b0}};
  assign out_data_o  = word_q[W-1:0];
  assign level_o     = level_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) level_q <= {LEVEL_W{1'b0}};
    else level_q <= put ? place + ONE : place;
  end

  genvar i;
  generate
    for (i = 0; i < DEPTH; i = i + 1) begin : g_word
      localparam [LEVEL_W-1:0] HERE = i[LEVEL_W-1:0];
      wire [W-1:0] behind;
      if (i + 1 < DEPTH) begin : g_behind
        assign behind = word_q[W*(i+1) +: W];
      end else begin : g_last
        assign behind = in_data_i;
      end
      always @(posedge clk_i) begin
        if (put && place == HERE) word_q[W*i +: W] <= in_data_i;
        else if (take) word_q[W*i +: W] <= behind;
      end
    end
  endgenerate

  `ASSERT(level_in_range, {1'b0, level_q} < LEVELS[LEVEL_W:0])
  `ASSERT_STABLE(output_is_held, out_valid_o, out_ready_i, W, out_data_o)

`ifdef FORMAL
  assign f_words_o = word_q;
  // ---------------------------------------------------------------- properties
  // Words come out in the order in which they went in, none lost, none twice: number them, and follow
  // the word of any one number.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  localparam N_W = LEVEL_W + 1;            // counts beyond what is held
  (* anyconst *) wire [N_W-1:0] f_number;
  reg  [N_W-1:0]     f_in_q, f_out_q;
  reg  [W-1:0]       f_word_q;
  wire [N_W-1:0]     f_ahead  = f_number - f_out_q;
  wire [W*DEPTH-1:0] f_word_at = word_q >> (W * f_ahead);
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_q  <= 0;
      f_out_q <= 0;
    end else begin
      if (put) f_in_q <= f_in_q + 1'b1;
      if (take) f_out_q <= f_out_q + 1'b1;
    end
  end
  always @(posedge clk_i) if (put && f_in_q == f_number) f_word_q <= in_data_i;
  always @* if (f_run) begin
    assert (level_q <= FULL);
    assert (f_in_q == f_out_q + {1'b0, level_q});
    if (f_ahead < {1'b0, level_q}) assert (f_word_at[W-1:0] == f_word_q);
    if (take && f_out_q == f_number) assert (out_data_o == f_word_q);
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(out_valid_o && !out_ready_i)) assert (out_valid_o && out_data_o == $past(out_data_o));
    if ($past(put)) assert (out_valid_o);
`ifdef FORMAL_COVER
    cover (level_q == FULL && $past(take, 2));
    cover (f_out_q == FULL && level_q == 0);
`endif
  end
`endif
endmodule
`resetall
