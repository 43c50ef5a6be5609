// hfa_log2: log2|v| by Mitchell's approximation, as an element, combinational.
//
// The exponent and the fraction of a BF16, read as one number of 7 fraction bits, are the
// approximation itself; only the bias is to be taken off.
//
// Latency 0.
// Numerics: v_i is BF16; zero and subnormals give log2(0).  x_o is {sign, log2|v| in Q9.7}.
// Bit-exact with num_hfa_log2().  No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_log2 (
  input  wire [15:0] v_i,
  output wire [16:0] x_o
);
  localparam [15:0] ZERO = 16'h8000;       // log2(0)
  localparam [8:0]  BIAS = 9'd127;

  wire [8:0] exponent = {1'b0, v_i[14:7]};

  assign x_o[16]   = v_i[15];
  assign x_o[15:0] = exponent == 9'd0 ? ZERO : {exponent - BIAS, v_i[6:0]};
endmodule
`resetall
