// bf16_bank: LANES copies of a BF16 unit, or one of so many lanes, so that a testbench gets many results out of one eval.
//
// Lane i works on a_i and {block_i, i}: one first operand, a block of consecutive second ones.
// bf16_exp takes the second.
// Latency 0; bf16_div takes its operands at clk_i with en_i.
// UNIT   0 bf16_mul, 1 bf16_add, 2 bf16_max, 3 bf16_diff, 4 bf16_div, 5 bf16_exp
// LANES  a power of two, >= 8 (a Verilated port of more than 64 bits is an array of words)
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_bank #(
  parameter UNIT  = 0,
  parameter LANES = 64
) (
  /* verilator lint_off UNUSEDSIGNAL */       // not every unit has all of these
  input  wire                     clk_i,
  input  wire                     en_i,
  input  wire [15:0]              a_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire [15-$clog2(LANES):0] block_i,
  output wire [LANES*16-1:0]      y_o
);
  localparam MUL = 0, ADD = 1, MAX = 2, DIFF = 3, DIV = 4;

  localparam VECTOR = LANES > 8 && UNIT <= ADD;

  wire [32*LANES-1:0] words;               // the second operands
  wire [32*LANES-1:0] results;
  wire unused = &{1'b0, words, results};
  genvar i;
  generate
    if (!VECTOR) begin : g_copies
      assign results = {(32*LANES){1'b0}};
    end else if (UNIT == MUL) begin : g_mul
      bf16_mul #(.LANES(LANES)) u_mul (.a_i(words), .b_i(a_i), .y_o(results));
    end else begin : g_add
      bf16_add #(.LANES(LANES)) u_add (.a_i({LANES{16'd0, a_i}}), .b_i(words), .y_o(results));
    end

    for (i = 0; i < LANES; i = i + 1) begin : g_lane
      localparam [$clog2(LANES)-1:0] LANE = i;
      wire [15:0] b = {block_i, LANE};
      wire [15:0] y;
      assign words[32*i +: 32] = {16'd0, b};
      if (VECTOR) begin : g_vector
        assign y = results[32*i +: 16];
      end else if (UNIT == MUL) begin : g_mul
        bf16_mul u_mul (.a_i(a_i), .b_i(b), .y_o(y));
      end else if (UNIT == ADD) begin : g_add
        bf16_add u_add (.a_i(a_i), .b_i(b), .y_o(y));
      end else if (UNIT == MAX) begin : g_max
        bf16_max u_max (.a_i(a_i), .b_i(b), .y_o(y));
      end else if (UNIT == DIFF) begin : g_diff
        bf16_diff u_diff (.a_i(a_i), .b_i(b), .y_o(y));
      end else if (UNIT == DIV) begin : g_div
        bf16_div u_div (.clk_i(clk_i), .en_i(en_i), .a_i(a_i), .b_i(b), .y_o(y));
      end else begin : g_exp
        bf16_exp u_exp (.x_i(b), .y_o(y));
      end
      assign y_o[16*i +: 16] = y;
    end
  endgenerate
endmodule
`resetall
