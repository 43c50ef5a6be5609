// bf16_exp: e^x for x <= 0 in BF16, combinational.
//
//   x_i --+--> [* log2 e, shift: n + f] --> [2^-f: line + correction] --> [2^-n, pack] --> y_o
//         +--> NaN, too large, too small -----------------------------------^
//
// Latency 0: y_o is combinational from x_i.
// Numerics: e^x rounded to FP32 and from there to BF16, to nearest even; a subnormal result becomes
// zero.  A positive or subnormal x counts as 0, -infinity gives 0, a NaN the NaN 0x7fc0.  Bit-exact
// with num_bf16_exp() for all inputs, though nothing in here is exact: only 16 binades of x give
// anything but 0 and 1, and constants and table were fitted to those 2048 inputs.
// No parameters: the widths follow from the fit.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module bf16_exp (
  input  wire [15:0] x_i,
  output wire [15:0] y_o
);
  localparam [15:0] NAN = 16'h7fc0;
  localparam [15:0] ONE = 16'h3f80;
  localparam [7:0]  EXP_MIN = 8'd118;         // |x| < 2^-9 gives 1
  localparam [7:0]  EXP_MAX = 8'd133;         // |x| >= 2^7 gives 0

  // ---------------------------------------------------------------- z = -x * log2 e
  // log2 e in 14 fraction bits, and an offset that makes up for what is cut from the product and
  // from the constant.  Either half of the significand is a function of four bits at most, so two
  // small products and an adder take less than a multiplier.
  localparam [14:0] LOG2_E = 15'd23637;
  localparam [4:0]  OFFSET = 5'd28;
  wire [18:0] low     = {15'd0, x_i[3:0]} * {4'd0, LOG2_E} + {14'd0, OFFSET};
  wire [18:0] high    = {15'd0, 1'b1, x_i[6:4]} * {4'd0, LOG2_E};
  wire [22:0] product = {high, 4'd0} + {4'd0, low};

  // 8 integer and 15 fraction bits if x lies in the largest binade, shifted down for the others.
  wire [3:0]  shift = EXP_MAX[3:0] - x_i[10:7];
  wire [22:0] z     = product >> shift;
  wire [7:0]  n     = z[22:15];
  wire [14:0] f     = z[14:0];

  // ---------------------------------------------------------------- 2^-f
  // The line 1 - f/2 runs through both ends.  What lies between it and the curve, and the half that
  // rounds, comes from a table by the upper 8 bits of f, in units of 2^-16.
  localparam [16*256-1:0] CORRECTION = {
    256'h005d_005d_0016_ffd0_ff8c_ff8c_ff48_ff48_ff02_fec0_fe80_fe80_fe40_fdf8_fdc0_fdc0,
    256'hfd80_fd80_fd40_fd40_fcc0_fcc0_fc80_fc80_fc50_fc50_fc14_fbe0_fba0_fba0_fb60_fb60,
    256'hfb30_fafc_fad0_fad0_faa0_faa0_fa60_fa60_fa20_f9f0_f9c0_f9c0_f9a0_f9a0_f960_f960,
    256'hf940_f940_f920_f8f0_f8c0_f8c0_f890_f890_f860_f860_f840_f840_f7e0_f7e0_f7e0_f7e0,
    256'hf7c0_f7c0_f780_f780_f770_f770_f740_f740_f720_f720_f6e8_f6e8_f6d0_f6d0_f6c0_f6c0,
    256'hf6c0_f6c0_f680_f680_f668_f668_f668_f668_f630_f630_f630_f630_f5f8_f5f8_f5f8_f5f8,
    256'hf5d0_f5d0_f5d0_f5d0_f5b0_f5b0_f5b0_f5b0_f5a8_f5a8_f590_f590_f590_f590_f590_f590,
    256'hf580_f580_f580_f580_f580_f580_f580_f580_f580_f580_f580_f580_f580_f580_f580_f580,
    256'hf580_f580_f580_f580_f5a0_f5a0_f5a0_f5a0_f5b0_f5b0_f5b0_f5b0_f5d0_f5d0_f5d0_f5d0,
    256'hf5e0_f5e0_f5f8_f5f8_f620_f620_f620_f620_f640_f640_f640_f640_f660_f660_f660_f660,
    256'hf6c0_f6c0_f6c0_f6c0_f6c0_f6c0_f6c0_f6c0_f709_f709_f709_f709_f740_f740_f780_f780,
    256'hf780_f780_f780_f780_f7e0_f7e0_f800_f800_f800_f800_f840_f840_f840_f840_f8c0_f8c0,
    256'hf8e0_f8e0_f8e0_f8e0_f900_f900_f980_f980_f980_f980_f9d0_f9d0_fa10_fa10_fa10_fa10,
    256'hfa60_fa60_faa0_faa0_fb00_fb00_fb00_fb00_fb20_fb20_fb80_fb80_fc00_fc00_fc00_fc00,
    256'hfc00_fc00_fc70_fc70_fcc0_fcc0_fd00_fd00_fd00_fd00_fd80_fd80_fe00_fe00_fe00_fe00,
    256'hfe60_fe60_fea0_fea0_ff00_ff00_ff00_ff00_ff70_ff70_ffc0_ffc0_0000_0000_0040_0040
  };
  wire [7:0]  entry = ~f[14:7];               // the table begins with f = 0, its highest element
  wire [15:0] power = {1'b1, ~f} + CORRECTION[16*entry +: 16];
  wire unused = &{1'b0, power[7:0]};          // of the lower byte only the carry matters

  // ---------------------------------------------------------------- pack
  // The power lies in [1/2, 1) and has a leading one, or it is 1 and has overflowed to 0.
  wire [8:0]  exponent = 9'd127 - {1'b0, n} - {8'd0, power[15]};
  wire        flush    = exponent[8] | (exponent[7:0] == 8'd0);

  wire nan  = (&x_i[14:7]) & (|x_i[6:0]);
  wire one  = ~x_i[15] | (x_i[14:7] < EXP_MIN);
  wire zero = (x_i[14:7] > EXP_MAX) | flush;
  assign y_o = nan  ? NAN
             : one  ? ONE
             : zero ? 16'd0
                    : {1'b0, exponent[7:0], power[14:8]};
endmodule
`resetall
