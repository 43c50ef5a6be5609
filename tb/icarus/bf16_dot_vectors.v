// bf16_dot_vectors: bf16_dot in a second simulator, Icarus, on vectors of its golden model.
//
//   vvp ... +vectors=FILE     lines "a b expected" as bf16_dot_tb_dD --emit writes them
//
// Every third cycle or so is a stall.  Ends with $finish when the last vector has come out; prints
// PASS only if all came out, in order, as expected.
// D  elements of a vector
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_dot_vectors #(
  parameter D = 64
);
  localparam LATENCY = 6 + $clog2(D);

  reg               clk, en;
  reg  [16*D-1:0]   a, b;
  reg  [15:0]       read, expected;
  reg  [16*LATENCY-1:0] due;                  // expected results of what is in the pipeline
  reg  [8*1024-1:0] path;
  integer           file, fed, drained, checked, wrong;
  wire [15:0]       y;

  bf16_dot #(.D(D)) u_dot (.clk_i(clk), .en_i(en), .a_i(a), .b_i(b), .y_o(y));

  initial begin
    fed     = 0;
    drained = 0;
    checked = 0;
    wrong   = 0;
    clk     = 1'b0;
    if (!$value$plusargs("vectors=%s", path)) path = "";
    file = $fopen(path, "r");
    while (file != 0 && drained < LATENCY - 1) begin
      en = $random % 3 != 0;
      if (en) begin
        // Behind the last vector come others that nobody looks at.
        if ($fscanf(file, "%h %h %h", a, b, read) == 3) fed = fed + 1;
        else drained = drained + 1;
        due = {due[16*LATENCY-17:0], read};
      end
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      expected = due[16*LATENCY-1 -: 16];
      if (en && fed + drained >= LATENCY) begin
        checked = checked + 1;
        if (y !== expected) begin
          wrong = wrong + 1;
          $display("vector %0d: rtl %h expected %h", checked, y, expected);
        end
      end
    end
    $display("bf16_dot D %0d in Icarus: %0d vectors, %0d wrong: %0s", D, checked, wrong,
             (fed > 0 && checked == fed && wrong == 0) ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`resetall
