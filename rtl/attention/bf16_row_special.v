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
  output reg             special_o
);
  `PARAMETER(D_must_be_at_least_1, D >= 1)
  integer i;
  always @* begin
    special_o = 1'b0;
    for (i = 0; i < D; i = i + 1) special_o = special_o | (&row_i[16*i + 7 +: 8]);
  end

  reg unused;                            // signs and fractions
  always @* unused = &{1'b0, row_i};
endmodule
`resetall
