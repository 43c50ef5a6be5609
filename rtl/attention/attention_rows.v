// attention_rows: the rows of keys that have been read and whose values have not: the address of the values, DELAY
// cycles after that of the keys, and whether one of these rows was written in between.
//
//   k_read_i k_row_i --> [row] -> ... -> [row] --> v_read_o v_row_o
//                          |  each compared  |
//   we_i waddr_i ----------+-----------------+--> [overwritten_o]
//
// The rows move with en_i, and in such a cycle alone v_read_o reads.  overwritten_o is 1 in the cycle after one in which
// a row was written from the read of its key to that of its value, both included: what its group gives may then be of
// a key and a value that do not belong together.
//
// ROWS   of a block, >= 1
// DELAY  enabled cycles from keys to values, >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module attention_rows #(
  parameter ROWS  = 256,
  parameter DELAY = 15
) (
  input  wire clk_i,
  input  wire rst_ni,                    // active low, asserted asynchronously
  input  wire en_i,
  input  wire k_read_i,                  // with en_i alone
  input  wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] k_row_i,
  output wire v_read_o,
  output wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] v_row_o,
  input  wire we_i,
  input  wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] waddr_i,
  output wire overwritten_o
);
  `PARAMETER(ROWS_must_be_at_least_1, ROWS >= 1)
  `PARAMETER(DELAY_must_be_at_least_2, DELAY >= 2)
  localparam RW = $clog2(ROWS > 1 ? ROWS : 2);
  reg [DELAY-1:0]    wanted_q;           // the youngest lowest
  reg [RW*DELAY-1:0] row_q;
  reg                overwritten_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wanted_q <= {DELAY{1'b0}};
    else if (en_i) wanted_q <= {wanted_q[DELAY-2:0], k_read_i};
  end
  always @(posedge clk_i) if (en_i) row_q <= {row_q[RW*(DELAY-1)-1:0], k_row_i};

  assign v_read_o = en_i & wanted_q[DELAY-1];
  assign v_row_o  = row_q[RW*DELAY-1 -: RW];

  wire [DELAY-1:0] hit;
  genvar g;
  generate
    for (g = 0; g < DELAY; g = g + 1) begin : g_row
      assign hit[g] = wanted_q[g] & (row_q[RW*g +: RW] == waddr_i);
    end
  endgenerate
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) overwritten_q <= 1'b0;
    else overwritten_q <= we_i & ((k_read_i & (k_row_i == waddr_i)) | (|hit));
  end
  assign overwritten_o = overwritten_q;
endmodule
`resetall
