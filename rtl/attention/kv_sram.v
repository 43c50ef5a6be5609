// kv_sram: memory of one block's keys or values, a row of D BF16 numbers at an address.
//
// One write port and one synchronous read port: row_o is the row addressed with the last re_i, one
// cycle later, and stays until the next re_i.  A row that is written in the cycle in which it is read
// reads as anything, as in a macro (ram_1r1w); the write stands.
//
// D     numbers in a row, >= 1
// ROWS  rows, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module kv_sram #(
  parameter D    = 64,
  parameter ROWS = 256
) (
  input  wire            clk_i,

  input  wire            we_i,
  input  wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] waddr_i,
  input  wire [16*D-1:0] row_i,

  input  wire            re_i,
  input  wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] raddr_i,
  output wire [16*D-1:0] row_o
);
  `PARAMETER(D_must_be_at_least_1, D >= 1)
  `PARAMETER(ROWS_must_be_at_least_1, ROWS >= 1)
  ram_1r1w #(
    .WIDTH(16*D),
    .DEPTH(ROWS)
  ) u_ram (
    .clk_i  (clk_i),
    .we_i   (we_i),
    .waddr_i(waddr_i),
    .wmask_i(1'b1),
    .wdata_i(row_i),
    .re_i   (re_i),
    .raddr_i(raddr_i),
    .rdata_o(row_o)
  );
endmodule
`resetall
