// For proofs of control: what is computed does not matter.  SPDX-License-Identifier: Apache-2.0
module bf16_exp (input wire [15:0] x_i, output wire [15:0] y_o);
  assign y_o = 16'd0;
endmodule
