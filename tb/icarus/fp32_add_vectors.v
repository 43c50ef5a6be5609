// fp32_add_vectors: fp32_add in a second simulator, Icarus, on the vectors of tb/vectors.
//
//   vvp ... +vectors=FILE     lines "a b expected flags"; # starts a comment
//
// Ends with $finish after the last line; prints PASS only if every vector agreed.  No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fp32_add_vectors;
  reg  [31:0]       a, b, expected;
  reg  [8*1024-1:0] path, line;
  integer           file, got, checked, wrong;
  wire [31:0]       sum;

  fp32_add u_add (.a_i(a), .b_i(b), .sum_o(sum));

  // Any NaN stands for any other in a vector; the unit gives the canonical one.
  wire [31:0] canonical = expected[30:0] > 31'h7f800000 ? 32'h7fc00000 : expected;

  initial begin
    checked = 0;
    wrong   = 0;
    if (!$value$plusargs("vectors=%s", path)) path = "";
    file = $fopen(path, "r");
    if (file != 0) begin
      while ($fgets(line, file) != 0) begin
        got = $sscanf(line, "%h %h %h", a, b, expected);
        if (got == 3) begin
          #1 checked = checked + 1;
          if (sum !== canonical) begin
            wrong = wrong + 1;
            $display("%h + %h: rtl %h expected %h", a, b, sum, canonical);
          end
        end
      end
    end
    $display("fp32_add in Icarus: %0d vectors, %0d wrong: %0s", checked, wrong,
             (checked > 0 && wrong == 0) ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`resetall
