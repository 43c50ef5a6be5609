// fau_triplet: what an FAU ends with, whatever the arithmetic: poison, and the triplet register.
//
//   m, flags --> [stage 11+CL, beside the lanes] --> [triplet register, 12+CL, and a spare] --> valid/ready
//
// Behind a group's last key the lanes' state is copied; the FAU stalls (ready_o low) only if two
// triplets are still there that nobody takes.
//
// Protocol: the registers of stage 11+CL advance with en_i, which may be high only with ready_o.
// ready_o comes from registers: no path from out_ready_i.
//
// D  elements of a value, >= 1
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module fau_triplet #(
  parameter D = 64
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously
  input  wire                en_i,
  output wire                ready_o,

  // Stage 10+CL
  input  wire                start_poison_i,   // of the carry; looked at with first_i
  input  wire                taint_i,      // an infinity or NaN, from here on
  input  wire                first_i,
  input  wire                last_i,
  input  wire                final_i,
  input  wire [15:0]         m_i,

  // Stage 11+CL
  input  wire [17*(D+1)-1:0] state_i,

  // Triplet
  output wire                out_valid_o,
  input  wire                out_ready_i,
  output wire                out_final_o,
  output wire [15:0]         out_m_o,
  output wire                out_poison_o,
  output wire [17*(D+1)-1:0] out_o_o
`ifdef FORMAL
  , output wire              f_last_o      // a triplet is in the lanes
  , output wire              f_spare_valid_o   // two wait
  , output wire [17*(D+1)-1:0] f_spare_o   // the elements of the second
`endif
);
  `PARAMETER(D_must_be_at_least_1, D >= 1)
  // ---------------------------------------------------------------- stage 11+CL
  reg                last_q;
  reg                final_q;
  reg [15:0]         m_q;
  reg                poison_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= 1'b0;
    else if (en_i) last_q <= last_i;
  end

  always @(posedge clk_i) begin
    if (en_i) begin
      final_q  <= final_i;
      m_q      <= m_i;
      poison_q <= (first_i ? start_poison_i : poison_q) | taint_i;
    end
  end

  // ---------------------------------------------------------------- triplet register
  localparam EW = 17 * (D + 1);            // the elements
  wire           room;
`ifdef FORMAL
  wire [EW+17:0] f_spare;
`endif
  skid #(.W(EW + 18)) u_out (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (en_i & last_q),
    .in_ready_o (room),
    .in_data_i  ({final_q, m_q, poison_q, state_i}),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_data_o ({out_final_o, out_m_o, out_poison_o, out_o_o})
`ifdef FORMAL
    , .f_spare_o(f_spare)
`endif
  );

  assign ready_o = ~last_q | room;

  `ASSUME(no_advance_while_stalled, ready_o || !en_i)
  `ASSERT_STABLE(triplet_is_held, out_valid_o, out_ready_i, 18, {out_final_o, out_m_o, out_poison_o})

`ifdef FORMAL
  assign f_last_o        = last_q;
  assign f_spare_valid_o = ~room;
  assign f_spare_o       = f_spare[EW-1:0];
  // ---------------------------------------------------------------- properties
  // Proved by induction (tb/formal/); the lanes' state is free.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  wire [EW+17:0] f_out = {out_final_o, out_m_o, out_poison_o, out_o_o};

  // A poison anywhere from a group's first key to its last is there in the triplet.
  reg f_tainted_q;                       // of the group whose key is in stage 11+CL
  always @(posedge clk_i) if (en_i) f_tainted_q <= (first_i ? start_poison_i : f_tainted_q) | taint_i;

  always @(posedge clk_i) if (f_run && f_ran) begin
    assert (poison_q == f_tainted_q || !f_seen_q);
    if ($past(en_i && last_q)) begin     // a triplet leaves the lanes: it is on offer, or behind the one that is
      assert (out_valid_o && $past(room));
      if ($past(out_valid_o && !out_ready_i)) assert (!room && f_spare == $past({final_q, m_q, poison_q, state_i}));
      else assert (f_out == $past({final_q, m_q, poison_q, state_i}));
    end
    if ($past(out_valid_o && !out_ready_i)) begin
      assert (out_valid_o && f_out == $past(f_out));
      if ($past(!room)) assert (!room && f_spare == $past(f_spare));
    end
    if ($past(!room && out_ready_i)) assert (out_valid_o && room && f_out == $past(f_spare));
    if ($past(out_ready_i)) assert (ready_o);
    if ($past(!en_i)) assert (last_q == $past(last_q) && poison_q == $past(poison_q));
    if ($past(en_i && !first_i && poison_q && f_seen_q)) assert (poison_q);   // it sticks
`ifdef FORMAL_COVER
    cover ($past(out_valid_o && out_ready_i) && out_valid_o && out_poison_o);
`endif
  end
  always @* if (f_run && !last_q) assert (ready_o);

  // Before the first key after reset nothing is known.
  reg f_seen_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_seen_q <= 1'b0;
    else if (en_i & first_i) f_seen_q <= 1'b1;
  end
`endif
endmodule
`resetall
