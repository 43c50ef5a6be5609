// synchroniser: brings one bit from elsewhere to this clock: a row of registers, with nothing between them.
//
//   async_i --> [STAGES-1] -> ... -> [0] --> sync_o
//
// The first register may be metastable; the others give it time to settle.  sync_o follows async_i by
// STAGES clock edges, or one more; a pulse shorter than a cycle may be lost.  For levels such as an
// interrupt, one bit each: bits of a word would not arrive together.  lib/synchroniser.sdc leaves out the path
// from async_i into stage_q[STAGES-1]; the attributes tell tools of several makers to leave the row as it is.
//
// STAGES  >= 2        RESET  the output in reset, 0 or 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module synchroniser #(
  parameter STAGES = 2,
  parameter RESET  = 0
) (
  input  wire clk_i,
  input  wire rst_ni,        // active low, asserted asynchronously
  input  wire async_i,       // changes at any time
  output wire sync_o
);
  `PARAMETER(STAGES_must_be_at_least_2, STAGES >= 2)
  `PARAMETER(RESET_must_be_0_to_1, RESET >= 0 && RESET <= 1)
  localparam [STAGES-1:0] IN_RESET = RESET != 0 ? {STAGES{1'b1}} : {STAGES{1'b0}};
  (* async_reg = "true", keep = "true", dont_touch = "true" *) reg [STAGES-1:0] stage_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stage_q <= IN_RESET;
    else stage_q <= {async_i, stage_q[STAGES-1:1]};
  end

  assign sync_o = stage_q[0];
endmodule
`resetall
