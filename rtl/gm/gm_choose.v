// gm_choose: sums of S16 and S8, and the larger and the smaller of numbers of all types; LANES words, combinational.
//
//   m_i, x_i --> [keys: in the order of integers] --> [adder, cut at elements' top bits] --+-------------> sums
//                                                                                          +-- carries --> m or x
//
// m_i is what is in memory, x_i the operand.  A sum wraps.  The larger is m > x ? m : x and the smaller
// m < x ? m : x, so that x is taken if either is a NaN, or both are zeros.  k + ~n has a carry if k > n.
// op_i: codes of sw/hal/gm_ops.def, ADD_S16, ADD_S8, MAX_* and MIN_*; for others result_o is undefined.
// A loop over the lanes in words of 32 bits, as in fp32_add.
// LANES  words at a time, >= 1
// Bit-exact with num_gm_apply().
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_choose #(
  parameter LANES = 1
) (
  input  wire [4:0]          op_i,
  input  wire [32*LANES-1:0] m_i,
  input  wire [32*LANES-1:0] x_i,
  output wire [32*LANES-1:0] result_o
);
  `PARAMETER(LANES_must_be_at_least_1, LANES >= 1)
  localparam [4:0] ADD_S16 = 5'd7, ADD_S8 = 5'd8;
  localparam [4:0] MAX_F32 = 5'd9, MAX_F16 = 5'd10, MAX_BF16 = 5'd11, MAX_S16 = 5'd13, MAX_S8 = 5'd14;
  localparam [4:0] MIN_F32 = 5'd15, MIN_F16 = 5'd16, MIN_BF16 = 5'd17, MIN_S16 = 5'd19, MIN_S8 = 5'd20;

  wire adds     = op_i == ADD_S16 || op_i == ADD_S8;
  wire smaller  = op_i >= MIN_F32;
  wire is_f32   = op_i == MAX_F32 || op_i == MIN_F32;
  wire is_f16   = op_i == MAX_F16 || op_i == MIN_F16;
  wire is_bf16  = op_i == MAX_BF16 || op_i == MIN_BF16;
  wire bytes    = op_i == ADD_S8 || op_i == MAX_S8 || op_i == MIN_S8;
  wire halves   = op_i == ADD_S16 || op_i == MAX_S16 || op_i == MIN_S16 || is_f16 || is_bf16;
  wire [31:0] top = bytes ? 32'h80808080 : halves ? 32'h80008000 : 32'h80000000;
  wire [14:0] infinity = is_f16 ? 15'h7c00 : 15'h7f80;   // of a half

  (* mem2reg *) reg [31:0] result [0:LANES-1];
  reg [31:0] i, m, x, k, n, a, b, s, carry, none, mask;
  always @* begin
    {m, x, k, n, a, b, s, carry, none, mask} = {10{32'd0}};
    for (i = 0; i < LANES; i = i + 1) begin
      m = m_i[32*i +: 32];
      x = x_i[32*i +: 32];
      // A negative floating-point number counts down.
      k = m ^ top;
      n = x ^ top;
      if (is_f32) begin
        k = m ^ (32'h80000000 | {32{m[31]}});
        n = x ^ (32'h80000000 | {32{x[31]}});
      end
      if (is_f16 || is_bf16) begin
        k = m ^ (32'h80008000 | {{16{m[31]}}, {16{m[15]}}});
        n = x ^ (32'h80008000 | {{16{x[31]}}, {16{x[15]}}});
      end
      a = adds ? m : smaller ? n : k;
      b = adds ? x : smaller ? ~k : ~n;
      // No carry goes beyond a top bit, which is added apart.
      s = (a & ~top) + (b & ~top);
      carry = (a & b) | ((a | b) & s);

      // Nothing is larger than a NaN, nor one zero than another: in bits 31 and 15.
      none = 32'd0;
      if (is_f32) begin
        none[31] = (m[30:0] > 31'h7f800000) || (x[30:0] > 31'h7f800000) || ((m[30:0] | x[30:0]) == 31'd0);
      end
      if (is_f16 || is_bf16) begin
        none[31] = (m[30:16] > infinity) || (x[30:16] > infinity) || ((m[30:16] | x[30:16]) == 15'd0);
        none[15] = (m[14:0] > infinity) || (x[14:0] > infinity) || ((m[14:0] | x[14:0]) == 15'd0);
      end
      carry = carry & ~none;
      mask = {32{carry[31]}};
      if (halves) mask = {{16{carry[31]}}, {16{carry[15]}}};
      if (bytes) mask = {{8{carry[31]}}, {8{carry[23]}}, {8{carry[15]}}, {8{carry[7]}}};
      result[i] = adds ? s ^ ((a ^ b) & top) : (m & mask) | (x & ~mask);
    end
  end

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      assign result_o[32*g +: 32] = result[g];
    end
  endgenerate

`ifdef FORMAL
  // Of one lane: the same said of each element, as integers, or as a sign and a size.
  function float_gt;
    input [31:0] p, q;
    input [30:0] infinite;
    float_gt = p[30:0] > infinite || q[30:0] > infinite || (p[30:0] == 0 && q[30:0] == 0) ? 1'b0
             : p[31] != q[31] ? q[31]
             : p[31] ? p[30:0] < q[30:0] : p[30:0] > q[30:0];
  endfunction
  function [31:0] number;                // of a half
    input [15:0] bits;
    number = {bits[15], 16'd0, bits[14:0]};
  endfunction
  integer f_i;
  reg     f_gt, f_lt;
  always @* begin
    assume (op_i >= ADD_S16 && op_i <= MIN_S8);
    for (f_i = 0; f_i < 4; f_i = f_i + 1) begin
      f_gt = $signed(m_i[8*f_i +: 8]) > $signed(x_i[8*f_i +: 8]);
      f_lt = $signed(m_i[8*f_i +: 8]) < $signed(x_i[8*f_i +: 8]);
      if (op_i == ADD_S8) assert (result_o[8*f_i +: 8] == m_i[8*f_i +: 8] + x_i[8*f_i +: 8]);
      if (op_i == MAX_S8) assert (result_o[8*f_i +: 8] == (f_gt ? m_i[8*f_i +: 8] : x_i[8*f_i +: 8]));
      if (op_i == MIN_S8) assert (result_o[8*f_i +: 8] == (f_lt ? m_i[8*f_i +: 8] : x_i[8*f_i +: 8]));
    end
    for (f_i = 0; f_i < 2; f_i = f_i + 1) begin
      f_gt = is_f16 ? float_gt(number(m_i[16*f_i +: 16]), number(x_i[16*f_i +: 16]), 31'h7c00)
           : is_bf16 ? float_gt(number(m_i[16*f_i +: 16]), number(x_i[16*f_i +: 16]), 31'h7f80)
           : $signed(m_i[16*f_i +: 16]) > $signed(x_i[16*f_i +: 16]);
      f_lt = is_f16 ? float_gt(number(x_i[16*f_i +: 16]), number(m_i[16*f_i +: 16]), 31'h7c00)
           : is_bf16 ? float_gt(number(x_i[16*f_i +: 16]), number(m_i[16*f_i +: 16]), 31'h7f80)
           : $signed(m_i[16*f_i +: 16]) < $signed(x_i[16*f_i +: 16]);
      if (op_i == ADD_S16) assert (result_o[16*f_i +: 16] == m_i[16*f_i +: 16] + x_i[16*f_i +: 16]);
      if (op_i == MAX_F16 || op_i == MAX_BF16 || op_i == MAX_S16) begin
        assert (result_o[16*f_i +: 16] == (f_gt ? m_i[16*f_i +: 16] : x_i[16*f_i +: 16]));
      end
      if (op_i == MIN_F16 || op_i == MIN_BF16 || op_i == MIN_S16) begin
        assert (result_o[16*f_i +: 16] == (f_lt ? m_i[16*f_i +: 16] : x_i[16*f_i +: 16]));
      end
    end
    if (op_i == MAX_F32) assert (result_o == (float_gt(m_i, x_i, 31'h7f800000) ? m_i : x_i));
    if (op_i == MIN_F32) assert (result_o == (float_gt(x_i, m_i, 31'h7f800000) ? m_i : x_i));
    if (op_i == 5'd12) assert (result_o == ($signed(m_i) > $signed(x_i) ? m_i : x_i));
    if (op_i == 5'd18) assert (result_o == ($signed(m_i) < $signed(x_i) ? m_i : x_i));
  end
`endif
endmodule
`resetall
