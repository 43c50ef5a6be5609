// bus_contract: what managers of the buses must not do: an offer that changes before it is taken.  With +change=WHICH, of
// address, data (gm_axi) and access (axi_lite_port), the simulation ends with the assertion's name, without it at the end.
// SPDX-License-Identifier: Apache-2.0
`timescale 1ns/1ns
`default_nettype none
module bus_contract;
  reg           clk = 1'b0, rst_n = 1'b0;
  reg           valid = 1'b0;
  reg  [39:0]   address = 40'd0;
  reg  [63:0]   data = 64'd0;
  reg  [9:0]    access = 10'd0;
  reg  [8*16:1] change;
  always #5 clk = ~clk;

  // No burst has come, so its beats wait; after two, so do addresses.  The unit itself is never asked.
  gm_axi #(.LANES(2), .ADDR_W(4), .AXI_W(40), .LEN_W(3)) u_addresses (
    .aclk(clk), .aresetn(rst_n), .clear_i(1'b0), .s_axi_awvalid(valid), .s_axi_awid(8'd0), .s_axi_awaddr(address),
    .s_axi_awlen(8'd0), .s_axi_awsize(3'd3), .s_axi_awburst(2'd1), .s_axi_awatop(6'd0), .s_axi_awuser(6'd0),
    .s_axi_wvalid(1'b0), .s_axi_bready(1'b1), .s_axi_arvalid(1'b0), .s_axi_rready(1'b1));
  gm_axi #(.LANES(2), .ADDR_W(4), .AXI_W(40), .LEN_W(3)) u_beats (
    .aclk(clk), .aresetn(rst_n), .clear_i(1'b0), .s_axi_awvalid(1'b0), .s_axi_wvalid(valid), .s_axi_wdata(data),
    .s_axi_wstrb(8'hff), .s_axi_wlast(1'b1), .s_axi_bready(1'b1), .s_axi_arvalid(1'b0), .s_axi_rready(1'b1));
  axi_lite_port u_port (
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(1'b0), .wvalid_i(1'b0), .bready_i(1'b0), .arvalid_i(valid), .araddr_i(access),
    .rready_i(1'b0), .read_data_i(32'd0), .read_refuse_i(1'b0), .write_refuse_i(1'b0));

  initial begin
    if (!$value$plusargs("change=%s", change)) change = "";
    @(negedge clk) rst_n = 1'b1;
    @(negedge clk) valid = 1'b1;
    repeat (4) @(negedge clk);
    if (change == "address") address = 40'd8;
    if (change == "data") data = 64'd1;
    if (change == "access") access = 10'd4;
    repeat (4) @(negedge clk);
    $display("bus contract: kept");
    $finish;
  end
endmodule
