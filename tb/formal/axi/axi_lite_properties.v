// axi_lite_properties: what AXI4-Lite asks of both sides of a bus; for proofs only.
//
// Assumed of the manager: what it offers it holds.  Asserted of the subordinate: the same of its answers; one
// answer for each write and each read, none for nothing.
//
// aw_held_i, w_held_i  an address or a datum that has been taken and not been answered
// ADDR_W               bits of an address
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module axi_lite_properties #(
  parameter ADDR_W = 10
) (
  input wire              clk_i,
  input wire              rst_ni,
  input wire              run_i,           // of formal_run
  input wire              ran_i,
  input wire              awvalid_i,
  input wire              awready_i,
  input wire [ADDR_W-1:0] awaddr_i,
  input wire              wvalid_i,
  input wire              wready_i,
  input wire [31:0]       wdata_i,
  input wire [3:0]        wstrb_i,
  input wire              bvalid_i,
  input wire              bready_i,
  input wire [1:0]        bresp_i,
  input wire              arvalid_i,
  input wire              arready_i,
  input wire [ADDR_W-1:0] araddr_i,
  input wire              rvalid_i,
  input wire              rready_i,
  input wire [31:0]       rdata_i,
  input wire [1:0]        rresp_i,
  input wire              aw_held_i,
  input wire              w_held_i
);
  stream_properties #(.W(ADDR_W), .ASSUMED(1)) u_aw (
    .clk_i(clk_i), .run_i(run_i), .ran_i(ran_i), .valid_i(awvalid_i), .ready_i(awready_i), .data_i(awaddr_i));
  stream_properties #(.W(36), .ASSUMED(1)) u_w (
    .clk_i(clk_i), .run_i(run_i), .ran_i(ran_i), .valid_i(wvalid_i), .ready_i(wready_i), .data_i({wstrb_i, wdata_i}));
  stream_properties #(.W(ADDR_W), .ASSUMED(1)) u_ar (
    .clk_i(clk_i), .run_i(run_i), .ran_i(ran_i), .valid_i(arvalid_i), .ready_i(arready_i), .data_i(araddr_i));
  stream_properties #(.W(2), .ASSUMED(0)) u_b (
    .clk_i(clk_i), .run_i(run_i), .ran_i(ran_i), .valid_i(bvalid_i), .ready_i(bready_i), .data_i(bresp_i));
  stream_properties #(.W(34), .ASSUMED(0)) u_r (
    .clk_i(clk_i), .run_i(run_i), .ran_i(ran_i), .valid_i(rvalid_i), .ready_i(rready_i), .data_i({rresp_i, rdata_i}));

  // Accounts: taken, answered.
  reg [2:0] aw_q, w_q, b_q, ar_q, r_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {aw_q, w_q, b_q, ar_q, r_q} <= 15'd0;
    else begin
      aw_q <= aw_q + {2'd0, awvalid_i & awready_i};
      w_q  <= w_q + {2'd0, wvalid_i & wready_i};
      b_q  <= b_q + {2'd0, bvalid_i & bready_i};
      ar_q <= ar_q + {2'd0, arvalid_i & arready_i};
      r_q  <= r_q + {2'd0, rvalid_i & rready_i};
    end
  end
  wire [2:0] aw_open = aw_q - b_q;
  wire [2:0] w_open  = w_q - b_q;
  wire [2:0] r_open  = ar_q - r_q;
  always @* if (run_i) begin
    assert (aw_open == {2'd0, bvalid_i} + {2'd0, aw_held_i});
    assert (w_open == {2'd0, bvalid_i} + {2'd0, w_held_i});
    assert (r_open == {2'd0, rvalid_i});
    if (bvalid_i) assert (bresp_i == 2'd0 || bresp_i == 2'd2);
    if (rvalid_i) assert (rresp_i == 2'd0 || rresp_i == 2'd2);
  end
endmodule
`resetall
