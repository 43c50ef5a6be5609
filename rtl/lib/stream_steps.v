// stream_steps: control of a unit that works STEPS cycles on the operands at its input.
//
//   in_valid_i ----> [step 0 | step 1 | ... | last step] ----> result register --> out_valid_o
//   in_ready_o <------------------------------- |                                  out_ready_i
//
// The producer holds its operands; the unit computes from them for STEPS cycles, keeping what it
// needs between steps in registers of its own, and takes them in the last step, the cycle in which it
// loads its result register.  That waits until the register is empty or its content is being taken.
//
// Latency: STEPS cycles from in_valid_i to out_valid_o; a result every STEPS cycles.  in_ready_o and
// step_o depend combinationally on in_valid_i and out_ready_i; out_valid_o comes from a register.
//
// STEPS  >= 2
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module stream_steps #(
  parameter STEPS = 2
) (
  input  wire             clk_i,
  input  wire             rst_ni,        // active low, asserted asynchronously

  input  wire             in_valid_i,    // all operands are there
  output wire             in_ready_o,    // and are taken
  output wire [STEPS-1:0] step_o,        // bit i: step i is done in this cycle; the last: load the result

  output wire             out_valid_o,
  input  wire             out_ready_i
`ifdef FORMAL
  , output wire           f_started_o    // step 0 is done, the last one is not
`endif
);
  `PARAMETER(STEPS_must_be_at_least_2, STEPS >= 2)
  reg  [STEPS-1:0] at_q;                 // one bit set: the step to be done next
  reg              out_valid_q;

  wire             out_free = ~out_valid_q | out_ready_i;
  wire             load     = in_valid_i & at_q[STEPS-1] & out_free;
  wire             advance  = in_valid_i & (~at_q[STEPS-1] | out_free);

  assign step_o      = at_q & {STEPS{advance}};
  assign in_ready_o  = load;
  assign out_valid_o = out_valid_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) at_q <= {{(STEPS-1){1'b0}}, 1'b1};
    else if (advance) at_q <= {at_q[STEPS-2:0], at_q[STEPS-1]};
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_valid_q <= 1'b0;
    else if (load) out_valid_q <= 1'b1;
    else if (out_ready_i) out_valid_q <= 1'b0;
  end

  `ASSERT(one_step_at_a_time, at_q != {STEPS{1'b0}} && (at_q & (at_q - {{(STEPS-1){1'b0}}, 1'b1})) == {STEPS{1'b0}})
  `ASSUME(offer_is_held, at_q[0] || in_valid_i)

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Proved by induction (tb/formal/).  All that is asked of the producer is that it holds its offer.

  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  assign f_started_o = ~at_q[0];

  // Everything taken comes out once: results loaded are those given and the one that waits.
  reg [1:0] f_taken_q, f_given_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_taken_q <= 2'd0;
      f_given_q <= 2'd0;
    end else begin
      if (in_valid_i & in_ready_o) f_taken_q <= f_taken_q + 2'd1;
      if (out_valid_o & out_ready_i) f_given_q <= f_given_q + 2'd1;
    end
  end

  // Cycles the present operands have been here, up to the number of steps.
  reg [STEPS-1:0] f_age_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_age_q <= {{(STEPS-1){1'b0}}, 1'b1};
    else if (in_ready_o) f_age_q <= {{(STEPS-1){1'b0}}, 1'b1};
    else if (in_valid_i & ~f_age_q[STEPS-1]) f_age_q <= f_age_q << 1;
  end

  integer f_i;
  reg [STEPS-1:0] f_ones;
  always @* begin
    f_ones = {STEPS{1'b0}};
    for (f_i = 0; f_i < STEPS; f_i = f_i + 1) f_ones = f_ones + {{(STEPS-1){1'b0}}, at_q[f_i]};
  end

  always @* if (f_run) begin
    assert (f_taken_q == f_given_q + {1'b0, out_valid_o});
    assert (f_ones == {{(STEPS-1){1'b0}}, 1'b1});              // one step at a time
    assert (at_q == f_age_q);                                  // a step each cycle
    if (in_valid_i && f_age_q[STEPS-1] && (!out_valid_o || out_ready_i)) assert (in_ready_o);
    if (in_ready_o) assert (in_valid_i && step_o[STEPS-1] && (!out_valid_o || out_ready_i));
  end
  always @(posedge clk_i) if (f_run && f_ran) begin
    if ($past(out_valid_o && !out_ready_i)) assert (out_valid_o && !$past(step_o[STEPS-1]));
    if ($past(in_ready_o)) assert (out_valid_o);
`ifdef FORMAL_COVER
    cover (out_valid_o && $past(out_valid_o && out_ready_i));  // a result follows a result at once
    cover ($past(in_valid_i && f_age_q[STEPS-1] && !in_ready_o) && in_ready_o);
`endif
  end
`endif
endmodule
`resetall
