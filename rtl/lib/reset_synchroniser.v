// reset_synchroniser: a reset that falls at any time, and rises with the clock.
//
//   arst_ni --> rst_no     low at once; high again with the clock edge STAGES after arst_ni's rise, or one later
//
// It is low with arst_ni whatever the registers hold, so also before the first edge of a clock or of arst_ni itself.
//
// All resets of this RTL ask for one that rises so (rst_ni, aresetn): each clock of a chip has one of these.
//
// STAGES  >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module reset_synchroniser #(
  parameter STAGES = 2
) (
  input  wire clk_i,
  input  wire arst_ni,       // active low, changes at any time
  output wire rst_no         // active low, falls at any time, rises with clk_i
);
  `PARAMETER(STAGES_must_be_at_least_2, STAGES >= 2)
  wire risen;
  assign rst_no = risen & arst_ni;         // no glitch: risen is 0 when arst_ni rises
  synchroniser #(.STAGES(STAGES)) u_sync (
    .clk_i  (clk_i),
    .rst_ni (arst_ni),
    .async_i(1'b1),
    .sync_o (risen)
  );
endmodule
`resetall
