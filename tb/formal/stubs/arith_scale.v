// For proofs of control: passes the element on.  SPDX-License-Identifier: Apache-2.0
module arith_scale #(parameter ARITHMETIC = 0, parameter LANES = 1) (
  input wire [16:0] x_i, input wire [15:0] f_i, output wire [16:0] y_o);
  assign y_o = x_i;
endmodule
