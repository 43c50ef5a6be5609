// For proofs of control: what is computed does not matter.  SPDX-License-Identifier: Apache-2.0
module hfa_quant (input wire [15:0] d_i, output wire [11:0] t_o);
  assign t_o = 12'd0;
endmodule
