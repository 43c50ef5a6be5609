// ram_1r1w: a memory with one write port and one synchronous read port: the one place for a compiler's macro.
//
//   we_i waddr_i wmask_i wdata_i --> [words] --> [rdata_o], loaded with re_i
//                 re_i raddr_i -------^
//
// All large memories of this RTL are instances of this module.  A chip puts a module of the same name and
// ports in its place, which chooses a macro by WIDTH, DEPTH and LANE; nothing else changes.
//
// Contract
//  - rdata_o is the word addressed with the last re_i, one cycle later, and stays until the next re_i.
//  - A word that is written in the cycle in which it is read reads as anything; the write stands.  With
//    the macro RAM_COLLISION_X, of simulations, "anything" is X.
//  - Lanes that wmask_i leaves out keep what they hold.  Nothing is reset.
//
// WIDTH  bits of a word, >= 1
// DEPTH  words, >= 1
// LANE   bits that one bit of wmask_i stands for: WIDTH (no mask), 32, 8 (a byte mask) ...; divides WIDTH
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module ram_1r1w #(
  parameter WIDTH  = 32,
  parameter DEPTH  = 16,
  parameter LANE   = WIDTH
) (
  input  wire                  clk_i,

  input  wire                  we_i,
  input  wire [$clog2(DEPTH > 1 ? DEPTH : 2)-1:0] waddr_i,   // 0 .. DEPTH-1, as is raddr_i
  input  wire [WIDTH/LANE-1:0] wmask_i,     // 1: write this lane
  input  wire [WIDTH-1:0]      wdata_i,

  input  wire                  re_i,
  input  wire [$clog2(DEPTH > 1 ? DEPTH : 2)-1:0] raddr_i,
  output reg  [WIDTH-1:0]      rdata_o
);
  `PARAMETER(WIDTH_must_be_at_least_1, WIDTH >= 1)
  `PARAMETER(DEPTH_must_be_at_least_1, DEPTH >= 1)
  `PARAMETER(LANE_must_divide_WIDTH, LANE >= 1 && WIDTH % LANE == 0)
  reg [WIDTH-1:0] word_mem [0:DEPTH-1];

  generate
    if (LANE == WIDTH) begin : g_whole
      always @(posedge clk_i) if (we_i & wmask_i[0]) word_mem[waddr_i] <= wdata_i;
    end else begin : g_lanes
      integer i;
      always @(posedge clk_i) begin
        for (i = 0; i < WIDTH / LANE; i = i + 1) begin
          if (we_i & wmask_i[i]) word_mem[waddr_i][LANE*i +: LANE] <= wdata_i[LANE*i +: LANE];
        end
      end
    end
  endgenerate

  always @(posedge clk_i) begin
    if (re_i) rdata_o <= word_mem[raddr_i];
`ifdef RAM_COLLISION_X
    if (we_i & re_i & (waddr_i == raddr_i)) rdata_o <= {WIDTH{1'bx}};
`endif
  end
endmodule
`resetall
