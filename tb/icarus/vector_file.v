// vector_file: reads vectors for a testbench in Icarus, which calls its tasks from outside, and counts.
//
//   vvp ... +vectors=FILE     FIELDS numbers a line, hexadecimal; other lines are passed over
//
// FIELDS  numbers of a vector, 3 or 4
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module vector_file #(
  parameter FIELDS = 3
);
  reg  [31:0]       field0, field1, field2, field3;   // of the vector that next found
  reg               more;                             // it found one
  reg  [8*1024-1:0] path, line;
  integer           file, checked, wrong;

  initial begin
    checked = 0;
    wrong   = 0;
    if (!$value$plusargs("vectors=%s", path)) path = "";
    file = $fopen(path, "r");
  end

  // Every operand of && is evaluated, so none of them reads.
  task next;
    reg ended;
    begin
      more  = 1'b0;
      ended = file == 0;
      while (!more && !ended) begin
        ended = $fgets(line, file) == 0;
        if (!ended) more = $sscanf(line, "%h %h %h %h", field0, field1, field2, field3) >= FIELDS;
      end
    end
  endtask

  task check;
    input [31:0] got;
    input [31:0] expected;
    begin
      checked = checked + 1;
      if (got !== expected) begin
        wrong = wrong + 1;
        $display("%h %h %h: got %h expected %h", field0, field1, field2, got, expected);
      end
    end
  endtask

  // PASS only if there were vectors and all of them agreed.
  task report;
    input [8*32-1:0] name;
    begin
      $display("%0s in Icarus: %0d vectors, %0d wrong: %0s", name, checked, wrong,
               (checked > 0 && wrong == 0) ? "PASS" : "FAIL");
      $finish;
    end
  endtask
endmodule
`resetall
