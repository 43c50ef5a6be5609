// What flat synthesis would know of a unit from the constants around it, for synthesis of units one by
// one (a Yosys techmap): instances with such constants become units of their own, in synth/cut/.
//
//   *_lane   element 0, which sums up l: its value is 1; of a floating-point arithmetic, bit 15 of an
//            element is 0: neither taken nor given
//   fau      of all blocks but the first: no carry
// SPDX-License-Identifier: Apache-2.0
(* techmap_celltype = "fau_lane" *)
module cut_fau_lane #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter LANES      = 1,
  parameter _TECHMAP_CONSTMSK_v_i_ = 16'd0,
  parameter _TECHMAP_CONSTVAL_v_i_ = 16'd0
) (
  input  wire        clk_i,
  input  wire        en_i,
  input  wire [15:0] v_i,
  input  wire [15:0] key_f_i,
  input  wire        key_i,
  input  wire        first_i,
  input  wire [16:0] start_i,
  input  wire        key_small_i,
  input  wire [15:0] old_f_i,
  output wire [16:0] state_o
);
  localparam IS_L = _TECHMAP_CONSTMSK_v_i_ == 16'hffff && _TECHMAP_CONSTVAL_v_i_ == 16'h3f80;
  wire _TECHMAP_FAIL_ = !(ARITHMETIC != 0 || IS_L);
  wire [16:0] state;
  assign state_o = {state[16], ARITHMETIC == 0 ? state[15] : 1'b0, state[14:0]};
  generate
    if (IS_L) begin : g_l
      fau_lane_l #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT)) u_lane (
        .clk_i(clk_i), .en_i(en_i), .key_f_i(key_f_i), .key_i(key_i), .first_i(first_i),
        .start_i(start_i), .key_small_i(key_small_i), .old_f_i(old_f_i), .state_o(state)
      );
    end else begin : g_o
      fau_lane_o #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT)) u_lane (
        .clk_i(clk_i), .en_i(en_i), .v_i(v_i), .key_f_i(key_f_i), .key_i(key_i), .first_i(first_i),
        .start_i({start_i[16], start_i[14:0]}), .key_small_i(key_small_i), .old_f_i(old_f_i),
        .state_o({state[16], state[14:0]})
      );
    end
  endgenerate
endmodule

(* techmap_celltype = "acc_lane" *)
module cut_acc_lane #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter LANES      = 1
) (
  input  wire [16:0] a_i,
  input  wire [15:0] a_f_i,
  input  wire [16:0] b_i,
  input  wire [15:0] b_f_i,
  input  wire        b_small_i,
  output wire [16:0] y_o
);
  wire _TECHMAP_FAIL_ = ARITHMETIC == 0;
  wire [15:0] y;
  assign y_o = {y[15], 1'b0, y[14:0]};
  acc_lane_o #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT)) u_lane (
    .a_i({a_i[16], a_i[14:0]}), .a_f_i(a_f_i), .b_i({b_i[16], b_i[14:0]}), .b_f_i(b_f_i),
    .b_small_i(b_small_i), .y_o(y)
  );
endmodule

(* techmap_celltype = "fau" *)
module cut_fau #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 64,
  parameter _TECHMAP_CONSTMSK_carry_i_ = 1'b0,
  parameter _TECHMAP_CONSTVAL_carry_i_ = 1'b0
) (
  input  wire                clk_i,
  input  wire                rst_ni,
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
  input  wire                carry_i,
  input  wire [16*D-1:0]     v_i,
  input  wire                v_special_i,
  input  wire [15:0]         carry_m_i,
  input  wire                carry_poison_i,
  input  wire [17*(D+1)-1:0] carry_o_i,
  output wire                carry_used_o,
  output wire                out_valid_o,
  input  wire                out_ready_i,
  output wire                out_final_o,
  output wire [15:0]         out_m_o,
  output wire                out_poison_o,
  output wire [17*(D+1)-1:0] out_o_o
);
  wire _TECHMAP_FAIL_ = !(_TECHMAP_CONSTMSK_carry_i_ == 1'b1 && _TECHMAP_CONSTVAL_carry_i_ == 1'b0);
  assign carry_used_o = 1'b0;
  fau_plain #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT), .D(D)) u_fau (
    .clk_i(clk_i), .rst_ni(rst_ni), .en_i(en_i), .ready_o(ready_o), .q_i(q_i),
    .q_special_i(q_special_i), .k_i(k_i), .k_special_i(k_special_i), .key_i(key_i),
    .first_i(first_i), .last_i(last_i), .final_i(final_i), .v_i(v_i), .v_special_i(v_special_i),
    .out_valid_o(out_valid_o), .out_ready_i(out_ready_i), .out_final_o(out_final_o),
    .out_m_o(out_m_o), .out_poison_o(out_poison_o), .out_o_o(out_o_o)
  );
endmodule
