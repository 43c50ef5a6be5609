// hfa_units_bank: LANES copies of one unit of rtl/hfa, or one of so many lanes, so that a testbench gets many results out of
// one eval.  Each lane has 32 bits of each port, the unit's operands and result being the lowest.
//
// Latency 0: y_o is combinational from a_i and b_i.
// UNIT   which one, and what a_i and b_i are for it:
//          0 hfa_quant    d                       6 hfa_lns_add, Mitchell             x, y
//          1 hfa_quant    a, b: behind bf16_diff  7 hfa_lns_add, Mitchell ZERO_EXACT  x, y
//          2 hfa_log2     v                       8 hfa_lns_add, corrected            x, y
//          3 hfa_scale    x, t                    9 hfa_logdiv_lane                   o, l
//          4 hfa_pow2     d
//          5 hfa_correct  d, subtract
// LANES  number of copies, >= 3 (a Verilated port of more than 64 bits is an array of words)
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_units_bank #(
  parameter UNIT  = 0,
  parameter LANES = 64
) (
  input  wire [LANES*32-1:0] a_i,
  input  wire [LANES*32-1:0] b_i,
  output wire [LANES*32-1:0] y_o
);
  localparam QUANT      = 0;
  localparam DIFF_QUANT = 1;
  localparam LOG2       = 2;
  localparam SCALE      = 3;
  localparam POW2       = 4;
  localparam CORRECT    = 5;
  localparam ADD_FIRST  = 6;
  localparam LOGDIV     = 9;

  localparam VECTOR     = LANES > 8 && UNIT >= LOG2 && UNIT != SCALE && UNIT != LOGDIV;

  wire [32*LANES-1:0] signed_d;            // {subtract, d}
  wire [16*LANES-1:0] values;
  wire [32*LANES-1:0] results;
  wire unused_words = &{1'b0, signed_d, values, results};
  genvar g;
  generate
    if (!VECTOR) begin : g_copies
      assign results = {(32*LANES){1'b0}};
    end else if (UNIT == LOG2) begin : g_log2
      hfa_log2 #(.LANES(LANES)) u_unit (.v_i(values), .x_o(results));
    end else if (UNIT == POW2) begin : g_pow2
      hfa_pow2 #(.LANES(LANES)) u_unit (.d_i(a_i), .t_o(results));
    end else if (UNIT == CORRECT) begin : g_correct
      hfa_correct #(.LANES(LANES)) u_unit (.d_i(signed_d), .t_o(results));
    end else begin : g_add
      hfa_lns_add #(
        .LNS       (UNIT == ADD_FIRST + 2 ? 1 : 0),
        .ZERO_EXACT(UNIT == ADD_FIRST + 1 ? 1 : 0),
        .LANES     (LANES)
      ) u_unit (.a_i(a_i), .b_i(b_i), .y_o(results));
    end

    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      wire [31:0] a = a_i[32*g +: 32];
      wire [31:0] b = b_i[32*g +: 32];
      wire [16:0] y;
      wire        unused = &{1'b0, a, b};  // hardly any unit takes all bits
      assign signed_d[32*g +: 32] = {15'd0, b[0], a[15:0]};
      assign values[16*g +: 16]   = a[15:0];

      if (UNIT == QUANT) begin : g_quant
        assign y[16:12] = 5'd0;
        hfa_quant u_unit (.d_i(a[15:0]), .t_o(y[11:0]));
      end else if (UNIT == DIFF_QUANT) begin : g_diff_quant
        wire [15:0] d;
        assign y[16:12] = 5'd0;
        bf16_diff u_diff (.a_i(a[15:0]), .b_i(b[15:0]), .y_o(d));
        hfa_quant u_unit (.d_i(d), .t_o(y[11:0]));
      end else if (UNIT == SCALE) begin : g_scale   // a factor for each: no unit of many lanes
        hfa_scale u_unit (.x_i(a[16:0]), .t_i(b[11:0]), .y_o(y));
      end else if (VECTOR) begin : g_vector
        assign y = results[32*g +: 17];
      end else if (UNIT == LOG2) begin : g_log2
        hfa_log2 u_unit (.v_i(a[15:0]), .x_o(y));
      end else if (UNIT == POW2) begin : g_pow2
        assign y[16:10] = 7'd0;
        hfa_pow2 u_unit (.d_i(a[15:0]), .t_o(y[9:0]));
      end else if (UNIT == CORRECT) begin : g_correct
        assign y[16:10] = 7'd0;
        hfa_correct u_unit (.d_i({b[0], a[15:0]}), .t_o(y[9:0]));
      end else if (UNIT == LOGDIV) begin : g_logdiv
        assign y[16] = 1'b0;
        hfa_logdiv_lane u_unit (.o_i(a[16:0]), .l_i(b[16:0]), .y_o(y[15:0]));
      end else begin : g_add
        hfa_lns_add #(
          .LNS       (UNIT == ADD_FIRST + 2 ? 1 : 0),
          .ZERO_EXACT(UNIT == ADD_FIRST + 1 ? 1 : 0)
        ) u_unit (.a_i(a[16:0]), .b_i(b[16:0]), .y_o(y));
      end

      assign y_o[32*g +: 32] = {15'd0, y};
    end
  endgenerate
endmodule
`resetall
