// fau_lane_o: the lane of an element of the output in floating point: fau_lane without the bit that is
// always 0.
//
// Ports as of fau_lane; start_i and state_o are BF16.
// ARITHMETIC, VARIANT  as of fau_lane
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fau_lane_o #(
  parameter ARITHMETIC = 1,
  parameter VARIANT    = 0
) (
  input  wire        clk_i,
  input  wire        en_i,
  input  wire [15:0] v_i,
  input  wire [15:0] key_f_i,
  input  wire        key_i,
  input  wire        first_i,
  input  wire [15:0] start_i,
  input  wire        key_small_i,
  input  wire [15:0] old_f_i,
  output wire [15:0] state_o
);
  wire [16:0] state;
  fau_lane #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT)
  ) u_lane (
    .clk_i      (clk_i),
    .en_i       (en_i),
    .v_i        (v_i),
    .key_f_i    (key_f_i),
    .key_i      (key_i),
    .first_i    (first_i),
    .start_i    ({start_i[15], 1'b0, start_i[14:0]}),
    .key_small_i(key_small_i),
    .old_f_i    (old_f_i),
    .state_o    (state)
  );

  assign state_o = {state[16], state[14:0]};

  wire unused = &{1'b0, state[15]};
endmodule
`resetall
