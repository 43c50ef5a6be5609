// gm_s32_guard: add an int32 to the bits of a binary32, guarded or raw; one lane, combinational.
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
// No parameters.  Bit-exact with num_gm_apply(), ops ADD_S32 and ADD_S32_RAW.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_s32_guard (
  input  wire [31:0] u_i,        // bits of a binary32
  input  wire [31:0] n_i,        // int32
  input  wire        raw_i,
  output wire [31:0] result_o,
  output wire [3:0]  guard_o     // {overflow, underflow, special, zero}
);
  // The magnitude is below 2^31 and n within [-2^31, 2^31): their sum is within [-2^31, 2^32),
  // which takes 33 bits in two's complement.
  localparam R_W = 33;
  localparam [R_W-1:0] MIN_NORMAL = 33'h0_0080_0000;
  localparam [R_W-1:0] INFINITE   = 33'h0_7f80_0000;

  wire           sign = u_i[31];
  wire [7:0]     expo = u_i[30:23];
  wire [R_W-1:0] r    = {2'b00, u_i[30:0]} + {n_i[31], n_i};

  wire active    = ~raw_i & (n_i != 32'd0);
  wire zero      = active & (expo == 8'h00);
  wire special   = active & (expo == 8'hff);
  wire in_range  = active & ~zero & ~special;
  wire underflow = in_range & (r[R_W-1] | (r < MIN_NORMAL));   // top bit: r is negative
  wire overflow  = in_range & ~r[R_W-1] & (r >= INFINITE);

  // The sign has weight 2^31, so the raw sum differs from r in bit 31 alone: one adder serves both.
  wire [31:0] raw_sum = {r[31] ^ sign, r[30:0]};

  assign guard_o  = {overflow, underflow, special, zero};
  assign result_o = special            ? u_i
                  : (zero | underflow) ? {sign, 31'd0}
                  : overflow           ? {sign, 31'h7f80_0000}
                                       : raw_sum;   // in range r[31] is 0, which keeps sign(u)

`ifdef FORMAL
  // The same function said another way: without guard it is an addition to the bits that keeps the
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
