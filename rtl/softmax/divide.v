// divide: the end of the engine: divides the output by l.
//
//   triplets --> [o / l of each element] --> result register --> out
//
// Without final the triplets pass as they are.
//
// Latency 2 cycles from in_valid_i to out_valid_o; a result every 2 cycles.  The triplets are held by
// their producers meanwhile; in_ready_o depends combinationally on in_valid_i and out_ready_i.
// Numerics: see arith_divide; a poisoned triplet gives the NaN 0x7fc0.  Bit-exact with
// num_engine_divide().
//
// ARITHMETIC  as of arith_factor
// D           elements of a value, >= 1
// NQ          queries side by side, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module divide #(
  parameter ARITHMETIC = 0,
  parameter D          = 64,
  parameter NQ         = 1
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,    // active low, asserted asynchronously

  // Triplets
  input  wire                   in_valid_i,
  output wire                   in_ready_o,
  input  wire                   in_final_i,
  input  wire [16*NQ-1:0]       in_m_i,
  input  wire [NQ-1:0]          in_poison_i,
  input  wire [17*(D+1)*NQ-1:0] in_o_i,

  // Result
  output wire                   out_valid_o,
  input  wire                   out_ready_i,
  output wire                   out_final_o,
  output wire [16*NQ-1:0]       out_m_o,
  output wire [NQ-1:0]          out_poison_o,
  output wire [17*(D+1)*NQ-1:0] out_o_o    // with out_final_o: {0, BF16} from element 1 on
);
  `PARAMETER(ARITHMETIC_must_be_0_to_2, ARITHMETIC >= 0 && ARITHMETIC <= 2)
  `PARAMETER(D_must_be_at_least_1, D >= 1)
  `PARAMETER(NQ_must_be_at_least_1, NQ >= 1)
  localparam EW = 17 * (D + 1);            // the elements of one triplet
  localparam [15:0] NAN = 16'h7fc0;

  wire [1:0] step;
  stream_steps #(.STEPS(2)) u_steps (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (in_valid_i),
    .in_ready_o (in_ready_o),
    .step_o     (step),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i)
  );
  wire load = step[1];

  reg               out_final_q;
  reg [16*NQ-1:0]   out_m_q;
  reg [NQ-1:0]      out_poison_q;
  reg [EW*NQ-1:0]   out_o_q;
  always @(posedge clk_i) begin
    if (load) begin
      out_final_q  <= in_final_i;
      out_m_q      <= in_m_i;
      out_poison_q <= in_poison_i;
    end
  end

  genvar n, i;
  generate
    for (n = 0; n < NQ; n = n + 1) begin : g_query
      wire [16:0] l = in_o_i[EW*n +: 17];
      always @(posedge clk_i) if (load) out_o_q[EW*n +: 17] <= l;

      for (i = 1; i <= D; i = i + 1) begin : g_element
        wire [16:0] o = in_o_i[EW*n + 17*i +: 17];
        wire [15:0] quotient;
        arith_divide #(.ARITHMETIC(ARITHMETIC)) u_divide (
          .clk_i(clk_i),
          .en_i (step[0]),
          .o_i  (o),
          .l_i  (l),
          .y_o  (quotient)
        );
        wire [15:0] result = in_poison_i[n] ? NAN : quotient;
        always @(posedge clk_i) if (load) out_o_q[EW*n + 17*i +: 17] <= in_final_i ? {1'b0, result} : o;
      end
    end
  endgenerate

  assign out_final_o  = out_final_q;
  assign out_m_o      = out_m_q;
  assign out_poison_o = out_poison_q;
  assign out_o_o      = out_o_q;

  `ASSERT_STABLE(result_is_held, out_valid_o, out_ready_i, 17*NQ + 1, {out_final_o, out_m_o, out_poison_o})
endmodule
`resetall
