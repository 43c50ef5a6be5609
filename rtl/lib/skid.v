// skid: two words of a stream on their way: a word a cycle, and no path from out_ready_i to in_ready_o.
//
//   in --+------------------> [first] --> out
//        +--> [spare] ----------^
//
// A word taken in cycle t is offered in t + 1, if none waits before it.  The spare takes the word that comes
// in the cycle in which the output stops.  in_ready_o and out_valid_o come from registers; a word is taken
// in every cycle that follows one with out_ready_i.  For wide words: each is moved at most twice.
//
// W  bits of a word, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module skid #(
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
`ifdef FORMAL
  , output wire [W-1:0] f_spare_o    // the second word, while in_ready_o is low
`endif
);
  `PARAMETER(W_must_be_at_least_1, W >= 1)
  reg         first_valid_q;
  reg         spare_valid_q;
  reg [W-1:0] first_q;
  reg [W-1:0] spare_q;

  wire        put   = in_valid_i & ~spare_valid_q;
  wire        moves = ~first_valid_q | out_ready_i;   // the first place is free for the next word

  assign in_ready_o  = ~spare_valid_q;
  assign out_valid_o = first_valid_q;
  assign out_data_o  = first_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_valid_q <= 1'b0;
      spare_valid_q <= 1'b0;
    end else begin
      first_valid_q <= ~moves | spare_valid_q | in_valid_i;
      spare_valid_q <= ~moves & (spare_valid_q | in_valid_i);
    end
  end

  always @(posedge clk_i) begin
    if (moves & (spare_valid_q | in_valid_i)) first_q <= spare_valid_q ? spare_q : in_data_i;
    if (put & ~moves) spare_q <= in_data_i;
  end

  `ASSERT(spare_is_behind_first, first_valid_q || !spare_valid_q)

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Words come out in the order in which they went in, none lost, none twice: number them, and follow
  // the word of any one number.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  (* anyconst *) wire [2:0] f_number;
  reg  [2:0]   f_in_q, f_out_q;          // counts beyond what is held
  reg  [W-1:0] f_word_q;
  wire [2:0]   f_ahead = f_number - f_out_q;
  wire [1:0]   f_level = {1'b0, first_valid_q} + {1'b0, spare_valid_q};
  wire         f_take  = out_valid_o & out_ready_i;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_q  <= 0;
      f_out_q <= 0;
    end else begin
      if (in_valid_i & in_ready_o) f_in_q <= f_in_q + 1'b1;
      if (f_take) f_out_q <= f_out_q + 1'b1;
    end
  end
  always @(posedge clk_i) if (in_valid_i && in_ready_o && f_in_q == f_number) f_word_q <= in_data_i;

  assign f_spare_o = spare_q;

  // What in_ready_o and out_valid_o were going to be was known at the clock edge: they are registers.
  reg f_ready_q, f_valid_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_ready_q <= 1'b1;
      f_valid_q <= 1'b0;
    end else begin
      f_ready_q <= f_level + {1'b0, in_valid_i & in_ready_o} - {1'b0, f_take} != 2'd2;
      f_valid_q <= f_level + {1'b0, in_valid_i & in_ready_o} - {1'b0, f_take} != 2'd0;
    end
  end

  always @* if (f_run) begin
    assert (in_ready_o == f_ready_q && out_valid_o == f_valid_q);
    assert (f_in_q == f_out_q + {1'b0, f_level});
    if (f_ahead == 3'd0 && first_valid_q) assert (first_q == f_word_q);
    if (f_ahead == 3'd1 && spare_valid_q) assert (spare_q == f_word_q);
    if (f_take && f_out_q == f_number) assert (out_data_o == f_word_q);
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(out_valid_o && !out_ready_i)) assert (out_valid_o && out_data_o == $past(out_data_o));
    if ($past(in_valid_i && in_ready_o)) assert (out_valid_o);   // offered in the next cycle
    if ($past(out_ready_i)) assert (in_ready_o);                 // a word a cycle
`ifdef FORMAL_COVER
    cover (!in_ready_o && $past(f_take, 2));
    cover (f_out_q == 3'd4 && $past(f_take, 4) && $past(f_take, 3) && $past(f_take, 2) && $past(f_take));
`endif
  end
`endif
endmodule
`resetall
