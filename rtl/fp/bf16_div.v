// bf16_div: BF16 divider, a / b, with one register in the middle.
//
//   a_i --+--> [4 quotient bits] --> register --> [4 quotient bits] --> [round] --> y_o
//   b_i --+--> [exponents]          ^
//                                 en_i
//
// Latency 1: operands are taken with en_i; y_o is combinational from the register.
// Numerics: round to nearest even; subnormal operands count as zero of their sign, subnormal
// results become zero of theirs; overflow and x / 0 give infinity; a NaN, 0 / 0 and infinity /
// infinity give the NaN 0x7fc0.  Bit-exact with num_bf16_div().
// No parameters: the widths follow from the format.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_div (
  input  wire        clk_i,
  input  wire        en_i,
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [15:0] y_o
);
  localparam [15:0] NAN    = 16'h7fc0;
  localparam [9:0]  BIAS   = 10'd127;
  // Quotient bits made before the register and after it, the leading one not counted: 7 bits of
  // fraction and the half bit.
  localparam        BEFORE = 4;
  localparam        AFTER  = 4;

  // ---------------------------------------------------------------- unpack
  wire        a_zero = a_i[14:7] == 8'd0;
  wire        b_zero = b_i[14:7] == 8'd0;
  wire        a_spec = &a_i[14:7];            // infinity or NaN
  wire        b_spec = &b_i[14:7];
  wire        a_nan  = a_spec & (|a_i[6:0]);
  wire        b_nan  = b_spec & (|b_i[6:0]);
  wire [7:0]  b_sig  = {1'b1, b_i[6:0]};
  wire        less   = a_i[6:0] < b_i[6:0];   // a quotient below 1 is normalised beforehand

  wire        nan_d  = a_nan | b_nan | (a_zero & b_zero) | (a_spec & b_spec);
  wire        inf_d  = a_spec | b_zero;
  wire        zero_d = a_zero | b_spec;
  wire [9:0]  exp_d  = {2'd0, a_i[14:7]} - {2'd0, b_i[14:7]} + BIAS - {9'd0, less};

  // ---------------------------------------------------------------- first half of the quotient
  // The leading quotient bit is 1: what remains is the dividend less the divisor.  Every further
  // bit doubles the remainder and subtracts the divisor if it fits.
  wire [7:0]  dividend = less ? {a_i[6:0], 1'b0} : {1'b1, a_i[6:0]};   // modulo 256
  reg  [7:0]  rem_d;
  reg  [8:0]  trial_d;
  reg  [BEFORE-1:0] quo_d;
  integer     i;
  always @* begin
    rem_d = dividend - b_sig;
    for (i = BEFORE - 1; i >= 0; i = i - 1) begin
      trial_d  = {rem_d, 1'b0} - {1'b0, b_sig};
      quo_d[i] = ~trial_d[8];
      rem_d    = trial_d[8] ? {rem_d[6:0], 1'b0} : trial_d[7:0];
    end
  end

  // ---------------------------------------------------------------- register
  reg         sign_q, nan_q, inf_q, zero_q;
  reg [9:0]   exp_q;
  reg [6:0]   div_q;                          // divisor without its leading one
  reg [7:0]   rem_q;
  reg [BEFORE-1:0] quo_q;
  always @(posedge clk_i) begin
    if (en_i) begin
      sign_q <= a_i[15] ^ b_i[15];
      nan_q  <= nan_d;
      inf_q  <= inf_d;
      zero_q <= zero_d;
      exp_q  <= exp_d;
      div_q  <= b_i[6:0];
      rem_q  <= rem_d;
      quo_q  <= quo_d;
    end
  end

  // ---------------------------------------------------------------- second half
  reg  [7:0]  rem;
  reg  [8:0]  trial;
  reg  [AFTER-1:0] quo;
  integer     j;
  always @* begin
    rem = rem_q;
    for (j = AFTER - 1; j >= 0; j = j - 1) begin
      trial  = {rem, 1'b0} - {2'b01, div_q};
      quo[j] = ~trial[8];
      rem    = trial[8] ? {rem[6:0], 1'b0} : trial[7:0];
    end
  end

  // ---------------------------------------------------------------- round, pack
  // A quotient of two 8-bit significands is never half way between two others: with a set half bit
  // there is a remainder.
  wire [15:0] rounded;
  bf16_round u_round (
    .x_i({sign_q, exp_q, quo_q, quo, 1'b1}),
    .y_o(rounded)
  );

  assign y_o = nan_q  ? NAN
             : inf_q  ? {sign_q, 8'hff, 7'd0}
             : zero_q ? {sign_q, 15'd0}
                      : rounded;
endmodule
`resetall
