// fau_triplet: what an FAU ends with, whatever the arithmetic: poison, and the triplet register.
//
//   m, flags --> [stage 11+CL, beside the lanes] --> [triplet register, 12+CL] --> valid/ready
//
// Behind a group's last key the lanes' state is copied; the FAU stalls (ready_o low) only if the
// register still holds a triplet that nobody takes.
//
// Protocol: the registers of stage 11+CL advance with en_i, which may be high only with ready_o.
// ready_o depends combinationally on out_ready_i.
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
  reg                out_valid_q;
  reg                out_final_q;
  reg [15:0]         out_m_q;
  reg                out_poison_q;
  reg [17*(D+1)-1:0] out_o_q;
  wire               load = en_i & last_q;

  assign ready_o = ~last_q | ~out_valid_q | out_ready_i;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_valid_q <= 1'b0;
    else if (load) out_valid_q <= 1'b1;
    else if (out_ready_i) out_valid_q <= 1'b0;
  end

  always @(posedge clk_i) begin
    if (load) begin
      out_final_q  <= final_q;
      out_m_q      <= m_q;
      out_poison_q <= poison_q;
      out_o_q      <= state_i;
    end
  end

  assign out_valid_o  = out_valid_q;
  assign out_final_o  = out_final_q;
  assign out_m_o      = out_m_q;
  assign out_poison_o = out_poison_q;
  assign out_o_o      = out_o_q;

  `ASSUME(no_advance_while_stalled, ready_o || !en_i)
  `ASSERT_STABLE(triplet_is_held, out_valid_o, out_ready_i, 18, {out_final_o, out_m_o, out_poison_o})

`ifdef FORMAL
  assign f_last_o = last_q;
  // ---------------------------------------------------------------- properties
  // Proved by induction (tb/formal/); the lanes' state is free.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  // A poison anywhere from a group's first key to its last is there in the triplet.
  reg f_tainted_q;                       // of the group whose key is in stage 11+CL
  always @(posedge clk_i) if (en_i) f_tainted_q <= (first_i ? start_poison_i : f_tainted_q) | taint_i;

  always @(posedge clk_i) if (f_run && f_ran) begin
    assert (poison_q == f_tainted_q || !f_seen_q);
    if ($past(en_i && last_q)) begin     // a triplet leaves the lanes: it is in the register
      assert (out_valid_o && out_o_o == $past(state_i) && out_m_o == $past(m_q));
      assert (out_final_o == $past(final_q) && out_poison_o == $past(poison_q));
    end
    if ($past(out_valid_o && !out_ready_i)) begin
      assert (out_valid_o && out_o_o == $past(out_o_o) && out_m_o == $past(out_m_o));
      assert (out_final_o == $past(out_final_o) && out_poison_o == $past(out_poison_o));
      assert (!$past(load));             // nothing is overwritten
    end
    if ($past(!en_i)) assert (last_q == $past(last_q) && poison_q == $past(poison_q));
    if ($past(en_i && !first_i && poison_q && f_seen_q)) assert (poison_q);   // it sticks
`ifdef FORMAL_COVER
    cover ($past(out_valid_o && out_ready_i) && out_valid_o && out_poison_o);
`endif
  end
  always @* if (f_run && !last_q) assert (ready_o);
  always @* if (f_run && out_ready_i) assert (ready_o);

  // Before the first key after reset nothing is known.
  reg f_seen_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_seen_q <= 1'b0;
    else if (en_i & first_i) f_seen_q <= 1'b1;
  end
`endif
endmodule
`resetall
