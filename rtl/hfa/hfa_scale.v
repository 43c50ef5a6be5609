// hfa_scale: an element times 2^(-t/128), combinational: one saturating subtraction.
//
// LANES  elements at a time, >= 1
// Latency 0.
// Numerics: x_i and y_o are {sign, log2 in Q9.7}, t_i is unsigned.  Below the range the result is
// log2(0), the lowest number; log2(0) therefore stays what it is.  Bit-exact with num_hfa_scale().
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module hfa_scale #(
  parameter LANES = 1,
  parameter W     = LANES > 8 ? 32 : 17    // follows
) (
  input  wire [W*LANES-1:0] x_i,
  input  wire [11:0]        t_i,
  output wire [W*LANES-1:0] y_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  (* mem2reg *) reg [W-1:0] y [0:LANES-1];
  reg [31:0] i;
  reg [16:0] x;
  reg [15:0] d;
  always @* begin
    {x, d} = 33'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      x    = x_i[W*i +: 17];
      d    = x[15:0] - {4'd0, t_i};
      y[i] = {{(W-17){1'b0}}, x[16], x[15] | d[15], x[15] & ~d[15] ? 15'd0 : d[14:0]};
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign y_o[W*g +: W] = y[g];
    end
  endgenerate
endmodule
`resetall
