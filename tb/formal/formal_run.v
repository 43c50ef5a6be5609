// formal_run: the cycles a proof speaks about: reset first, then any run with or without resets.
//
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module formal_run (
  input  wire clk_i,
  input  wire rst_ni,
  output wire run_o,                     // there is a previous cycle, and no reset now
  output wire ran_o                      // nor in the previous cycle: $past() means something
);
  reg past = 1'b0;
  reg ran  = 1'b0;
  always @(posedge clk_i) begin
    past <= 1'b1;
    ran  <= run_o;
  end
  always @* if (!past) assume (!rst_ni);

  assign run_o = past & rst_ni;
  assign ran_o = ran;
endmodule
`resetall
