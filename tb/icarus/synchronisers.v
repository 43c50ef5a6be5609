// synchronisers: synchroniser and reset_synchroniser with inputs that change at any time, in Icarus: an output
// changes with the clock only, to what the input was at the edge STAGES - 1 before; a reset falls at once, and rises
// with the edge STAGES after it was let go.  A reset that has been low all the time is a reset, before any edge.
//
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module synchronisers;
  reg        clk, rst_n, level;
  wire [1:0] sync;                         // of 2 and of 4 stages
  wire [1:0] rst;
  synchroniser #(.STAGES(2)) u_sync_2 (.clk_i(clk), .rst_ni(rst_n), .async_i(level), .sync_o(sync[0]));
  synchroniser #(.STAGES(4), .RESET(1)) u_sync_4 (.clk_i(clk), .rst_ni(rst_n), .async_i(level), .sync_o(sync[1]));
  reset_synchroniser #(.STAGES(2)) u_reset_2 (.clk_i(clk), .arst_ni(rst_n), .rst_no(rst[0]));
  reset_synchroniser #(.STAGES(4)) u_reset_4 (.clk_i(clk), .arst_ni(rst_n), .rst_no(rst[1]));

  reg        never = 1'b0;                 // has no edge, as in a simulator that knows no unknown values
  wire       rst_low;
  reset_synchroniser #(.STAGES(2)) u_reset_low (.clk_i(1'b0), .arst_ni(never), .rst_no(rst_low));
  initial force u_reset_low.u_sync.stage_q = 2'b11;

  // What the input was at the edges before, the youngest lowest; in reset what the output is to be.
  reg [3:0] seen_2, seen_4;
  reg [2:0] edges;                         // since the reset was let go, up to 7
  integer   failed, seed, i;

  task check;
    if (rst_low !== 1'b0 || sync !== {seen_4[3], seen_2[1]} || rst !== {edges >= 4, edges >= 2}) begin
      if (failed < 10) $display("%0t: sync %b, rst %b, edges %0d, seen %b %b", $time, sync, rst, edges, seen_4, seen_2);
      failed = failed + 1;
    end
  endtask

  initial begin
    {clk, rst_n, level} = 3'b000;
    {seen_2, seen_4, edges} = {4'h0, 4'hf, 3'd0};
    failed = 0;
    seed   = 1;
    for (i = 0; i < 20000; i = i + 1) begin
      #1;
      case ($random(seed) & 15)
        0, 1, 2: level = ~level;
        3: if (($random(seed) & 7) == 0) begin
          rst_n = 1'b0;
          {seen_2, seen_4, edges} = {4'h0, 4'hf, 3'd0};
        end
        4, 5: rst_n = 1'b1;
        default: begin
          clk = ~clk;
          if (clk && rst_n) begin
            seen_2 = {seen_2[2:0], level};
            seen_4 = {seen_4[2:0], level};
            if (edges != 3'd7) edges = edges + 3'd1;
          end
        end
      endcase
      #1 check;
    end
    $display("synchronisers: %0d wrong: %s", failed, failed == 0 ? "PASS" : "FAIL");
    $finish;
  end
endmodule
`resetall
