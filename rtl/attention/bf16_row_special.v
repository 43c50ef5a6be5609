// bf16_row_special: is there an infinity or NaN in a row of BF16 numbers, combinational.
//
// D  numbers, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module bf16_row_special #(
  parameter D = 64
) (
  input  wire [16*D-1:0] row_i,
  output wire            special_o
);
  `PARAMETER(D_must_be_at_least_1, D >= 1)
  wire [D-1:0] special;
  genvar i;
  generate
    for (i = 0; i < D; i = i + 1) begin : g_number
      assign special[i] = &row_i[16*i + 7 +: 8];
    end
  endgenerate
  assign special_o = |special;

  wire unused = &{1'b0, row_i};          // signs and fractions
endmodule
`resetall
