// For proofs of control: the value as it is.  SPDX-License-Identifier: Apache-2.0
module arith_value #(parameter ARITHMETIC = 0, parameter LANES = 1) (
  input wire [15:0] v_i, output wire [16:0] x_o, output wire [16:0] used_o);
  assign x_o    = {1'b0, v_i};
  assign used_o = 17'h1ffff;
endmodule
