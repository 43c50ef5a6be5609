// lanes: D lanes of an FAU and of an ACC in one module, as Verilator has them, beside one module a lane, as synthesis
// does (rtl/README.md, Lanes): they give the same.  For proofs only.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module lanes #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 32
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire [16*D-1:0] v_i,
  input  wire [15:0]     key_f_i,
  input  wire            key_i,
  input  wire            first_i,
  input  wire [17*D-1:0] a_i,              // start of an FAU's, operands of an ACC's
  input  wire [17*D-1:0] b_i,
  input  wire            small_i,
  input  wire [15:0]     old_f_i
);
  wire [17*D-1:0] fau_all, fau_each, acc_all, acc_each;
  fau_lane #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT), .LANES(D)) u_fau (
    .clk_i(clk_i), .en_i(en_i), .v_i(v_i), .key_f_i(key_f_i), .key_i(key_i), .first_i(first_i), .start_i(a_i),
    .key_small_i(small_i), .old_f_i(old_f_i), .state_o(fau_all));
  acc_lane #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT), .LANES(D)) u_acc (
    .a_i(a_i), .a_f_i(key_f_i), .b_i(b_i), .b_f_i(old_f_i), .b_small_i(small_i), .y_o(acc_all));
  genvar i;
  generate
    for (i = 0; i < D; i = i + 1) begin : g_lane
      fau_lane #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT), .LANES(1)) u_fau (
        .clk_i(clk_i), .en_i(en_i), .v_i(v_i[16*i +: 16]), .key_f_i(key_f_i), .key_i(key_i), .first_i(first_i),
        .start_i(a_i[17*i +: 17]), .key_small_i(small_i), .old_f_i(old_f_i), .state_o(fau_each[17*i +: 17]));
      acc_lane #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT), .LANES(1)) u_acc (
        .a_i(a_i[17*i +: 17]), .a_f_i(key_f_i), .b_i(b_i[17*i +: 17]), .b_f_i(old_f_i), .b_small_i(small_i),
        .y_o(acc_each[17*i +: 17]));
    end
  endgenerate
  always @* assert (fau_all == fau_each && acc_all == acc_each);
endmodule
`resetall
