// hfa_log2: log2|v| by Mitchell's approximation, as an element, combinational.
//
// The exponent and the fraction of a BF16, read as one number of 7 fraction bits, are the
// approximation itself; only the bias is to be taken off.
//
// LANES  values at a time, >= 1
// Latency 0.
// Numerics: v_i is BF16; zero and subnormals give log2(0).  x_o is {sign, log2|v| in Q9.7}.
// Bit-exact with num_hfa_log2().
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module hfa_log2 #(
  parameter LANES = 1,
  parameter W     = LANES > 8 ? 32 : 17    // follows
) (
  input  wire [16*LANES-1:0] v_i,
  output wire [W*LANES-1:0]  x_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  localparam [15:0] ZERO = 16'h8000;       // log2(0)
  localparam [8:0]  BIAS = 9'd127;
  localparam W_V = LANES > 8 ? 32 : 16;

  wire [W_V*LANES-1:0] values;
  (* mem2reg *) reg [W-1:0] x [0:LANES-1];
  reg [31:0] i;
  reg [15:0] v;
  always @* begin
    v = 16'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      v    = values[W_V*i +: 16];
      x[i] = {{(W-17){1'b0}}, v[15], v[14:7] == 8'd0 ? ZERO : {{1'b0, v[14:7]} - BIAS, v[6:0]}};
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign values[W_V*g +: W_V] = {{(W_V-16){1'b0}}, v_i[16*g +: 16]};
      assign x_o[W*g +: W]        = x[g];
    end
  endgenerate
endmodule
`resetall
