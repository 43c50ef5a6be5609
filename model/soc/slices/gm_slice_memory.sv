// gm_atomic with its slice of global memory, which is the simulator's.
//
//   req --> [gm_atomic] --> rsp
//             |      ^
//          re, we   rdata_q
//             v      |
//           [gm_read, gm_write: C++]
//
// Only for simulation without waveforms.  Here the memory's word is a register: were it an input of the
// model, Verilator would compute all lanes three times a cycle, once for each time anything is set.
// Ports as of gm_atomic; memory_i is the address of the memory's first byte in the host.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
import "DPI-C" function void gm_read(input longint unsigned memory, input int unsigned beat,
                                     output bit [511:0] data);
import "DPI-C" function void gm_write(input longint unsigned memory, input int unsigned beat,
                                      input bit [15:0] mask, input bit [511:0] data);

module gm_slice_memory (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire         clear_i,
  input  wire [63:0]  memory_i,
  input  wire         req_valid_i,
  output wire         req_ready_o,
  input  wire [2:0]   req_op_i,
  input  wire [25:0]  req_addr_i,
  input  wire [511:0] req_data_i,
  input  wire [15:0]  req_mask_i,
  input  wire [9:0]   req_len_i,
  input  wire [7:0]   req_tag_i,
  output wire         rsp_valid_o,
  input  wire         rsp_ready_i,
  output wire [7:0]   rsp_tag_o,
  output wire         guard_zero_o,
  output wire         guard_special_o,
  output wire         guard_underflow_o,
  output wire         guard_overflow_o,
  output wire [31:0]  cnt_beats_o,
  output wire [31:0]  cnt_guards_o,
  output wire [31:0]  cnt_stalls_o
);
  wire         re, we;
  wire [25:0]  raddr, waddr;
  wire [511:0] wdata;
  wire [15:0]  wmask;
  bit  [511:0] rdata_q;

  gm_atomic u_atomic (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(clear_i),
    .req_valid_i(req_valid_i), .req_ready_o(req_ready_o), .req_op_i(req_op_i), .req_addr_i(req_addr_i),
    .req_data_i(req_data_i), .req_mask_i(req_mask_i), .req_len_i(req_len_i), .req_tag_i(req_tag_i),
    .rsp_valid_o(rsp_valid_o), .rsp_ready_i(rsp_ready_i), .rsp_tag_o(rsp_tag_o),
    .mem_re_o(re), .mem_raddr_o(raddr), .mem_rdata_i(rdata_q),
    .mem_we_o(we), .mem_waddr_o(waddr), .mem_wdata_o(wdata), .mem_wmask_o(wmask),
    .guard_zero_o(guard_zero_o), .guard_special_o(guard_special_o),
    .guard_underflow_o(guard_underflow_o), .guard_overflow_o(guard_overflow_o),
    .cnt_beats_o(cnt_beats_o), .cnt_guards_o(cnt_guards_o), .cnt_stalls_o(cnt_stalls_o)
  );

  // A read sees what was there before a write of its cycle.
  always @(posedge clk_i) begin
    bit [511:0] data;
    if (re) begin
      gm_read(memory_i, {6'd0, raddr}, data);
      rdata_q <= data;
    end
    if (we) gm_write(memory_i, {6'd0, waddr}, wmask, wdata);
  end
endmodule
`resetall
