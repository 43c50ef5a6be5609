// bf16_mul: BF16 multiplier, combinational.
//
//   a_i --+--> [exact product, exponents added] --> [normalise] --> [round] --> y_o
//   b_i --+--> NaN, infinity, zero ------------------------------------^
//
// Latency 0: y_o is combinational from a_i and b_i.
// Numerics: round to nearest even; subnormal operands count as zero of their sign, subnormal
// results become zero of theirs; overflow gives infinity; a NaN and 0 * infinity give the NaN
// 0x7fc0.  Bit-exact with num_bf16_mul().
// No parameters: the widths follow from the format.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_mul (
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [15:0] y_o
);
  localparam [15:0] NAN  = 16'h7fc0;
  localparam [9:0]  BIAS = 10'd127;

  // ---------------------------------------------------------------- unpack
  wire        sign   = a_i[15] ^ b_i[15];
  wire        a_zero = a_i[14:7] == 8'd0;
  wire        b_zero = b_i[14:7] == 8'd0;
  wire        a_spec = &a_i[14:7];              // infinity or NaN
  wire        b_spec = &b_i[14:7];
  wire        a_nan  = a_spec & (|a_i[6:0]);
  wire        b_nan  = b_spec & (|b_i[6:0]);

  // ---------------------------------------------------------------- compute
  wire [15:0] product  = {8'd0, 1'b1, a_i[6:0]} * {8'd0, 1'b1, b_i[6:0]};
  wire        carry    = product[15];           // the product of two numbers in [1, 2) is in [1, 4)
  wire [9:0]  exponent = {2'd0, a_i[14:7]} + {2'd0, b_i[14:7]} - BIAS + {9'd0, carry};
  wire [14:0] fraction = carry ? product[14:0] : {product[13:0], 1'b0};

  // ---------------------------------------------------------------- round, pack
  wire [15:0] rounded;
  bf16_round u_round (
    .sign_i  (sign),
    .exp_i   (exponent),
    .frac_i  (fraction[14:8]),
    .half_i  (fraction[7]),
    .sticky_i(|fraction[6:0]),
    .y_o     (rounded)
  );

  wire zero = a_zero | b_zero;
  wire spec = a_spec | b_spec;
  assign y_o = a_nan | b_nan | (spec & zero) ? NAN
             : spec                          ? {sign, 8'hff, 7'd0}
             : zero                          ? {sign, 15'd0}
                                             : rounded;
endmodule
`resetall
