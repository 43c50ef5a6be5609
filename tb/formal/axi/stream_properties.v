// stream_properties: an offer of a valid/ready stream stays, unchanged, until it is taken; for proofs only.
//
// W        bits of what is offered
// ASSUMED  1: of the surroundings, 0: of what is proved
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module stream_properties #(
  parameter W       = 1,
  parameter ASSUMED = 0
) (
  input wire         clk_i,
  input wire         run_i,                // of formal_run
  input wire         ran_i,
  input wire         valid_i,
  input wire         ready_i,
  input wire [W-1:0] data_i
);
  generate
    if (ASSUMED != 0) begin : g_assume
      always @(posedge clk_i) if (run_i && ran_i && $past(valid_i && !ready_i)) begin
        assume (valid_i && data_i == $past(data_i));
      end
    end else begin : g_assert
      always @(posedge clk_i) if (run_i && ran_i && $past(valid_i && !ready_i)) begin
        assert (valid_i && data_i == $past(data_i));
      end
    end
  endgenerate
endmodule
`resetall
