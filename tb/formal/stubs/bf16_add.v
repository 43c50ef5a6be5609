// For proofs of control: equal elements give the same, others a mark.  SPDX-License-Identifier: Apache-2.0
module bf16_add (input wire [15:0] a_i, input wire [15:0] b_i, output wire [15:0] y_o);
  assign y_o = a_i == b_i ? a_i : 16'h7fff;
endmodule
