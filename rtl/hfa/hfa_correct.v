// hfa_correct: how far log2(1 + 2^-D) or log2(1 - 2^-D) is from 0, D = d/128, combinational.
//
//   d_i, sub_i --+--> [a: Mitchell's 2^-D] --> [a + c[a]] --+
//                +--> [near[d]] ----------------------------+--> t_o
//                +--> [far[d]] -----------------------------+
//
// Latency 0.
// Numerics: t_o has 7 fraction bits.  It is within 1 of the exact value rounded, and exact where
// hfa_pow2, the approximation it stands in for, is.  Inside these limits the tables are the
// cheapest found:
//
//   near   subtracting with D < 1, where the function goes to infinity: a table with an entry for
//          every d, all of them odd, since the last bit is the most expensive one.
//   a + c  the next five octaves.  a is 2^-D with 2^-f taken as the straight line 2 - f over an
//          octave and cut to an integer, in units of 1/128 (adding) or 1/256 (subtracting: these
//          octaves begin one later, at twice the slope).  c is a table of its own for either
//          function, odd, for the same reason as near, where the limits let it.
//   far    beyond, 1 + 2^-D and 1 - 2^-D give the same to 7 bits: the value rounded, near enough.
//
// Each entry is the one in its limits whose error, summed over the d that share it, is smallest:
// many additions in a row are hurt by a bias, not by a spread.
// d_i = 0 with sub_i, the logarithm of 0, is undefined.  Bit-exact with num_hfa_correct().
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module hfa_correct (
  input  wire [15:0] d_i,
  input  wire        sub_i,
  output wire [9:0]  t_o
);
  localparam [8:0] OCTAVES = 9'd5;         // that a + c serves

  wire [6:0] f       = d_i[6:0];
  wire [8:0] octave  = d_i[15:7];
  wire       is_near = sub_i & (octave == 9'd0);

  // ---------------------------------------------------------------- near
  reg  [9:0] near;
  always @* begin
    case (f)
      7'd2:   near = 10'd837;  7'd3:   near = 10'd763;  7'd4:   near = 10'd709;
      7'd5:   near = 10'd669;  7'd6:   near = 10'd635;  7'd7:   near = 10'd607;
      7'd8:   near = 10'd583;  7'd9:   near = 10'd563;  7'd10:  near = 10'd543;
      7'd11:  near = 10'd527;  7'd12:  near = 10'd511;  7'd13:  near = 10'd497;
      7'd14:  near = 10'd483;  7'd15:  near = 10'd471;  7'd16:  near = 10'd459;
      7'd17:  near = 10'd449;  7'd18:  near = 10'd439;  7'd19:  near = 10'd429;
      7'd20:  near = 10'd421;  7'd21:  near = 10'd411;  7'd22:  near = 10'd403;
      7'd23:  near = 10'd397;  7'd24:  near = 10'd389;  7'd25:  near = 10'd381;
      7'd26:  near = 10'd375;  7'd27:  near = 10'd369;  7'd28:  near = 10'd363;
      7'd29:  near = 10'd357;  7'd30:  near = 10'd351;  7'd31:  near = 10'd345;
      7'd32:  near = 10'd339;  7'd33:  near = 10'd335;  7'd34:  near = 10'd329;
      7'd35:  near = 10'd325;  7'd36:  near = 10'd319;  7'd37:  near = 10'd315;
      7'd38:  near = 10'd311;  7'd39:  near = 10'd307;  7'd40:  near = 10'd303;
      7'd41:  near = 10'd299;  7'd42:  near = 10'd295;  7'd43:  near = 10'd291;
      7'd44:  near = 10'd287;  7'd45:  near = 10'd283;  7'd46:  near = 10'd279;
      7'd47:  near = 10'd275;  7'd48:  near = 10'd273;  7'd49:  near = 10'd269;
      7'd50:  near = 10'd265;  7'd51:  near = 10'd263;  7'd52:  near = 10'd259;
      7'd53:  near = 10'd257;  7'd54:  near = 10'd253;  7'd55:  near = 10'd251;
      7'd56:  near = 10'd247;  7'd57:  near = 10'd245;  7'd58:  near = 10'd243;
      7'd59:  near = 10'd239;  7'd60:  near = 10'd237;  7'd61:  near = 10'd235;
      7'd62:  near = 10'd231;  7'd63:  near = 10'd229;  7'd64:  near = 10'd227;
      7'd65:  near = 10'd225;  7'd66:  near = 10'd223;  7'd67:  near = 10'd219;
      7'd68:  near = 10'd217;  7'd69:  near = 10'd215;  7'd70:  near = 10'd213;
      7'd71:  near = 10'd211;  7'd72:  near = 10'd209;  7'd73:  near = 10'd207;
      7'd74:  near = 10'd205;  7'd75:  near = 10'd203;  7'd76:  near = 10'd201;
      7'd77:  near = 10'd199;  7'd78:  near = 10'd197;  7'd79:  near = 10'd195;
      7'd80:  near = 10'd193;  7'd81:  near = 10'd191;  7'd82:  near = 10'd189;
      7'd83:  near = 10'd187;  7'd84:  near = 10'd185;  7'd85:  near = 10'd185;
      7'd86:  near = 10'd183;  7'd87:  near = 10'd181;  7'd88:  near = 10'd179;
      7'd89:  near = 10'd177;  7'd90:  near = 10'd175;  7'd91:  near = 10'd175;
      7'd92:  near = 10'd173;  7'd93:  near = 10'd171;  7'd94:  near = 10'd169;
      7'd95:  near = 10'd169;  7'd96:  near = 10'd167;  7'd97:  near = 10'd165;
      7'd98:  near = 10'd163;  7'd99:  near = 10'd163;  7'd100: near = 10'd161;
      7'd101: near = 10'd159;  7'd102: near = 10'd159;  7'd103: near = 10'd157;
      7'd104: near = 10'd155;  7'd105: near = 10'd155;  7'd106: near = 10'd153;
      7'd107: near = 10'd151;  7'd108: near = 10'd151;  7'd109: near = 10'd149;
      7'd110: near = 10'd147;  7'd111: near = 10'd147;  7'd112: near = 10'd145;
      7'd113: near = 10'd145;  7'd114: near = 10'd143;  7'd115: near = 10'd141;
      7'd116: near = 10'd141;  7'd117: near = 10'd139;  7'd118: near = 10'd139;
      7'd119: near = 10'd137;  7'd120: near = 10'd137;  7'd121: near = 10'd135;
      7'd122: near = 10'd135;  7'd123: near = 10'd133;  7'd124: near = 10'd133;
      7'd125: near = 10'd131;  7'd126: near = 10'd131;  7'd127: near = 10'd129;
      default: near = 10'd965;             // 1
    endcase
  end

  // ---------------------------------------------------------------- a + c
  wire [8:0] shift  = octave - {8'd0, sub_i};
  wire       is_far = shift >= OCTAVES;
  wire [6:0] a      = {1'b1, ~f[6:1]} >> shift[2:0];

  reg  [4:0] c_add;
  always @* begin
    case (a)
      7'd106, 7'd107, 7'd108, 7'd109, 7'd110, 7'd111, 7'd112, 7'd113, 7'd114, 7'd115, 7'd116,
      7'd117, 7'd118, 7'd119, 7'd120, 7'd121, 7'd122, 7'd123, 7'd124, 7'd125, 7'd126,
      7'd127: c_add = 5'd1;
      7'd11: c_add = 5'd4;
      7'd12, 7'd13, 7'd14, 7'd84, 7'd85, 7'd86, 7'd87, 7'd88, 7'd89, 7'd90, 7'd91,
      7'd92: c_add = 5'd5;
      7'd15: c_add = 5'd6;
      7'd16, 7'd17, 7'd18, 7'd19, 7'd20, 7'd21, 7'd22, 7'd23, 7'd24, 7'd25, 7'd26, 7'd27, 7'd76,
      7'd77, 7'd78, 7'd79, 7'd80, 7'd81, 7'd82, 7'd83: c_add = 5'd7;
      7'd28: c_add = 5'd8;
      7'd29, 7'd30, 7'd31, 7'd32, 7'd33, 7'd34, 7'd35, 7'd36, 7'd37, 7'd38, 7'd39, 7'd40, 7'd41,
      7'd42, 7'd43, 7'd44, 7'd45, 7'd46, 7'd47, 7'd48, 7'd49, 7'd50, 7'd51, 7'd52, 7'd53, 7'd54,
      7'd55, 7'd56, 7'd57, 7'd58, 7'd69, 7'd70, 7'd71, 7'd72, 7'd73, 7'd74, 7'd75: c_add = 5'd9;
      7'd59, 7'd60, 7'd61, 7'd62, 7'd63, 7'd64, 7'd65, 7'd66, 7'd67, 7'd68: c_add = 5'd11;
      default: c_add = 5'd3;               // 10 and less
    endcase
  end

  reg  [4:0] c_sub;
  always @* begin
    case (a)
      7'd79, 7'd80, 7'd81, 7'd82, 7'd83, 7'd84, 7'd85, 7'd86, 7'd87, 7'd88, 7'd89, 7'd90, 7'd91,
      7'd92, 7'd93, 7'd94, 7'd95, 7'd96, 7'd97, 7'd98, 7'd99, 7'd100: c_sub = -5'd15;
      7'd70, 7'd71, 7'd72, 7'd73, 7'd74, 7'd75, 7'd76, 7'd77, 7'd78, 7'd101, 7'd102, 7'd103,
      7'd104, 7'd105, 7'd106, 7'd107: c_sub = -5'd13;
      7'd41, 7'd42, 7'd43, 7'd44, 7'd45, 7'd46, 7'd47, 7'd48, 7'd49, 7'd50, 7'd51, 7'd52, 7'd53,
      7'd54, 7'd55, 7'd56, 7'd57, 7'd58, 7'd59, 7'd60, 7'd61, 7'd62, 7'd63, 7'd64, 7'd65, 7'd66,
      7'd67, 7'd68, 7'd69, 7'd108, 7'd109, 7'd110, 7'd111, 7'd112: c_sub = -5'd11;
      7'd35, 7'd36, 7'd37, 7'd38, 7'd39, 7'd40, 7'd113, 7'd114, 7'd115, 7'd116: c_sub = -5'd9;
      7'd23, 7'd24, 7'd25, 7'd26, 7'd27, 7'd28, 7'd29, 7'd30, 7'd31, 7'd32, 7'd33, 7'd34, 7'd117,
      7'd118, 7'd119: c_sub = -5'd7;
      7'd17, 7'd18, 7'd19, 7'd20, 7'd21, 7'd22, 7'd120, 7'd121: c_sub = -5'd5;
      7'd9, 7'd10, 7'd11, 7'd12, 7'd13, 7'd14, 7'd15, 7'd16, 7'd122, 7'd123,
      7'd124: c_sub = -5'd3;
      7'd127: c_sub = 5'd1;
      default: c_sub = -5'd1;              // 8 and less, 125 and 126
    endcase
  end

  wire [4:0] c   = sub_i ? c_sub : c_add;
  wire [7:0] sum = {1'b0, a} + {{3{c[4]}}, c};

  // ---------------------------------------------------------------- far
  // By the fours: where the function falls below 5.5, 4.5 .. 0.5.
  wire [13:0] four = d_i[15:2];
  wire [2:0]  far  = four < 14'd162 ? 3'd6
                   : four < 14'd171 ? 3'd5
                   : four < 14'd183 ? 3'd4
                   : four < 14'd198 ? 3'd3
                   : four < 14'd222 ? 3'd2
                   : four < 14'd273 ? 3'd1 : 3'd0;

  assign t_o = is_near ? near : is_far ? {7'd0, far} : {2'd0, sum};
endmodule
`resetall
