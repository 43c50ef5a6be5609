// attention_run: streams one chunk of a job through attention_engine, as fast as it goes.
//
//   +dir=DIR   reads DIR/rows, DIR/groups and DIR/masks and writes DIR/results; all in hex, one item a
//              line, the fields as in the $fscanf below.  A result is `final m poison o`; the last
//              line is `cycles N` in decimal, from the first acceptance to the last result.
//
// The parameters are those of attention_engine.
// SPDX-License-Identifier: Apache-2.0
`resetall
`timescale 1ns/1ns
`default_nettype none
module attention_run #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter D          = 8,
  parameter P          = 2,
  parameter NQ         = 1,
  parameter N          = 64
);
  localparam BW       = (P > 1) ? $clog2(P) : 1;
  localparam RW       = (N / P > 1) ? $clog2(N / P) : 1;
  localparam LW       = $clog2(N + 1);
  localparam PATIENCE = 100000;   // cycles

  reg                     clk = 1'b0;
  reg                     rst_n = 1'b1;
  reg                     kv_valid = 1'b0;
  reg  [BW-1:0]           kv_block = 0;
  reg  [RW-1:0]           kv_row = 0;
  reg  [16*D-1:0]         kv_k = 0, kv_v = 0;
  reg                     q_valid = 1'b0;
  wire                    q_ready;
  reg  [16*D*NQ-1:0]      q = 0;
  reg  [RW-1:0]           q_base = 0;
  reg  [RW:0]             q_rows = 1;
  reg  [LW-1:0]           q_stride = 0;
  reg  [LW*NQ-1:0]        q_limit = 0;
  reg                     q_use_mask = 1'b0, q_final = 1'b0, q_carry = 1'b0;
  reg  [16*NQ-1:0]        carry_m = 0;
  reg  [17*(D+1)*NQ-1:0]  carry_o = 0;
  reg  [NQ-1:0]           carry_poison = 0;
  reg                     mask_valid = 1'b0;
  wire                    mask_ready;
  reg  [P*NQ-1:0]         mask = 0;
  wire                    out_valid, out_final;
  wire [16*NQ-1:0]        out_m;
  wire [NQ-1:0]           out_poison;
  wire [17*(D+1)*NQ-1:0]  out_o;

  attention_engine #(.ARITHMETIC(ARITHMETIC), .VARIANT(VARIANT), .D(D), .P(P), .NQ(NQ), .N(N)) u_top (
    .clk_i(clk), .rst_ni(rst_n),
    .kv_valid_i(kv_valid), .kv_block_i(kv_block), .kv_row_i(kv_row), .kv_k_i(kv_k), .kv_v_i(kv_v),
    .q_valid_i(q_valid), .q_ready_o(q_ready), .q_i(q), .q_base_i(q_base), .q_rows_i(q_rows),
    .q_stride_i(q_stride), .q_limit_i(q_limit), .q_use_mask_i(q_use_mask), .q_final_i(q_final),
    .q_carry_i(q_carry), .carry_m_i(carry_m), .carry_o_i(carry_o), .carry_poison_i(carry_poison),
    .mask_valid_i(mask_valid), .mask_ready_o(mask_ready), .mask_i(mask),
    .out_valid_o(out_valid), .out_ready_i(1'b1), .out_final_o(out_final), .out_m_o(out_m),
    .out_poison_o(out_poison), .out_o_o(out_o)
  );

  reg [8*512-1:0] dir;
  integer rows, groups, masks, results, fields;
  integer sent, received, cycles, quiet;
  reg     more_groups;

  task next_row;
    begin
      fields = $fscanf(rows, "%h %h %h %h", kv_block, kv_row, kv_k, kv_v);
      kv_valid = fields == 4;
    end
  endtask

  task next_group;
    begin
      fields = $fscanf(groups, "%h %h %h %h %h %h %h %h %h %h %h", q_base, q_rows, q_stride, q_limit,
                       q_use_mask, q_final, q_carry, carry_m, carry_poison, carry_o, q);
      q_valid = fields == 11;
      more_groups = q_valid;
    end
  endtask

  task next_mask;
    begin
      fields = $fscanf(masks, "%h", mask);
      mask_valid = fields == 1;
    end
  endtask

  task tick;
    begin
      #1 clk = 1'b1;
      #1 clk = 1'b0;
    end
  endtask

  reg accepted, masked;

  initial begin
    if (!$value$plusargs("dir=%s", dir)) begin
      $display("attention_run: +dir=DIR is missing");
      $finish;
    end
    rows    = $fopen({dir, "/rows"}, "r");
    groups  = $fopen({dir, "/groups"}, "r");
    masks   = $fopen({dir, "/masks"}, "r");
    results = $fopen({dir, "/results"}, "w");
    #1 rst_n = 1'b0;
    tick;
    rst_n = 1'b1;

    next_row;
    while (kv_valid) begin
      tick;
      next_row;
    end

    sent = 0; received = 0; cycles = 0; quiet = 0;
    next_group;
    next_mask;
    while ((more_groups || received < sent) && quiet < PATIENCE) begin
      #1 accepted = q_valid & q_ready;
      masked = mask_valid & mask_ready;
      if (out_valid) begin
        $fdisplay(results, "%h %h %h %h", out_final, out_m, out_poison, out_o);
        received = received + 1;
      end
      quiet = (accepted | masked | out_valid) ? 0 : quiet + 1;
      tick;
      cycles = cycles + 1;
      if (accepted) begin
        sent = sent + 1;
        next_group;
      end
      if (masked) next_mask;
    end
    $fdisplay(results, "cycles %0d", cycles);
    $fclose(results);
    $finish;
  end
endmodule
`resetall
