// For proofs of control: equal elements give the same, others a mark.  SPDX-License-Identifier: Apache-2.0
module arith_add #(parameter ARITHMETIC = 0, parameter VARIANT = 0) (
  input wire [16:0] a_i, input wire [16:0] b_i, output wire [16:0] y_o);
  assign y_o = a_i == b_i ? a_i : 17'h1ffff;
endmodule
