// fp32_add_bank: fp32_add with LANES lanes, so that a testbench gets many sums out of one eval.
//
// Latency 0: sum_o is combinational from a_i and b_i.
// LANES  number of sums, >= 3 (a Verilated port of more than 64 bits is an array of words)
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fp32_add_bank #(
  parameter LANES = 64
) (
  input  wire [LANES*32-1:0] a_i,
  input  wire [LANES*32-1:0] b_i,
  output wire [LANES*32-1:0] sum_o
);
  fp32_add #(.LANES(LANES)) u_add (
    .clk_i (1'b0),
    .kind_i(2'd0),
    .a_i   (a_i),
    .b_i   (b_i),
    .sum_o (sum_o)
  );
endmodule
`resetall
