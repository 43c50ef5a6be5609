// gm_atomic_replay: what gm_atomic_tb --record wrote of gm_atomic in Verilator, in Icarus: the same
// inputs must give the same outputs in every cycle.
//
//   vvp ... +record=FILE    a line a cycle, the fields as in the $fscanf below
//
// A request's fields without its valid are X here, read data is X but in the cycle after its read, and
// registers start as X.  As outputs are compared with ===, none of this reaches one that counts.
// Masked-off lanes of a write are undefined, and not looked at.
//
// LANES, TYPES  as of gm_atomic
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module gm_atomic_replay #(
  parameter LANES = 16,
  parameter TYPES = 0
);
  localparam DATA_W = 32 * LANES;

  reg               clk;
  reg               rst_n, clear, req_valid, rsp_ready;
  reg  [4:0]        req_op;
  reg  [25:0]       req_addr;
  reg  [DATA_W-1:0] req_data, mem_rdata;
  reg  [LANES-1:0]  req_mask;
  reg  [9:0]        req_len;
  reg  [7:0]        req_tag;
  wire              req_ready, rsp_valid, mem_re, mem_we;
  wire [7:0]        rsp_tag;
  wire [25:0]       mem_raddr, mem_waddr;
  wire [DATA_W-1:0] mem_wdata;
  wire [LANES-1:0]  mem_wmask;
  wire [3:0]        guards;
  wire [31:0]       cnt_beats, cnt_guards, cnt_stalls;

  gm_atomic #(.LANES(LANES), .TYPES(TYPES)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_op_i(req_op[TYPES != 0 ? 4 : 2:0]), .req_addr_i(req_addr),
    .req_data_i(req_data), .req_mask_i(req_mask), .req_len_i(req_len), .req_tag_i(req_tag),
    .rsp_valid_o(rsp_valid), .rsp_ready_i(rsp_ready), .rsp_tag_o(rsp_tag),
    .mem_re_o(mem_re), .mem_raddr_o(mem_raddr), .mem_rdata_i(mem_rdata),
    .mem_we_o(mem_we), .mem_waddr_o(mem_waddr), .mem_wdata_o(mem_wdata), .mem_wmask_o(mem_wmask),
    .guard_zero_o(guards[0]), .guard_special_o(guards[1]),
    .guard_underflow_o(guards[2]), .guard_overflow_o(guards[3]),
    .cnt_beats_o(cnt_beats), .cnt_guards_o(cnt_guards), .cnt_stalls_o(cnt_stalls)
  );

  // ---------------------------------------------------------------- the record
  reg [8*1024-1:0] path;
  integer          file, fields;
  reg              ended, reading;           // mem_re_o of the cycle before

  // A line that is cut leaves too few fields.
  task read_inputs;
    begin
      {req_op, req_addr, req_mask, req_len, req_tag, req_data} = {(49+LANES+DATA_W){1'bx}};
      fields = $fscanf(file, "%d %d %d %d %h", rst_n, clear, req_valid, rsp_ready, mem_rdata);
      ended  = fields <= 0 && $feof(file) != 0;
      if (!reading) mem_rdata = {DATA_W{1'bx}};
      if (fields == 5 && req_valid) begin
        fields = fields - 6 + $fscanf(file, "%h %h %h %h %h %h", req_op, req_addr, req_mask, req_len, req_tag, req_data);
      end
    end
  endtask

  reg              exp_ready, exp_valid, exp_re, exp_we;
  reg [3:0]        exp_guards;
  reg [31:0]       exp_beats, exp_guarded, exp_stalls;
  reg [7:0]        exp_tag;
  reg [25:0]       exp_raddr, exp_waddr;
  reg [LANES-1:0]  exp_mask;
  reg [DATA_W-1:0] exp_data;
  task read_outputs;
    begin
      fields = fields - 8 + $fscanf(file, "%d %d %d %d %h %h %h %h", exp_ready, exp_valid, exp_re, exp_we,
                                    exp_guards, exp_beats, exp_guarded, exp_stalls);
      fields = fields - 5 + $fscanf(file, "%h %h %h %h %h", exp_tag, exp_raddr, exp_waddr, exp_mask, exp_data);
    end
  endtask

  // ---------------------------------------------------------------- the comparison
  integer cycles, writes, wrong, lane;

  task check;
    input [8*12-1:0]   output_name;
    input [DATA_W-1:0] got;
    input [DATA_W-1:0] expected;
    if (got !== expected) begin
      wrong = wrong + 1;
      $display("cycle %0d: %0s is %h, expected %h", cycles, output_name, got, expected);
    end
  endtask

  task check_outputs;
    begin
      check("req_ready", req_ready, exp_ready);
      check("rsp_valid", rsp_valid, exp_valid);
      check("mem_re", mem_re, exp_re);
      check("mem_we", mem_we, exp_we);
      check("guards", guards, exp_guards);
      check("cnt_beats", cnt_beats, exp_beats);
      check("cnt_guards", cnt_guards, exp_guarded);
      check("cnt_stalls", cnt_stalls, exp_stalls);
      if (exp_valid) check("rsp_tag", rsp_tag, exp_tag);
      if (exp_re) check("mem_raddr", mem_raddr, exp_raddr);
      if (exp_we) begin
        writes = writes + 1;
        check("mem_waddr", mem_waddr, exp_waddr);
        check("mem_wmask", mem_wmask, exp_mask);
        for (lane = 0; lane < LANES; lane = lane + 1) begin
          if (exp_mask[lane]) check("mem_wdata", mem_wdata[32*lane +: 32], exp_data[32*lane +: 32]);
        end
      end
    end
  endtask

  initial begin
    clk     = 1'b0;
    cycles  = 0;
    writes  = 0;
    wrong   = 0;
    ended   = 1'b0;
    reading = 1'b0;
    if (!$value$plusargs("record=%s", path)) path = "";
    file   = $fopen(path, "r");
    fields = 5;
    while (file != 0 && fields == 5 && wrong < 10) begin
      read_inputs;
      if (fields == 5) begin
        #1 read_outputs;
        check_outputs;
        reading = mem_re;
        cycles  = cycles + 1;
        #1 clk = rst_n;                      // resets come between the edges
        #1 clk = 1'b0;
      end
    end
    $display("%0d cycles, %0d of them with a write, %0d differences: %0s", cycles, writes, wrong,
             (ended && writes > 0 && wrong == 0) ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`resetall
