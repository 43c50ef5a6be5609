// fa2_lane_o: the lane of an element of the output: fa2_lane without the bit that is always 0.
//
// Ports as of fa2_lane; start_i and state_o are BF16.
// ONE_MUL  as of fa2_lane
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fa2_lane_o #(
  parameter ONE_MUL = 0
) (
  input  wire        clk_i,
  input  wire        en_i,
  input  wire [15:0] v_i,
  input  wire [15:0] key_e_i,
  input  wire        key_i,
  input  wire        first_i,
  input  wire [15:0] start_i,
  input  wire        key_small_i,
  input  wire [15:0] e_i,
  output wire [15:0] state_o
);
  wire [16:0] state;
  fa2_lane #(
    .ONE_MUL(ONE_MUL)
  ) u_lane (
    .clk_i      (clk_i),
    .en_i       (en_i),
    .v_i        (v_i),
    .key_e_i    (key_e_i),
    .key_i      (key_i),
    .first_i    (first_i),
    .start_i    ({start_i[15], 1'b0, start_i[14:0]}),
    .key_small_i(key_small_i),
    .e_i        (e_i),
    .state_o    (state)
  );

  assign state_o = {state[16], state[14:0]};

  wire unused = &{1'b0, state[15]};
endmodule
`resetall
