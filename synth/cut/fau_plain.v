// fau_plain: fau of a block that never continues a carry, all but the first.
//
// Ports as of fau.
// ARITHMETIC, VARIANT, D  as of fau
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fau_plain #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously
  input  wire                en_i,
  output wire                ready_o,
  input  wire [16*D-1:0]     q_i,
  input  wire                q_special_i,
  input  wire [16*D-1:0]     k_i,
  input  wire                k_special_i,
  input  wire                key_i,
  input  wire                first_i,
  input  wire                last_i,
  input  wire                final_i,
  input  wire [16*D-1:0]     v_i,
  input  wire                v_special_i,
  output wire                out_valid_o,
  input  wire                out_ready_i,
  output wire                out_final_o,
  output wire [15:0]         out_m_o,
  output wire                out_poison_o,
  output wire [17*(D+1)-1:0] out_o_o
);
  wire carry_used;
  fau #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT),
    .D         (D)
  ) u_fau (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .en_i          (en_i),
    .ready_o       (ready_o),
    .q_i           (q_i),
    .q_special_i   (q_special_i),
    .k_i           (k_i),
    .k_special_i   (k_special_i),
    .key_i         (key_i),
    .first_i       (first_i),
    .last_i        (last_i),
    .final_i       (final_i),
    .carry_i       (1'b0),
    .v_i           (v_i),
    .v_special_i   (v_special_i),
    .carry_m_i     (16'd0),
    .carry_poison_i(1'b0),
    .carry_o_i     ({17*(D+1){1'b0}}),
    .carry_used_o  (carry_used),
    .out_valid_o   (out_valid_o),
    .out_ready_i   (out_ready_i),
    .out_final_o   (out_final_o),
    .out_m_o       (out_m_o),
    .out_poison_o  (out_poison_o),
    .out_o_o       (out_o_o)
  );

  wire unused = &{1'b0, carry_used};
endmodule
`resetall
