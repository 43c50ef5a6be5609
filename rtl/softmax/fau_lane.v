// fau_lane: elements of an FAU's accumulator: state = state * f + value * f'.
//
//   v_i -----> [element] --> [scale] --> register --+
//   key_f_i ---------------------^                  v
//                                                 [add] --> state_o --+
//   old_f_i ---------------------> [scale] -------^                   |
//                                     ^---- first_i ? start_i : ------+
//   stages                     10+CL               11+CL
//
// One of the factors key_f_i and old_f_i is 1: that of whichever of score and old maximum is the larger.
// A key that does not take part leaves the state as it was, or as it starts.
//
// ONE_SCALE, of FA-2 with one multiplier, leaves out the product with 1: a choice of operands brings the
// other one to the multiplier of stage 11+CL.  The bits are the same.
//
// Numerics: see arith_value, arith_scale, arith_add (the old state on the left).
// ARITHMETIC  as of arith_factor
// VARIANT     of H-FA as of arith_add; of FA-2, 1: one multiplier
// LANES       elements, >= 1
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fau_lane #(
  parameter ARITHMETIC = 0,
  parameter VARIANT    = 0,
  parameter LANES      = 1
) (
  input  wire                clk_i,
  input  wire                en_i,

  // Stage 9+CL
  input  wire [16*LANES-1:0] v_i,
  input  wire [15:0]         key_f_i,      // factor of the values

  // Stage 10+CL
  input  wire                key_i,        // the key takes part
  input  wire                first_i,      // the group begins
  input  wire [17*LANES-1:0] start_i,      // with this
  input  wire                key_small_i,  // with ONE_SCALE: the value is the one with a factor
  input  wire [15:0]         old_f_i,      // factor of the state, or with ONE_SCALE of the smaller one

  // Stage 11+CL
  output wire [17*LANES-1:0] state_o
);
  localparam ONE_SCALE = ARITHMETIC == 1 && VARIANT != 0;
  localparam W         = LANES > 8 ? 32 : 17;   // bits of an element in here
  genvar g;

  wire [W*LANES-1:0] element;
  wire [16:0]        used;
  arith_value #(
    .ARITHMETIC(ARITHMETIC),
    .LANES     (LANES)
  ) u_value (
    .v_i   (v_i),
    .x_o   (element),
    .used_o(used)
  );

  reg  [W*LANES-1:0] value_q;
  reg  [W*LANES-1:0] state_q;
  reg  [W*LANES-1:0] old;
  wire [W*LANES-1:0] value;                // for stage 10+CL
  wire [W*LANES-1:0] scaled;               // in stage 11+CL
  wire [W*LANES-1:0] other;

  reg [31:0] i;
  always @* begin
    i   = 32'd0;
    old = state_q;
    if (first_i) begin
      for (i = 0; i < LANES; i = i + 1) old[W*i +: W] = {{(W-17){1'b0}}, start_i[17*i +: 17] & used};
    end
  end

  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_element
      assign state_o[17*g +: 17] = state_q[W*g +: 17];
    end

    if (ONE_SCALE) begin : g_one_scale
      assign value  = element;
      assign scaled = key_small_i ? value_q : old;
      assign other  = key_small_i ? old : value_q;
      wire unused = &{1'b0, key_f_i};
    end else begin : g_two_scales
      arith_scale #(
        .ARITHMETIC(ARITHMETIC),
        .LANES     (LANES)
      ) u_scale_value (
        .x_i(element),
        .f_i(key_f_i),
        .y_o(value)
      );
      assign scaled = old;
      assign other  = value_q;
      wire unused = &{1'b0, key_small_i};
    end
  endgenerate

  wire [W*LANES-1:0] product;
  arith_scale #(
    .ARITHMETIC(ARITHMETIC),
    .LANES     (LANES)
  ) u_scale (
    .x_i(scaled),
    .f_i(old_f_i),
    .y_o(product)
  );

  wire [W*LANES-1:0] sum;
  arith_add #(
    .ARITHMETIC(ARITHMETIC),
    .VARIANT   (VARIANT),
    .LANES     (LANES)
  ) u_add (
    .a_i(product),
    .b_i(other),
    .y_o(sum)
  );

  always @(posedge clk_i) begin
    if (en_i) begin
      value_q <= value;
      state_q <= key_i ? sum : old;
    end
  end
endmodule
`resetall
