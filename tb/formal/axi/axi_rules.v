// axi_rules: what a plain burst into a slice must be answered with, and where one of its beats lies, by the equations of
// the AXI specification (IHI 0022, A3.4.1), in whole numbers; for proofs only.
//
// BEAT, SLICE, PAGE in bytes.  Written apart from rtl/axi/axi_burst.v, which it judges.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module axi_rules #(
  parameter BEAT  = 8,
  parameter SLICE = 64,
  parameter PAGE  = 4096
) (
  input  wire [31:0] address_i,
  input  wire [7:0]  len_i,
  input  wire [2:0]  size_i,
  input  wire [1:0]  burst_i,
  input  wire [7:0]  index_i,              // of a beat, from 0 on
  output reg  [1:0]  response_o,           // 0 OKAY, 2 SLVERR, 3 DECERR
  output reg  [31:0] at_o                  // of that beat, where it begins
);
  reg [31:0] number_bytes, burst_length, aligned, container, boundary, first_byte, last_byte;
  reg        exists;
  always @* begin
    number_bytes = 32'd1 << size_i;
    burst_length = len_i + 32'd1;
    aligned      = address_i - (address_i & (number_bytes - 1));
    container    = burst_length << size_i;
    boundary     = address_i - (address_i & (container - 1));
    exists       = number_bytes <= BEAT;
    first_byte   = address_i;
    last_byte    = aligned + number_bytes - 1;
    at_o         = index_i == 0 ? address_i : aligned + ({24'd0, index_i} << size_i);
    if (burst_length > 1) begin
      case (burst_i)
        0: begin                           // FIXED
          exists = exists && burst_length <= 16;
          at_o   = address_i;
        end
        1: last_byte = aligned + container - 1;
        2: begin                           // WRAP
          exists     = exists && aligned == address_i &&
                       (burst_length == 2 || burst_length == 4 || burst_length == 8 || burst_length == 16);
          first_byte = boundary;
          last_byte  = boundary + container - 1;
          if (at_o > last_byte) at_o = at_o - container;
        end
        3: exists = 0;
      endcase
    end
    if (address_i >= SLICE || (exists && last_byte >= SLICE)) response_o = 2'd3;
    else if (!exists || first_byte - first_byte % PAGE != last_byte - last_byte % PAGE) response_o = 2'd2;
    else response_o = 2'd0;
  end
endmodule
`resetall
