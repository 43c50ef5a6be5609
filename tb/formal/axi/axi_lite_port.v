// axi_lite_port, abstract: stands in for rtl/axi/axi_lite_port.v in proofs of what is behind it: any accesses, in any order.
//
// The bus itself is proved of axi_lite_port.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module axi_lite_port #(
  parameter ADDR_W = 10
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              awvalid_i,
  output wire              awready_o,
  input  wire [ADDR_W-1:0] awaddr_i,
  input  wire              wvalid_i,
  output wire              wready_o,
  input  wire [31:0]       wdata_i,
  input  wire [3:0]        wstrb_i,
  output wire              bvalid_o,
  input  wire              bready_i,
  output wire [1:0]        bresp_o,
  input  wire              arvalid_i,
  output wire              arready_o,
  input  wire [ADDR_W-1:0] araddr_i,
  output wire              rvalid_o,
  input  wire              rready_i,
  output wire [31:0]       rdata_o,
  output wire [1:0]        rresp_o,
  output wire              write_o,
  output wire [ADDR_W-3:0] write_at_o,
  output wire [31:0]       write_data_o,
  output wire              write_whole_o,
  input  wire              write_refuse_i,
  output wire              read_o,
  output wire [ADDR_W-3:0] read_at_o,
  input  wire [31:0]       read_data_i,
  input  wire              read_refuse_i
);
  (* anyseq *) wire write, write_whole, read;
  (* anyseq *) wire [ADDR_W-3:0] write_at, read_at;
  (* anyseq *) wire [31:0] write_data;
  assign write_o       = write;
  assign write_at_o    = write_at;
  assign write_data_o  = write_data;
  assign write_whole_o = write_whole;
  assign read_o        = read;
  assign read_at_o     = read_at;
  // What is not looked at.
  assign {awready_o, wready_o, bvalid_o, arready_o, rvalid_o, bresp_o, rresp_o} = 9'd0;
  assign rdata_o = 32'd0;
endmodule
`resetall
