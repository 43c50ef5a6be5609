// For proofs of control: what is computed does not matter.  SPDX-License-Identifier: Apache-2.0
module bf16_diff (input wire [15:0] a_i, input wire [15:0] b_i, output wire [15:0] y_o);
  assign y_o = 16'd0;
endmodule
