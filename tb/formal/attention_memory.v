// attention_memory: attention_ctrl and the rows that it has read, keys at once and values later; for
// proofs only.
//
// Rows may be written at any time but for those in use: those of a group from its acceptance until
// their values have been read.  Then no row is read while it is written (kv_sram), each value is that
// of its key, and nothing is reported.  Where they are written nevertheless it is, exactly (attention_rows).
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module attention_memory (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire       en_i,
  input  wire       q_valid_i,
  input  wire [1:0] q_base_i,
  input  wire [2:0] q_rows_i,
  input  wire       q_use_mask_i,
  input  wire       mask_valid_i,
  input  wire       we_i,
  input  wire [1:0] waddr_i
);
  localparam ROWS  = 3;
  localparam DELAY = 2;              // of the values, in place of 9 + CL

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  wire       q_ready, accept, k_read, v_read;
  wire [1:0] k_row, v_row;
  attention_ctrl #(.P(1), .NQ(1), .ROWS(ROWS)) u_ctrl (
    .clk_i(clk_i), .rst_ni(rst_ni), .en_i(en_i),
    .q_valid_i(q_valid_i), .q_ready_o(q_ready), .q_base_i(q_base_i), .q_rows_i(q_rows_i),
    .q_stride_i(2'd0), .q_limit_i(2'd3), .q_use_mask_i(q_use_mask_i), .q_final_i(1'b0), .q_carry_i(1'b0),
    .accept_o(accept), .carry_used_i(1'b0), .mask_valid_i(mask_valid_i), .mask_ready_o(), .mask_i(1'b1),
    .row_read_o(k_read), .row_addr_o(k_row), .beat_first_o(), .beat_last_o(), .beat_final_o(),
    .beat_carry_o(), .beat_key_o()
  );
  wire overwritten;
  attention_rows #(.ROWS(ROWS), .DELAY(DELAY)) u_rows (
    .clk_i(clk_i), .rst_ni(rst_ni), .en_i(en_i), .k_read_i(k_read), .k_row_i(k_row), .v_read_o(v_read), .v_row_o(v_row),
    .we_i(we_i), .waddr_i(waddr_i), .overwritten_o(overwritten)
  );

  always @* if (q_valid_i) assume (q_rows_i != 3'd0 && q_rows_i <= ROWS && q_base_i < ROWS);
  `ASSUME_STABLE(group_is_held, q_valid_i, q_ready, 6, {q_base_i, q_rows_i, q_use_mask_i})

  // How many values of a row are still to be read.
  genvar r;
  wire [ROWS-1:0] in_use, between;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : g_row
      wire [2:0] from_base = (r >= q_base_i) ? r - q_base_i : r + ROWS - q_base_i;
      wire       begins    = accept & (from_base < q_rows_i);
      wire       ends      = v_read & (v_row == r);
      reg  [2:0] uses_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) uses_q <= 3'd0;
        else uses_q <= uses_q + {2'd0, begins} - {2'd0, ends};
      end
      reg  [2:0] between_q;            // ... and whose keys have been
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) between_q <= 3'd0;
        else between_q <= between_q + {2'd0, k_read & (k_row == r)} - {2'd0, ends};
      end
      assign between[r] = between_q != 3'd0;
      assign in_use[r] = begins | (uses_q != 3'd0);
      always @* if (f_run && ends) assert (uses_q != 3'd0);
    end
  endgenerate
  // With a manager that keeps to this; another one writes what it likes.
  (* anyconst *) wire f_keeps;
  always @* assume (!we_i || (waddr_i < ROWS && !(f_keeps && in_use[waddr_i])));

  always @* if (f_run && f_keeps) begin
    assert (!(we_i && k_read && waddr_i == k_row));
    assert (!(we_i && v_read && waddr_i == v_row));
    assert (!overwritten);
  end
  // What it writes between the read of a key and that of its value is told, and nothing else.
  always @(posedge clk_i) if (f_run && f_ran) begin
    assert (overwritten == $past(we_i && ((k_read && k_row == waddr_i) || between[waddr_i])));
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    cover (we_i && v_read && $past(we_i && k_read));
    cover (overwritten && !f_keeps);
    cover (k_read && $past(we_i && waddr_i == k_row));   // written in the cycle before it is first read
  end
endmodule
`resetall
