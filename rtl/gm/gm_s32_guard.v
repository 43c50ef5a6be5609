// gm_s32_guard: add an int32 to the bits of a binary32, guarded or raw; LANES of them, combinational.
//
//   u_i --> |magnitude| --+--> 33-bit sum r --+--> range check --> result_o
//   n_i ------------------+                   +--> raw two's complement ----^
//
// Latency 0: both outputs are combinational from all inputs.
// Adding k * 2^23 to the bits of a normal number multiplies it by 2^k (AMLA).  That is wrong for
// zeros, subnormals, infinities and NaN, and when the exponent leaves its range; the guard makes
// those cases what the multiplication would have given:
//
//   condition, first that holds     result_o           guard_o
//   n == 0                          u                  none
//   exponent of u == 0              signed zero        [0] zero
//   exponent of u == 255            u                  [1] special
//   r <  0x00800000                 signed zero        [2] underflow
//   r >= 0x7f800000                 signed infinity    [3] overflow
//   else                            sign(u) | r        none
//
// raw_i = 1: u + n modulo 2^32, no guard is raised.
// A loop over the lanes in words of 32 bits, as in fp32_add.
// LANES  words at a time, >= 1
// Bit-exact with num_gm_apply(), ops ADD_S32 and ADD_S32_RAW.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_s32_guard #(
  parameter LANES = 1
) (
  input  wire [32*LANES-1:0] u_i,        // bits of a binary32
  input  wire [32*LANES-1:0] n_i,        // int32
  input  wire                raw_i,
  output wire [32*LANES-1:0] result_o,
  output wire [4*LANES-1:0]  guard_o     // {overflow, underflow, special, zero}
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  localparam [31:0] MIN_NORMAL = 32'h0080_0000;
  localparam [31:0] INFINITE   = 32'h7f80_0000;
  localparam [31:0] ZERO = 32'd1, SPECIAL = 32'd2, UNDERFLOW = 32'd4, OVERFLOW = 32'd8;

  (* mem2reg *) reg [31:0] result [0:LANES-1];
  (* mem2reg *) reg [31:0] guard [0:LANES-1];
  reg [31:0] i, active, u, n, mag, sign, r, y, f;
  always @* begin
    {u, n, mag, sign, r, y, f} = {7{32'd0}};
    active = {32{~raw_i}};
    for (i = 0; i < LANES; i = i + 1) begin
      u    = u_i[32*i +: 32];
      n    = n_i[32*i +: 32];
      mag  = {1'b0, u[30:0]};
      sign = {u[31], 31'd0};
      // The magnitude is below 2^31 and n within [-2^31, 2^31): r has 33 bits, and is negative if n is and bit 31
      // is set.
      r = mag + n;

      f = r >= INFINITE ? OVERFLOW : 32'd0;
      f = (n[31] & r[31]) || (r < MIN_NORMAL) ? UNDERFLOW : f;
      f = mag >= INFINITE ? SPECIAL : f;
      f = mag < MIN_NORMAL ? ZERO : f;
      f = n == 32'd0 ? 32'd0 : f & active;

      // The sign has weight 2^31, so the raw sum differs from r in bit 31 alone: one adder serves both.  In range
      // r[31] is 0, which keeps sign(u).
      y = r ^ sign;
      y = (f & (ZERO | UNDERFLOW)) != 32'd0 ? sign : y;
      y = (f & OVERFLOW) != 32'd0 ? sign | INFINITE : y;
      y = (f & SPECIAL) != 32'd0 ? u : y;
      result[i] = y;
      guard[i]  = f;
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign result_o[32*g +: 32] = result[g];
      assign guard_o[4*g +: 4]    = guard[g][3:0];
    end
  endgenerate

`ifdef FORMAL
  // Of one lane.  The same function said another way: without guard it is an addition to the bits that keeps the
  // sign and stays among the normal numbers, and the guards are told from n against the room left.
  wire [30:0] f_mag    = u_i[30:0];
  wire        f_normal = u_i[30:23] != 8'h00 && u_i[30:23] != 8'hff;
  wire        f_on     = !raw_i && n_i != 0;
  wire signed [31:0] f_n     = n_i;
  wire signed [31:0] f_floor = 32'sh0080_0000 - $signed({1'b0, f_mag});
  wire signed [31:0] f_ceil  = 32'sh7f80_0000 - $signed({1'b0, f_mag});
  wire [31:0] f_sum    = u_i + n_i;
  always @* begin
    assert (zero_or_one_hot(guard_o));
    assert (guard_o[0] == (f_on && u_i[30:23] == 8'h00));
    assert (guard_o[1] == (f_on && u_i[30:23] == 8'hff));
    assert (guard_o[2] == (f_on && f_normal && f_n < f_floor));
    assert (guard_o[3] == (f_on && f_normal && f_n >= f_ceil));
    if (guard_o == 0) assert (result_o == f_sum);
    if (guard_o[0] || guard_o[2]) assert (result_o == {u_i[31], 31'd0});
    if (guard_o[1]) assert (result_o == u_i);
    if (guard_o[3]) assert (result_o == {u_i[31], 31'h7f80_0000});
    if (guard_o == 0 && f_on) begin
      assert (result_o[31] == u_i[31] && result_o[30:23] != 8'h00 && result_o[30:23] != 8'hff);
    end
  end
  function zero_or_one_hot;
    input [3:0] bits;
    zero_or_one_hot = (bits & (bits - 4'd1)) == 4'd0;
  endfunction
`endif
endmodule
`resetall
