// fp32_mul: IEEE-754 binary32 multiplier, combinational: what a rescale unit has without MUL-by-ADD.
//
//   a_i --+--> [exact product, exponents added] --> [normalise or denormalise] --> [round] --> y_o
//   b_i --+--> NaN, infinity, zero --------------------------------------------------^
//
// Latency 0.
// Numerics: as fp32_add: round to nearest even; subnormals are read and produced exactly; overflow gives
// infinity; every NaN result is 0x7fc00000.
// SUBNORMAL  1: as said; 0: subnormal operands count as zero, subnormal results become zero
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fp32_mul #(
  parameter SUBNORMAL = 1
) (
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output wire [31:0] y_o
);
  localparam [31:0] NAN  = 32'h7fc00000;
  localparam        SW   = 24;             // significand
  localparam        PW   = 2 * SW;

  // ---------------------------------------------------------------- unpack
  wire        sign   = a_i[31] ^ b_i[31];
  wire        a_sub  = a_i[30:23] == 8'd0;
  wire        b_sub  = b_i[30:23] == 8'd0;
  wire        a_spec = &a_i[30:23];
  wire        b_spec = &b_i[30:23];
  wire        a_nan  = a_spec & (|a_i[22:0]);
  wire        b_nan  = b_spec & (|b_i[22:0]);
  wire        a_zero = a_sub & ((SUBNORMAL == 0) | ~(|a_i[22:0]));
  wire        b_zero = b_sub & ((SUBNORMAL == 0) | ~(|b_i[22:0]));
  wire [SW-1:0] a_sig = {~a_sub, a_i[22:0]};
  wire [SW-1:0] b_sig = {~b_sub, b_i[22:0]};

  // ---------------------------------------------------------------- compute
  wire [PW-1:0] product = {{SW{1'b0}}, a_sig} * {{SW{1'b0}}, b_sig};
  // Biased exponent of the product's highest bit, two's complement.
  wire [9:0]  exp_top = {2'd0, a_i[30:23]} + {9'd0, a_sub} + {2'd0, b_i[30:23]} + {9'd0, b_sub}
                      - 10'd126;

  // The leading one goes to the highest bit, unless the exponent would fall below 1.
  wire [PW-1:0] norm;
  wire [9:0]    norm_exp;
  wire          lost;                      // bits shifted out below, of a subnormal result
  generate
    if (SUBNORMAL != 0) begin : g_subnormal
      reg  [5:0]    zeros;
      reg  [PW-1:0] left;
      integer       k;
      always @* begin
        left = product;
        for (k = 5; k >= 0; k = k - 1) begin
          zeros[k] = (left >> (PW - (1 << k))) == {PW{1'b0}};
          if (zeros[k]) left = left << (1 << k);
        end
      end
      wire [9:0]    exp_left = exp_top - {4'd0, zeros};
      wire          below    = exp_left[9] | (exp_left == 10'd0);
      wire [9:0]    places   = 10'd1 - exp_left;
      wire [5:0]    right    = (|places[9:6]) ? 6'd63 : places[5:0];
      wire [2*PW-1:0] wide   = {left, {PW{1'b0}}} >> right;
      assign norm     = below ? wide[2*PW-1:PW] : left;
      assign norm_exp = below ? 10'd0 : exp_left;
      assign lost     = below & ((|wide[PW-1:0]) | ((|places[9:6]) & (|left)));
    end else begin : g_flush
      assign norm     = product[PW-1] ? product : {product[PW-2:0], 1'b0};
      assign norm_exp = product[PW-1] ? exp_top : exp_top - 10'd1;
      assign lost     = 1'b0;
    end
  endgenerate

  // ---------------------------------------------------------------- round, pack
  wire        half     = norm[PW-SW-1];
  wire        sticky   = (|norm[PW-SW-2:0]) | lost;
  // Flushing, everything in the binade below the smallest normal number rounds up or is flushed.
  wire        edge_up  = (SUBNORMAL == 0) & (norm_exp == 10'd0) & (&norm[PW-2:PW-SW]);
  wire        round_up = (half & (sticky | norm[PW-SW])) | edge_up;
  wire [32:0] rounded  = {norm_exp, norm[PW-2:PW-SW]} + {32'd0, round_up};
  wire [9:0]  exponent = rounded[32:23];
  wire        overflow = ~exponent[9] & (exponent >= 10'd255);
  wire        under    = (SUBNORMAL == 0) & (exponent[9] | (exponent == 10'd0));

  wire zero = a_zero | b_zero;
  wire spec = a_spec | b_spec;
  assign y_o = a_nan | b_nan | (spec & zero) ? NAN
             : spec | (overflow & ~zero)     ? {sign, 8'hff, 23'd0}
             : zero | under                  ? {sign, 31'd0}
                                             : {sign, rounded[30:0]};
endmodule
`resetall
