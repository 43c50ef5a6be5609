// For proofs of control: what is computed does not matter.  SPDX-License-Identifier: Apache-2.0
module arith_factor #(parameter ARITHMETIC = 0) (
  input wire [15:0] d_i, output wire [15:0] f_o, output wire [15:0] one_o, output wire [16:0] empty_o);
  assign f_o     = 16'd0;
  assign one_o   = 16'd0;
  assign empty_o = 17'd0;
endmodule
