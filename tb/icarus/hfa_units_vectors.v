// hfa_units_vectors: the units of rtl/hfa in a second simulator, Icarus.
//
//   vvp ... +vectors=FILE     lines "unit a b y" as hfa_units_tb --emit prints them
//
// Ends with $finish after the last line; prints PASS only if every vector agreed.  No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_units_vectors;
  localparam UNITS = 10;                   // the values of the parameter UNIT of hfa_units_bank

  reg  [31:0]         unit, a, b, expected;
  reg  [8*1024-1:0]   path, line;
  integer             file, got, checked, wrong;
  wire [32*UNITS-1:0] y;

  genvar g;
  generate
    for (g = 0; g < UNITS; g = g + 1) begin : g_unit
      hfa_units_bank #(.UNIT(g), .LANES(1)) u_bank (.a_i(a), .b_i(b), .y_o(y[32*g +: 32]));
    end
  endgenerate

  wire [31:0] got_y = y[32*unit +: 32];

  initial begin
    checked = 0;
    wrong   = 0;
    if (!$value$plusargs("vectors=%s", path)) path = "";
    file = $fopen(path, "r");
    if (file != 0) begin
      while ($fgets(line, file) != 0) begin
        got = $sscanf(line, "%h %h %h %h", unit, a, b, expected);
        if (got == 4) begin
          #1 checked = checked + 1;
          if (got_y !== expected) begin
            wrong = wrong + 1;
            $display("unit %0d of %h, %h: rtl %h golden %h", unit, a, b, got_y, expected);
          end
        end
      end
    end
    $display("hfa units in Icarus: %0d vectors, %0d wrong: %0s", checked, wrong,
             (checked > 0 && wrong == 0) ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`resetall
