// fp32_add_vectors: fp32_add in a second simulator, Icarus, on the vectors of tb/vectors.
//
//   vvp ... +vectors=FILE     lines "a b expected flags"; # starts a comment
//
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fp32_add_vectors;
  wire [31:0] sum;
  vector_file #(.FIELDS(3)) u_file ();
  fp32_add u_add (.clk_i(1'b0), .kind_i(2'd0), .a_i(u_file.field0), .b_i(u_file.field1), .sum_o(sum));

  // Any NaN stands for any other in a vector; the unit gives the canonical one.
  wire [31:0] expected  = u_file.field2;
  wire [31:0] canonical = expected[30:0] > 31'h7f800000 ? 32'h7fc00000 : expected;

  initial begin
    #1 u_file.next;
    while (u_file.more) begin
      #1 u_file.check(sum, canonical);
      u_file.next;
    end
    u_file.report("fp32_add");
  end
endmodule
`resetall
