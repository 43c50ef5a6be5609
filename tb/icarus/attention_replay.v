// attention_replay: what attention_tb --record wrote of an engine in Verilator, in Icarus: the same
// inputs must give the same outputs in every cycle.
//
//   vvp ... +record=FILE    a line a cycle, the fields as in the $fscanf below
//
// What a stream carries without its valid is X here, registers and memories start as X, and so are
// rows read in the cycle of their write (RAM_COLLISION_X).  As outputs are compared with ===, none of
// this reaches one that is valid.  Element 0 of a divided result is undefined, and not looked at.
//
// The parameters are those of attention_engine.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module attention_replay #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D  = 8,
  parameter P  = 2,
  parameter NQ = 1,
  parameter N  = 64
);
  localparam BW = (P > 1) ? $clog2(P) : 1;
  localparam RW = (N / P > 1) ? $clog2(N / P) : 1;
  localparam LW = $clog2(N + 1);
  localparam EW = 17 * (D + 1);

  reg                clk;
  reg                rst_n, kv_valid, q_valid, mask_valid, out_ready;
  reg  [BW-1:0]      kv_block;
  reg  [RW-1:0]      kv_row;
  reg  [16*D-1:0]    kv_k, kv_v;
  reg  [16*D*NQ-1:0] q;
  reg  [RW-1:0]      q_base;
  reg  [RW:0]        q_rows;
  reg  [LW-1:0]      q_stride;
  reg  [LW*NQ-1:0]   q_limit;
  reg                q_use_mask, q_final, q_carry;
  reg  [16*NQ-1:0]   carry_m;
  reg  [EW*NQ-1:0]   carry_o;
  reg  [NQ-1:0]      carry_poison;
  reg  [P*NQ-1:0]    mask;
  wire               q_ready, mask_ready, out_valid, out_final;
  wire [16*NQ-1:0]   out_m;
  wire [NQ-1:0]      out_poison;
  wire [EW*NQ-1:0]   out_o;

  attention_engine #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT), .D(D), .P(P), .NQ(NQ), .N(N)) u_top (
    .clk_i(clk), .rst_ni(rst_n),
    .kv_valid_i(kv_valid), .kv_block_i(kv_block), .kv_row_i(kv_row), .kv_k_i(kv_k), .kv_v_i(kv_v),
    .q_valid_i(q_valid), .q_ready_o(q_ready), .q_i(q), .q_base_i(q_base), .q_rows_i(q_rows),
    .q_stride_i(q_stride), .q_limit_i(q_limit), .q_use_mask_i(q_use_mask), .q_final_i(q_final),
    .q_carry_i(q_carry), .carry_m_i(carry_m), .carry_o_i(carry_o), .carry_poison_i(carry_poison),
    .mask_valid_i(mask_valid), .mask_ready_o(mask_ready), .mask_i(mask),
    .out_valid_o(out_valid), .out_ready_i(out_ready), .out_final_o(out_final), .out_m_o(out_m),
    .out_poison_o(out_poison), .out_o_o(out_o)
  );

  // ---------------------------------------------------------------- the record
  reg [8*1024-1:0] path;
  integer          file, fields, n;
  reg              ended;

  // Where a stream has nothing to say its inputs stay X.  A line that is cut leaves too few fields.
  task read_inputs;
    begin
      {kv_block, kv_row, kv_k, kv_v} = {(BW+RW+32*D){1'bx}};
      {q_base, q_rows, q_stride, q_use_mask, q_final, q_carry} = {(2*RW+LW+4){1'bx}};
      {q_limit, q, carry_m, carry_poison, carry_o} = {(NQ*(LW+16*D+17+EW)){1'bx}};
      mask   = {(P*NQ){1'bx}};
      fields = $fscanf(file, "%d %d %d %d %d", rst_n, kv_valid, q_valid, mask_valid, out_ready);
      ended  = fields <= 0 && $feof(file) != 0;
      if (fields == 5 && kv_valid) begin
        fields = fields + $fscanf(file, "%h %h %h %h", kv_block, kv_row, kv_k, kv_v) - 4;
      end
      if (fields == 5 && q_valid) begin
        fields = fields + $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h", q_base, q_rows, q_stride, q_use_mask,
                                  q_final, q_carry, q_limit, q, carry_m, carry_poison, carry_o) - 11;
      end
      if (fields == 5 && mask_valid) fields = fields + $fscanf(file, "%h", mask) - 1;
    end
  endtask

  reg                expected_q, expected_mask, expected_valid, expected_final;
  reg [16*NQ-1:0]    expected_m;
  reg [NQ-1:0]       expected_poison;
  reg [EW*NQ-1:0]    expected_o, got_o;
  task read_outputs;
    begin
      fields = fields + $fscanf(file, "%d %d %d", expected_q, expected_mask, expected_valid) - 3;
      if (fields == 5 && expected_valid) begin
        fields = fields + $fscanf(file, "%d %h %h %h", expected_final, expected_m, expected_poison, expected_o) - 4;
      end
    end
  endtask

  // ---------------------------------------------------------------- the comparison
  integer cycles, results, wrong;

  // Stops at the tenth difference.
  task check;
    input [8*12-1:0]  output_name;
    input [EW*NQ-1:0] got;
    input [EW*NQ-1:0] expected;
    if (got !== expected) begin
      wrong = wrong + 1;
      if (wrong <= 10) $display("cycle %0d: %0s is %h, expected %h", cycles, output_name, got, expected);
    end
  endtask

  task check_outputs;
    begin
      check("q_ready", q_valid & q_ready, expected_q);
      check("mask_ready", mask_ready, expected_mask);
      check("out_valid", out_valid, expected_valid);
      if (expected_valid) begin
        got_o = out_o;
        if (expected_final) for (n = 0; n < NQ; n = n + 1) got_o[EW*n +: 17] = 17'd0;
        check("out_final", out_final, expected_final);
        check("out_m", out_m, expected_m);
        check("out_poison", out_poison, expected_poison);
        check("out_o", got_o, expected_o);
        results = results + 1;
      end
    end
  endtask

  initial begin
    clk     = 1'b0;
    cycles  = 0;
    results = 0;
    wrong   = 0;
    ended   = 1'b0;
    if (!$value$plusargs("record=%s", path)) path = "";
    file   = $fopen(path, "r");
    fields = 5;
    while (file != 0 && fields == 5 && wrong < 10) begin
      read_inputs;
      if (fields == 5) begin
        #1 read_outputs;
        check_outputs;
        cycles = cycles + 1;
        #1 clk = rst_n;                      // resets come between the edges
        #1 clk = 1'b0;
      end
    end
    $display("%0d cycles, %0d of them with a result, %0d differences: %0s", cycles, results, wrong,
             (ended && results > 0 && wrong == 0) ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`resetall
