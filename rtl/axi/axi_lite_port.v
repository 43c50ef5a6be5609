// axi_lite_port: a subordinate of AXI4-Lite, as one access a cycle to the registers behind it.
//
//   AW --> [addr] --+
//   W  --> [data] --+--> write_o, in one cycle --> [B]
//   AR --------------> read_o, in one cycle -----> [R]
//
// A write is carried out when address and data are both there, in either order, and the answer to the
// write before has been taken; a read in the cycle in which its address is.  Both at once may happen: a read sees
// what was there before the write of its cycle.
// The registers answer in the same cycle: what is read, and whether the access is refused (SLVERR).
//
// A write every two cycles, a read every two cycles.  As AXI asks, no bus output depends on a bus input of
// the same cycle.
//
// ADDR_W  bits of a byte address, >= 3.  The lowest two are ignored.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module axi_lite_port #(
  parameter ADDR_W = 10
) (
  input  wire              clk_i,
  input  wire              rst_ni,          // active low, asserted asynchronously

  // AXI4-Lite
  input  wire              awvalid_i,
  output wire              awready_o,
  input  wire [ADDR_W-1:0] awaddr_i,
  input  wire              wvalid_i,
  output wire              wready_o,
  input  wire [31:0]       wdata_i,
  input  wire [3:0]        wstrb_i,
  output wire              bvalid_o,
  input  wire              bready_i,
  output wire [1:0]        bresp_o,         // 0 OKAY, 2 SLVERR
  input  wire              arvalid_i,
  output wire              arready_o,
  input  wire [ADDR_W-1:0] araddr_i,
  output wire              rvalid_o,
  input  wire              rready_i,
  output wire [31:0]       rdata_o,         // 0 with SLVERR
  output wire [1:0]        rresp_o,

  // Registers; offsets are in words
  output wire              write_o,         // with write_at_o, write_data_o
  output wire [ADDR_W-3:0] write_at_o,
  output wire [31:0]       write_data_o,
  output wire              write_whole_o,   // all four bytes
  input  wire              write_refuse_i,
  output wire              read_o,          // with read_at_o
  output wire [ADDR_W-3:0] read_at_o,
  input  wire [31:0]       read_data_i,
  input  wire              read_refuse_i
);
  `PARAMETER(ADDR_W_must_be_at_least_3, ADDR_W >= 3)
  // ---------------------------------------------------------------- write
  reg              aw_q, w_q, b_q, b_refused_q;
  reg [ADDR_W-3:0] at_q;
  reg [31:0]       data_q;
  reg              whole_q;

  assign awready_o     = ~aw_q;
  assign wready_o      = ~w_q;
  assign bvalid_o      = b_q;
  assign bresp_o       = {b_refused_q, 1'b0};
  assign write_o       = aw_q & w_q & ~b_q;
  assign write_at_o    = at_q;
  assign write_data_o  = data_q;
  assign write_whole_o = whole_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q  <= 1'b0;
      b_q  <= 1'b0;
    end else begin
      aw_q <= aw_q ? ~write_o : awvalid_i;
      w_q  <= w_q ? ~write_o : wvalid_i;
      b_q  <= b_q ? ~bready_i : write_o;
    end
  end

  always @(posedge clk_i) begin
    if (~aw_q) at_q <= awaddr_i[ADDR_W-1:2];
    if (~w_q) begin
      data_q  <= wdata_i;
      whole_q <= &wstrb_i;
    end
    if (write_o) b_refused_q <= write_refuse_i;
  end

  // ---------------------------------------------------------------- read
  reg        r_q, r_refused_q;
  reg [31:0] r_data_q;

  assign arready_o = ~r_q;
  assign read_o    = arvalid_i & ~r_q;
  assign read_at_o = araddr_i[ADDR_W-1:2];
  assign rvalid_o  = r_q;
  assign rdata_o   = r_data_q;
  assign rresp_o   = {r_refused_q, 1'b0};

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_q <= 1'b0;
    else r_q <= r_q ? ~rready_i : arvalid_i;
  end

  always @(posedge clk_i) begin
    if (read_o) begin
      r_data_q    <= read_refuse_i ? 32'd0 : read_data_i;
      r_refused_q <= read_refuse_i;
    end
  end

  wire unused = &{1'b0, awaddr_i[1:0], araddr_i[1:0]};

  // ---------------------------------------------------------------- the contract
  `ASSUME_STABLE(write_address_is_held, awvalid_i, awready_o, ADDR_W, awaddr_i)
  `ASSUME_STABLE(write_data_are_held, wvalid_i, wready_o, 36, {wstrb_i, wdata_i})
  `ASSUME_STABLE(read_address_is_held, arvalid_i, arready_o, ADDR_W, araddr_i)
  `ASSERT_STABLE(write_answer_is_held, bvalid_o, bready_i, 2, bresp_o)
  `ASSERT_STABLE(read_answer_is_held, rvalid_o, rready_i, 34, {rresp_o, rdata_o})

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // One answer for each write and each read, none for nothing.
  reg [2:0] f_aws_q, f_ws_q, f_bs_q, f_ars_q, f_rs_q;    // taken, answered
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {f_aws_q, f_ws_q, f_bs_q, f_ars_q, f_rs_q} <= 15'd0;
    else begin
      f_aws_q <= f_aws_q + {2'd0, awvalid_i & awready_o};
      f_ws_q  <= f_ws_q + {2'd0, wvalid_i & wready_o};
      f_bs_q  <= f_bs_q + {2'd0, bvalid_o & bready_i};
      f_ars_q <= f_ars_q + {2'd0, arvalid_i & arready_o};
      f_rs_q  <= f_rs_q + {2'd0, rvalid_o & rready_i};
    end
  end
  wire [2:0] f_aws_open = f_aws_q - f_bs_q;
  wire [2:0] f_ws_open  = f_ws_q - f_bs_q;
  wire [2:0] f_rs_open  = f_ars_q - f_rs_q;
  always @* if (f_run) begin
    assert (f_aws_open == {2'd0, bvalid_o} + {2'd0, aw_q});
    assert (f_ws_open == {2'd0, bvalid_o} + {2'd0, w_q});
    assert (f_rs_open == {2'd0, rvalid_o});
    if (bvalid_o) assert (bresp_o == 2'd0 || bresp_o == 2'd2);
    if (rvalid_o) assert (rresp_o == 2'd0 || rresp_o == 2'd2);
  end

  // Writes carried out are those that were asked for, with their address and data; each has one answer.
  reg [ADDR_W-1:0] f_aw_q;
  reg [31:0]       f_w_q;
  reg [3:0]        f_strb_q;
  always @(posedge clk_i) begin
    if (awvalid_i & awready_o) f_aw_q <= awaddr_i;
    if (wvalid_i & wready_o) {f_w_q, f_strb_q} <= {wdata_i, wstrb_i};
  end
  always @* if (f_run) begin
    if (aw_q) assert (write_at_o == f_aw_q[ADDR_W-1:2]);
    if (w_q) assert (write_data_o == f_w_q && write_whole_o == (&f_strb_q));
    if (write_o) assert (aw_q && w_q);
    if (read_o) assert (read_at_o == araddr_i[ADDR_W-1:2]);
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    assert ($past(write_o) == (bvalid_o && !$past(bvalid_o)));
    if ($past(write_o)) assert (bresp_o == {$past(write_refuse_i), 1'b0} && !aw_q && !w_q);
    assert ($past(read_o) == (rvalid_o && !$past(rvalid_o)));
    if ($past(read_o)) assert (rresp_o == {$past(read_refuse_i), 1'b0});
    if ($past(read_o)) assert (rdata_o == ($past(read_refuse_i) ? 32'd0 : $past(read_data_i)));
    // Nothing waits without a reason.
    if ($past(aw_q && w_q && !bvalid_o)) assert (bvalid_o);
`ifdef FORMAL_COVER
    cover (write_o && read_o);
    cover (bvalid_o && bresp_o == 2'd2 && $past(bvalid_o, 2));
    cover ($past(w_q && !aw_q) && write_o);
`endif
  end
`endif
endmodule
`resetall
