// bf16_vectors: a BF16 unit in a second simulator, Icarus, on vectors of its golden model.
//
//   vvp ... +vectors=FILE     lines "a b expected" as bf16_UNIT_tb --emit writes them
//
// UNIT  as in bf16_bank
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_vectors #(
  parameter UNIT = 0
);
  localparam LANES = 8;

  vector_file #(.FIELDS(3)) u_file ();
  reg                 clk;
  wire [LANES*16-1:0] lanes;
  wire [15:0]         b = u_file.field1[15:0];
  bf16_bank #(.UNIT(UNIT), .LANES(LANES)) u_bank (
    .clk_i  (clk),
    .en_i   (1'b1),
    .a_i    (u_file.field0[15:0]),
    .block_i(b[15:3]),
    .y_o    (lanes)
  );

  initial begin
    clk = 1'b0;
    #1 u_file.next;
    while (u_file.more) begin
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      u_file.check({16'd0, lanes[16*b[2:0] +: 16]}, u_file.field2);
      u_file.next;
    end
    u_file.report("bf16 unit");
  end
endmodule
`resetall
