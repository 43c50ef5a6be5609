// hfa_units_vectors: the units of rtl/hfa in a second simulator, Icarus.
//
//   vvp ... +vectors=FILE     lines "unit a b y" as hfa_units_tb --emit prints them
//
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_units_vectors;
  localparam UNITS = 10;                   // the values of the parameter UNIT of hfa_units_bank

  vector_file #(.FIELDS(4)) u_file ();
  wire [32*UNITS-1:0] y;

  genvar g;
  generate
    for (g = 0; g < UNITS; g = g + 1) begin : g_unit
      hfa_units_bank #(.UNIT(g), .LANES(1)) u_bank (
        .a_i(u_file.field1),
        .b_i(u_file.field2),
        .y_o(y[32*g +: 32])
      );
    end
  endgenerate

  initial begin
    #1 u_file.next;
    while (u_file.more) begin
      #1 u_file.check(y[32*u_file.field0 +: 32], u_file.field3);
      u_file.next;
    end
    u_file.report("hfa units");
  end
endmodule
`resetall
