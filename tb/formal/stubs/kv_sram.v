// For proofs of control: a row of up to four says which it is: 1 in its own two bits of each element, so that sums
// count how often it took part.  SPDX-License-Identifier: Apache-2.0
module kv_sram #(parameter D = 2, parameter ROWS = 4) (
  input wire clk_i, input wire we_i, input wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] waddr_i,
  input wire [16*D-1:0] row_i,
  input wire re_i, input wire [$clog2(ROWS > 1 ? ROWS : 2)-1:0] raddr_i,
  output wire [16*D-1:0] row_o);
  reg [$clog2(ROWS > 1 ? ROWS : 2)-1:0] row_q;
  always @(posedge clk_i) if (re_i) row_q <= raddr_i;
  assign row_o = {D{16'd1 << {row_q, 1'b0}}};
endmodule
