// stream_hold: one word of a stream on its way: nothing passes from an input to an output in the same cycle.
//
//   in --> [word] --> out
//
// A word taken in cycle t is offered in t + 1; the next one is taken in the cycle after that in which it
// left, so a word every two cycles.  For wide words that come more seldom; fifo is for those that do not.
//
// W  bits of a word, >= 1
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module stream_hold #(
  parameter W = 8
) (
  input  wire         clk_i,
  input  wire         rst_ni,        // active low, asserted asynchronously
  input  wire         in_valid_i,
  output wire         in_ready_o,
  input  wire [W-1:0] in_data_i,
  output wire         out_valid_o,
  input  wire         out_ready_i,
  output wire [W-1:0] out_data_o
);
  reg         valid_q;
  reg [W-1:0] word_q;

  assign in_ready_o  = ~valid_q;
  assign out_valid_o = valid_q;
  assign out_data_o  = word_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_q ? ~out_ready_i : in_valid_i;
  end

  always @(posedge clk_i) if (in_valid_i & ~valid_q) word_q <= in_data_i;

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // What goes in comes out once, unchanged, and stays on offer until it is taken.
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(in_valid_i && in_ready_o)) assert (out_valid_o && out_data_o == $past(in_data_i));
    else assert (out_valid_o == $past(out_valid_o && !out_ready_i));
    if ($past(out_valid_o && !out_ready_i)) assert (out_data_o == $past(out_data_o));
`ifdef FORMAL_COVER
    cover (out_valid_o && $past(out_valid_o, 2) && $past(!out_valid_o));
`endif
  end
  always @* if (f_run) assert (!(in_ready_o && out_valid_o));
`endif
endmodule
`resetall
