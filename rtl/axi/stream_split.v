// stream_split: gives a word as several beats of a stream, the lowest bits first, the last one marked.
//
//   in --> [ .. | beat 1 | beat 0 ] --> out
//
// A word taken in cycle t is offered from t + 1 on; the next one is taken in the cycle after that in which its last
// beat left.  With one beat a word this is stream_hold.
//
// W       bits of a word, >= 1
// BEAT_W  bits of a beat, >= 1; those of the last one beyond W are 0
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module stream_split #(
  parameter W      = 20,
  parameter BEAT_W = 8
) (
  input  wire              clk_i,
  input  wire              rst_ni,       // active low, asserted asynchronously
  input  wire              in_valid_i,
  output wire              in_ready_o,
  input  wire [W-1:0]      in_data_i,
  input  wire [31:0]       in_more_i,    // beats of the word after the first, below ceil(W / BEAT_W)
  output wire              out_valid_o,
  input  wire              out_ready_i,
  output wire [BEAT_W-1:0] out_data_o,
  output wire              out_last_o
);
  `PARAMETER(W_must_be_at_least_1, W >= 1)
  `PARAMETER(BEAT_W_must_be_at_least_1, BEAT_W >= 1)
  localparam BEATS = (W + BEAT_W - 1) / BEAT_W;
  localparam CW    = $clog2(BEATS > 1 ? BEATS : 2);
  localparam ALL_W = BEATS * BEAT_W;
  localparam [CW-1:0] NONE = 0;
  localparam [CW-1:0] ONE  = 1;
  reg             valid_q;
  reg [CW-1:0]    left_q;                  // beats after this one
  reg [ALL_W-1:0] word_q;                  // this one lowest
  wire            put  = in_valid_i & in_ready_o;
  wire            take = out_valid_o & out_ready_i;

  assign in_ready_o  = ~valid_q;
  assign out_valid_o = valid_q;
  assign out_data_o  = word_q[BEAT_W-1:0];
  assign out_last_o  = left_q == NONE;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_q ? ~(out_ready_i & out_last_o) : in_valid_i;
  end
  always @(posedge clk_i) begin
    if (put) left_q <= in_more_i[CW-1:0];
    else if (take) left_q <= left_q - ONE;
  end
  wire [ALL_W-1:0] whole;
  generate
    if (BEATS == 1) begin : g_one
      always @(posedge clk_i) if (put) word_q <= whole;
    end else begin : g_many
      always @(posedge clk_i) if (put | take) word_q <= put ? whole : word_q >> BEAT_W;
    end
    if (ALL_W > W) begin : g_rest
      assign whole = {{(ALL_W-W){1'b0}}, in_data_i};
    end else begin : g_whole
      assign whole = in_data_i;
    end
  endgenerate
  wire unused = &{1'b0, in_more_i[31:CW]};

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Any bit of a word is that bit of its beat, and the last beat is the one asked for.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  (* anyconst *) wire [31:0] f_bit;
  always @* assume (f_bit < ALL_W);
  always @* assume (in_more_i < BEATS);
  reg               f_q;                   // as it came in
  reg  [31:0]       f_more_q, f_beat_q;    // beats after the first; the number of this one
  wire [ALL_W-1:0]  f_in  = {{ALL_W{1'b0}}, in_data_i} >> f_bit;
  wire [BEAT_W-1:0] f_out = out_data_o >> (f_bit % BEAT_W);
  wire [ALL_W-1:0]  f_place = word_q >> (f_bit - f_beat_q * BEAT_W);
  always @(posedge clk_i) begin
    if (put) begin
      f_q      <= f_in[0];
      f_more_q <= in_more_i;
      f_beat_q <= 0;
    end else if (take) f_beat_q <= f_beat_q + 1;
  end
  always @* if (f_run && valid_q) begin
    assert (f_beat_q <= f_more_q && f_more_q < BEATS && left_q == f_more_q - f_beat_q);
    if (f_beat_q <= f_bit / BEAT_W) assert (f_place[0] == f_q);
    if (f_beat_q == f_bit / BEAT_W) assert (f_out[0] == f_q);
    assert (out_last_o == (f_beat_q == f_more_q));
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(in_valid_i && in_ready_o)) assert (out_valid_o && f_beat_q == 0);
    else assert (out_valid_o == $past(out_valid_o && !(out_ready_i && out_last_o)));
    if ($past(out_valid_o && !out_ready_i)) assert ({out_data_o, out_last_o} == $past({out_data_o, out_last_o}));
`ifdef FORMAL_COVER
    cover (take && out_last_o && f_more_q == BEATS - 1 && $past(!out_valid_o, BEATS + 1) && $past(out_valid_o, BEATS + 2));
    cover (take && out_last_o && f_more_q == 0);
`endif
  end
`endif
endmodule
`resetall
