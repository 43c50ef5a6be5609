// assert.vh: the contract of a module, checked: its parameters by every tool, the rest in simulation and in proofs.
//
//   `PARAMETER(NAME, CONDITION)    refused at elaboration without it: NAME, a sentence, is the name of a module
//                                  that is not there
//   `ASSERT(NAME, CONDITION)       holds at every rising edge of clk_i out of reset
//   `ASSERT_STABLE(NAME, VALID, READY, WIDTH, PAYLOAD)    what is offered and not taken stays on offer as it is
//   `ASSUME, `ASSUME_STABLE        the same, asked of the surroundings: an assumption where the module is proved by
//                                  itself, an assertion where it is part of something
//
// All but `ASSERT and `ASSUME stand outside of generate regions.  Simulation ends with the hierarchical name of what
// failed, and so does a condition, or a valid bit, that is unknown (X).  An offer's unknown bits stay unknown ones.
// ASSERTIONS_OFF leaves them away, as synthesis does.
// No guard against a second inclusion: each file defines them anew, as Icarus, reading a library, fails otherwise.
// SPDX-License-Identifier: Apache-2.0

`define PARAMETER(NAME, CONDITION) generate if (!(CONDITION)) begin : NAME NAME u_refused (); end endgenerate

`ifdef SYNTHESIS
`define ASSERT(NAME, CONDITION)
`define ASSUME(NAME, CONDITION)
`define ASSERT_STABLE(NAME, VALID, READY, WIDTH, PAYLOAD)
`define ASSUME_STABLE(NAME, VALID, READY, WIDTH, PAYLOAD)
`elsif ASSERTIONS_OFF
`define ASSERT(NAME, CONDITION)
`define ASSUME(NAME, CONDITION)
`define ASSERT_STABLE(NAME, VALID, READY, WIDTH, PAYLOAD)
`define ASSUME_STABLE(NAME, VALID, READY, WIDTH, PAYLOAD)
`else

`ifdef FORMAL
// ASSUMED is assume or assert, of tb/formal/prove.sh.
`define ASSERT(NAME, CONDITION) always @* if (rst_ni) begin : NAME assert (CONDITION); end
`define ASSUME(NAME, CONDITION) always @* if (rst_ni) begin : NAME `ASSUMED (CONDITION); end
`define ASSERT_KEPT(SAME) always @* if (rst_ni && waits_q) assert (SAME);
`define ASSUME_KEPT(SAME) always @* if (rst_ni && waits_q) `ASSUMED (SAME);
`else
// $stop: with the name of what failed, on standard error.
`define ASSERTION_FAILED begin $fdisplay(32'h80000002, "%m: assertion failed"); $stop; end
`define ASSERT(NAME, CONDITION) \
  always @(posedge clk_i or negedge rst_ni) begin : NAME \
    if (rst_ni && (CONDITION) !== 1'b1) `ASSERTION_FAILED \
  end
`define ASSUME(NAME, CONDITION) `ASSERT(NAME, CONDITION)
`define ASSERT_KEPT(SAME) \
  always @(posedge clk_i or negedge rst_ni) begin : kept \
    if (rst_ni && (!waits_q || (SAME)) !== 1'b1) `ASSERTION_FAILED \
  end
`define ASSUME_KEPT(SAME) `ASSERT_KEPT(SAME)
`endif

`define STABLE_WITH(KEPT, NAME, VALID, READY, WIDTH, PAYLOAD) \
  generate if (1) begin : NAME \
    reg             waits_q; \
    reg [WIDTH-1:0] held_q; \
    always @(posedge clk_i or negedge rst_ni) begin \
      if (!rst_ni) waits_q <= 1'b0; \
      else waits_q <= (VALID) & ~(READY); \
    end \
    always @(posedge clk_i) if ((VALID) & ~(READY)) held_q <= PAYLOAD; \
    KEPT((VALID) && held_q === PAYLOAD) \
  end endgenerate
`define ASSERT_STABLE(NAME, VALID, READY, WIDTH, PAYLOAD) \
  `STABLE_WITH(`ASSERT_KEPT, NAME, VALID, READY, WIDTH, PAYLOAD)
`define ASSUME_STABLE(NAME, VALID, READY, WIDTH, PAYLOAD) \
  `STABLE_WITH(`ASSUME_KEPT, NAME, VALID, READY, WIDTH, PAYLOAD)

`endif
