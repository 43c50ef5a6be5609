// attention_chain: the end of the attention engine, from three FAUs' triplets through two ACCs
// to the divider, with everything about it that has to do with valid and ready; for proofs only.
//
//   FAU 0 --> ACC 1 --> ACC 2 --> divider --> out
//   FAU 1 ------^         ^
//   FAU 2 ----------------+
//
// Groups are numbered, and each triplet carries its group's number as its elements.
// The stubs beside this file merge equal elements into the same and unequal ones into a mark, so a
// result that carries a number was made of the triplets of one group.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none
module attention_chain (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire       last_i,          // the key entering the lanes is its group's last
  input  wire       en_wish_i,       // keys may pause, too
  input  wire       out_ready_i,
  output wire       out_valid_o
);
  localparam W = 3;                  // bits of a number: more than groups are in flight

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // ---------------------------------------------------------------- FAUs
  wire [2:0]   fau_ready, fau_valid, fau_take, fau_final, fau_poison, fau_last, fau_two;
  wire [15:0]  fau_m [0:2];
  wire [33:0]  fau_o [0:2], fau_spare [0:2];
  wire         en = &fau_ready & en_wish_i;

  reg  [W-1:0] number_q;             // of the next last key
  reg  [W-1:0] lane_q;               // of the group whose last key is in the lanes
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) number_q <= 0;
    else if (en & last_i) number_q <= number_q + 1'b1;
  end
  always @(posedge clk_i) if (en) lane_q <= number_q;

  genvar b;
  generate
    for (b = 0; b < 3; b = b + 1) begin : g_fau
      fau_triplet #(.D(1)) u_triplet (
        .clk_i(clk_i), .rst_ni(rst_ni), .en_i(en), .ready_o(fau_ready[b]),
        .start_poison_i(1'b0), .taint_i(1'b0), .first_i(1'b0),
        .last_i(last_i), .final_i(1'b0), .m_i(16'd0),
        .state_i({2{{(17-W){1'b0}}, lane_q}}),
        .out_valid_o(fau_valid[b]), .out_ready_i(fau_take[b]), .out_final_o(fau_final[b]),
        .out_m_o(fau_m[b]), .out_poison_o(fau_poison[b]), .out_o_o(fau_o[b]), .f_last_o(fau_last[b]),
        .f_spare_valid_o(fau_two[b]), .f_spare_o(fau_spare[b])
      );
    end
  endgenerate

  // ---------------------------------------------------------------- ACCs, divider
  wire [2:0]  run_valid, run_take;   // running triplets: of FAU 0, ACC 1, ACC 2
  wire [15:0] run_m [0:2];
  wire [33:0] run_o [0:2];
  wire [2:0]  run_final, run_poison;
  assign run_valid[0] = fau_valid[0];
  assign run_m[0]     = fau_m[0];
  assign run_o[0]     = fau_o[0];
  assign run_final[0] = fau_final[0];
  assign run_poison[0] = fau_poison[0];
  assign fau_take[0]  = run_take[0];
  generate
    for (b = 1; b < 3; b = b + 1) begin : g_acc
      acc #(.D(1)) u_acc (
        .clk_i(clk_i), .rst_ni(rst_ni),
        .a_valid_i(run_valid[b-1]), .a_ready_o(run_take[b-1]), .a_final_i(run_final[b-1]),
        .a_m_i(run_m[b-1]), .a_poison_i(run_poison[b-1]), .a_o_i(run_o[b-1]),
        .b_valid_i(fau_valid[b]), .b_ready_o(fau_take[b]),
        .b_m_i(fau_m[b]), .b_poison_i(fau_poison[b]), .b_o_i(fau_o[b]),
        .out_valid_o(run_valid[b]), .out_ready_i(run_take[b]), .out_final_o(run_final[b]),
        .out_m_o(run_m[b]), .out_poison_o(run_poison[b]), .out_o_o(run_o[b])
      );
    end
  endgenerate

  wire        out_final, out_poison;
  wire [15:0] out_m;
  wire [33:0] out_o;
  divide #(.D(1), .NQ(1)) u_divide (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_valid_i(run_valid[2]), .in_ready_o(run_take[2]), .in_final_i(1'b0),
    .in_m_i(run_m[2]), .in_poison_i(run_poison[2]), .in_o_i(run_o[2]),
    .out_valid_o(out_valid_o), .out_ready_i(out_ready_i), .out_final_o(out_final),
    .out_m_o(out_m), .out_poison_o(out_poison), .out_o_o(out_o)
  );

  // ---------------------------------------------------------------- numbers at every interface
  // What was taken where, counted.  A triplet that waits has the number of the next to be taken.
  reg [W-1:0] loaded_q, out_q;
  reg [W-1:0] fau_q [0:2];
  reg [W-1:0] run_q [1:2];
  integer i;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 0;
      out_q    <= 0;
      for (i = 0; i < 3; i = i + 1) fau_q[i] <= 0;
      for (i = 1; i < 3; i = i + 1) run_q[i] <= 0;
    end else begin
      if (en & lane_last_q) loaded_q <= loaded_q + 1'b1;
      if (out_valid_o & out_ready_i) out_q <= out_q + 1'b1;
      for (i = 0; i < 3; i = i + 1) if (fau_valid[i] & fau_take[i]) fau_q[i] <= fau_q[i] + 1'b1;
      for (i = 1; i < 3; i = i + 1) if (run_valid[i] & run_take[i]) run_q[i] <= run_q[i] + 1'b1;
    end
  end
  reg lane_last_q;                   // as in the FAUs
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lane_last_q <= 1'b0;
    else if (en) lane_last_q <= last_i;
  end

  generate
    for (b = 0; b < 3; b = b + 1) begin : g_check_fau
      wire [W-1:0] waiting = {{(W-1){1'b0}}, fau_valid[b]} + {{(W-1){1'b0}}, fau_two[b]};
      wire [W-1:0] second  = fau_q[b] + 1'b1;
      always @* if (f_run) begin
        assert (fau_last[b] == lane_last_q);
        assert (loaded_q == fau_q[b] + waiting);
        if (fau_valid[b]) assert (fau_o[b] == {2{{(17-W){1'b0}}, fau_q[b]}});
        if (fau_two[b]) assert (fau_spare[b] == {2{{(17-W){1'b0}}, second}});
        assert (fau_ready[b] == !(lane_last_q && fau_two[b]));
      end
    end
    for (b = 1; b < 3; b = b + 1) begin : g_check_acc
      wire [W-1:0] waiting = {{(W-1){1'b0}}, run_valid[b]};
      always @* if (f_run) begin
        assert (fau_q[b] == run_q[b] + waiting);
        if (run_valid[b]) assert (run_o[b] == {2{{(17-W){1'b0}}, run_q[b]}});
      end
    end
  endgenerate
  always @* if (f_run) begin
    assert (number_q == loaded_q + {{(W-1){1'b0}}, lane_last_q});
    if (lane_last_q) assert (lane_q == loaded_q);
    assert (fau_q[0] == fau_q[1]);   // an ACC takes both of its triplets
    assert (run_q[1] == fau_q[2]);
    assert (run_q[2] == out_q + {{(W-1){1'b0}}, out_valid_o});
    // Results: in order, none missing, none twice, each of one group's triplets.
    if (out_valid_o) assert (out_o[16:0] == out_q && out_o[33:17] == out_q);
  end
  always @(posedge clk_i) if (f_run && f_ran && $past(out_valid_o && !out_ready_i)) begin
    assert (out_valid_o && out_o == $past(out_o));
  end

  // ---------------------------------------------------------------- no deadlock
  // While anything is on its way and results are taken, something is handed over every few cycles.
  wire busy  = (|fau_valid) | (|run_valid) | out_valid_o;
  wire moves = (|(fau_valid & fau_take)) | (|(run_valid & run_take)) | out_valid_o;
  reg  [2:0] still_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) still_q <= 3'd0;
    else still_q <= (busy & out_ready_i & ~moves) ? still_q + 3'd1 : 3'd0;
  end
  always @* if (f_run) begin
    assert (still_q < 3'd3);         // ACC: 3 cycles
    if (!lane_last_q) assert (&fau_ready);
  end
  always @(posedge clk_i) if (f_run) begin
    cover (out_valid_o && out_q == 1);
    cover (lane_last_q && !(&fau_ready));
  end
endmodule
