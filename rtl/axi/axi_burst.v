// axi_burst: what AXI says of a burst's addresses: the last byte, and whether there may be such a burst.
//
//   formed_o   a beat is no wider than the bus; if there are several, they go up (INCR), stay (FIXED, up to 16) or
//              wrap (WRAP, 2, 4, 8 or 16, from an aligned address)
//   last_o     the highest byte that it reaches, of a burst that is formed
//   crosses_o  that byte is in another page than the first: AXI forbids it for pages of 4 kB
//
// Combinational.  AMBA AXI protocol specification (IHI 0022), A3.4.1, address structure.
//
// AXI_W  width of an address in bytes, >= 1     BEAT  bytes of the bus: 4, 8 .. 128
// PAGE   bytes, a power of two, >= BEAT
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module axi_burst #(
  parameter AXI_W = 40,
  parameter BEAT  = 64,
  parameter PAGE  = 4096
) (
  input  wire [AXI_W-1:0] address_i,
  input  wire [7:0]       len_i,           // beats less one
  input  wire [2:0]       size_i,          // log2 of a beat's bytes
  input  wire [1:0]       burst_i,         // 0 FIXED, 1 INCR, 2 WRAP
  output wire             formed_o,
  output wire             crosses_o,
  output wire [(AXI_W > 15 ? AXI_W : 15):0] last_o
);
  `PARAMETER(PAGE_must_be_a_power_of_two_of_BEAT_or_more, PAGE >= BEAT && (PAGE & (PAGE - 1)) == 0)
  localparam W = (AXI_W > 15 ? AXI_W : 15) + 1;    // 256 beats of 128 bytes are 2^15
  localparam SHIFT  = $clog2(BEAT);
  localparam PAGE_W = $clog2(PAGE);
  localparam [1:0] FIXED = 2'd0, INCR = 2'd1, WRAP = 2'd2;

  wire [W-1:0] start = {{(W-AXI_W){1'b0}}, address_i};
  wire [W-1:0] beat  = {{(W-7){1'b0}}, ~(7'h7f << size_i)};                  // its bytes less one
  wire [W-1:0] span  = {{(W-15){1'b0}}, ~(15'h7fff << size_i) | ({7'd0, len_i} << size_i)};
  wire         some  = len_i != 8'd0;
  wire         round = (len_i == 8'd1) | (len_i == 8'd3) | (len_i == 8'd7) | (len_i == 8'd15);

  assign formed_o  = (size_i <= SHIFT[2:0]) &
                     (~some | (burst_i == INCR) | ((burst_i == FIXED) & (len_i[7:4] == 4'd0)) |
                      ((burst_i == WRAP) & round & ((start & beat) == {W{1'b0}})));
  wire         goes  = some & (burst_i == INCR), wraps = some & (burst_i == WRAP);
  wire [W-1:0] first = start & ~(span & {W{wraps}});
  assign last_o    = goes ? (start & ~beat) + span : wraps ? start | span : start | beat;
  assign crosses_o = ((first ^ last_o) >> PAGE_W) != {W{1'b0}};
endmodule
`resetall
