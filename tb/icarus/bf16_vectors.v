// bf16_vectors: a BF16 unit in a second simulator, Icarus, on vectors of its golden model.
//
//   vvp ... +vectors=FILE     lines "a b expected" as bf16_UNIT_tb --emit writes them
//
// Ends with $finish after the last line; prints PASS only if every vector agreed.
// UNIT  as in bf16_bank
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_vectors #(
  parameter UNIT = 0
);
  localparam LANES = 8;

  reg                 clk;
  reg  [15:0]         a, b, expected;
  reg  [8*1024-1:0]   path, line;
  integer             file, got, checked, wrong;
  wire [LANES*16-1:0] lanes;
  wire [15:0]         y = lanes[16*b[2:0] +: 16];

  bf16_bank #(.UNIT(UNIT), .LANES(LANES)) u_bank (
    .clk_i  (clk),
    .en_i   (1'b1),
    .a_i    (a),
    .block_i(b[15:3]),
    .y_o    (lanes)
  );

  initial begin
    checked = 0;
    wrong   = 0;
    clk     = 1'b0;
    if (!$value$plusargs("vectors=%s", path)) path = "";
    file = $fopen(path, "r");
    if (file != 0) begin
      while ($fgets(line, file) != 0) begin
        got = $sscanf(line, "%h %h %h", a, b, expected);
        if (got == 3) begin
          #1 clk = 1'b1;
          #1 clk = 1'b0;
          checked = checked + 1;
          if (y !== expected) begin
            wrong = wrong + 1;
            $display("%h %h: rtl %h expected %h", a, b, y, expected);
          end
        end
      end
    end
    $display("bf16 unit %0d in Icarus: %0d vectors, %0d wrong: %0s", UNIT, checked, wrong,
             (checked > 0 && wrong == 0) ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`resetall
