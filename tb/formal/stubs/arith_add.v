// For proofs of control: with SUMS the sums of small counters, else equal elements give the same, others a mark.
// SPDX-License-Identifier: Apache-2.0
module arith_add #(parameter ARITHMETIC = 0, parameter VARIANT = 0, parameter LANES = 1) (
  input wire [16:0] a_i, input wire [16:0] b_i, output wire [16:0] y_o);
`ifdef SUMS
  genvar i;                    // five counters of two bits
  generate
    for (i = 0; i < 5; i = i + 1) begin : g_count
      assign y_o[2*i +: 2] = a_i[2*i +: 2] + b_i[2*i +: 2];
    end
  endgenerate
  assign y_o[16:10] = 7'd0;
`else
  assign y_o = a_i == b_i ? a_i : 17'h1ffff;
`endif
endmodule
