// stream_join: makes one word of several beats of a stream, the lowest bits first.
//
//   in --> [ .. | beat 1 | beat 0 ] --> out
//
// The word is offered in the cycle after its last beat was taken; the next beat is taken in the cycle after that in
// which it left.  With one beat a word this is stream_hold.
//
// W       bits of a word, >= 1
// BEAT_W  bits of a beat, >= 1; bits of the last one beyond W are ignored
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module stream_join #(
  parameter W      = 20,
  parameter BEAT_W = 8
) (
  input  wire              clk_i,
  input  wire              rst_ni,       // active low, asserted asynchronously
  input  wire              in_valid_i,
  output wire              in_ready_o,
  input  wire [BEAT_W-1:0] in_data_i,
  output wire              out_valid_o,
  input  wire              out_ready_i,
  output wire [W-1:0]      out_data_o
);
  `PARAMETER(W_must_be_at_least_1, W >= 1)
  `PARAMETER(BEAT_W_must_be_at_least_1, BEAT_W >= 1)
  localparam BEATS = (W + BEAT_W - 1) / BEAT_W;
  localparam COUNTS = BEATS + 1;           // 0 .. BEATS
  localparam CW    = $clog2(COUNTS);
  localparam [CW-1:0] FULL = BEATS[CW-1:0];
  reg [CW-1:0]           count_q;          // beats there
  reg [BEATS*BEAT_W-1:0] word_q;           // the youngest highest

  assign out_valid_o = count_q == FULL;
  assign in_ready_o  = ~out_valid_o;
  assign out_data_o  = word_q[W-1:0];

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= {CW{1'b0}};
    else if (out_valid_o) count_q <= out_ready_i ? {CW{1'b0}} : FULL;
    else count_q <= count_q + {{(CW-1){1'b0}}, in_valid_i};
  end
  generate
    if (BEATS == 1) begin : g_one
      always @(posedge clk_i) if (in_valid_i & in_ready_o) word_q <= in_data_i;
    end else begin : g_many
      always @(posedge clk_i) if (in_valid_i & in_ready_o) word_q <= {in_data_i, word_q[BEATS*BEAT_W-1:BEAT_W]};
    end
    if (BEATS*BEAT_W > W) begin : g_rest
      wire unused = &{1'b0, word_q[BEATS*BEAT_W-1:W]};
    end
  endgenerate

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Any bit of a word is that bit of its beat.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  (* anyconst *) wire [31:0] f_bit;
  always @* assume (f_bit < W);
  reg             f_q;                     // as it came in
  wire [W-1:0]    f_out  = out_data_o >> f_bit;
  wire [BEAT_W-1:0] f_in = in_data_i >> (f_bit % BEAT_W);
  wire [31:0]     f_count = count_q, f_beat = f_bit / BEAT_W;
  always @(posedge clk_i) if (in_valid_i && in_ready_o && f_count == f_beat) f_q <= f_in[0];
  wire [BEATS*BEAT_W-1:0] f_place = word_q >> ((BEATS - f_count) * BEAT_W + f_bit);
  always @* if (f_run) begin
    assert (count_q <= FULL);
    if (f_count > f_beat) assert (f_place[0] == f_q);
    if (out_valid_o) assert (f_out[0] == f_q && !in_ready_o);
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(out_valid_o && !out_ready_i)) assert (out_valid_o && out_data_o == $past(out_data_o));
    if ($past(out_valid_o && out_ready_i)) assert (count_q == 0);
    if ($past(in_ready_o)) assert (count_q == $past(count_q + in_valid_i));
`ifdef FORMAL_COVER
    cover (out_valid_o && $past(out_valid_o, BEATS + 1) && $past(!out_valid_o));
`endif
  end
`endif
endmodule
`resetall
