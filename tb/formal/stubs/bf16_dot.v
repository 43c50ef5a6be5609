// For proofs of control: every score is 0.  SPDX-License-Identifier: Apache-2.0
module bf16_dot #(parameter D = 2) (
  input wire clk_i, input wire en_i, input wire [16*D-1:0] a_i, input wire [16*D-1:0] b_i, output wire [15:0] y_o);
  assign y_o = 16'd0;
endmodule
