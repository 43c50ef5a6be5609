// For proofs of control: passes the element on.  SPDX-License-Identifier: Apache-2.0
module bf16_div (input wire clk_i, input wire en_i, input wire [15:0] a_i, input wire [15:0] b_i, output wire [15:0] y_o);
  assign y_o = a_i;
endmodule
