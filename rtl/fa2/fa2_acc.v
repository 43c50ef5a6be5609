// fa2_acc: merges the triplets of two sets of keys, in FA-2's arithmetic.
//
//   a --+--> [maximum, difference] --> [exp] --> [D + 1 lanes: *, *, +] --> out
//   b --+            step 0            step 1         step 2
//
// Latency 3 cycles from both valid to out_valid_o; a result every 3 cycles.  a and b are held by their
// producers meanwhile and taken together, a_ready_o and b_ready_o being one signal that depends
// combinationally on the valid inputs and out_ready_i.
// Numerics: see bf16_exp, bf16_mul, bf16_add.  Bit-exact with num_fa2_acc().
//
// D        elements of a value, >= 1
// ONE_MUL  1: one multiplier a lane, for the triplet with the smaller maximum; the other's factor is 1
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module fa2_acc #(
  parameter D       = 64,
  parameter ONE_MUL = 0
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously

  // Running triplet
  input  wire                a_valid_i,
  output wire                a_ready_o,
  input  wire                a_final_i,
  input  wire [15:0]         a_m_i,
  input  wire                a_poison_i,
  input  wire [17*(D+1)-1:0] a_o_i,

  // This block's
  input  wire                b_valid_i,
  output wire                b_ready_o,
  input  wire [15:0]         b_m_i,
  input  wire                b_poison_i,
  input  wire [17*(D+1)-1:0] b_o_i,

  // Merged
  output wire                out_valid_o,
  input  wire                out_ready_i,
  output wire                out_final_o,
  output wire [15:0]         out_m_o,
  output wire                out_poison_o,
  output wire [17*(D+1)-1:0] out_o_o
);
  localparam [15:0] ONE = 16'h3f80;        // BF16

  wire        in_ready;
  wire        exp;
  wire        load;
  wire [15:0] diff;
  wire        b_small;
  acc_front u_front (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .a_valid_i   (a_valid_i),
    .a_final_i   (a_final_i),
    .a_m_i       (a_m_i),
    .a_poison_i  (a_poison_i),
    .b_valid_i   (b_valid_i),
    .b_m_i       (b_m_i),
    .b_poison_i  (b_poison_i),
    .in_ready_o  (in_ready),
    .exp_o       (exp),
    .load_o      (load),
    .diff_o      (diff),
    .b_small_o   (b_small),
    .out_valid_o (out_valid_o),
    .out_ready_i (out_ready_i),
    .out_final_o (out_final_o),
    .out_m_o     (out_m_o),
    .out_poison_o(out_poison_o)
  );

  assign a_ready_o = in_ready;
  assign b_ready_o = in_ready;

  // ---------------------------------------------------------------- step 1
  wire [15:0] e;
  bf16_exp u_exp (
    .x_i(diff),
    .y_o(e)
  );

  reg [15:0] e_q;                          // for fa2_acc_lane
  reg [15:0] b_e_q;
  always @(posedge clk_i) begin
    if (exp) begin
      e_q   <= (ONE_MUL != 0 || !b_small) ? e : ONE;
      b_e_q <= b_small ? e : ONE;
    end
  end

  // ---------------------------------------------------------------- step 2
  reg [17*(D+1)-1:0] out_o_q;

  genvar i;
  generate
    for (i = 0; i <= D; i = i + 1) begin : g_element
      wire [16:0] sum;
      fa2_acc_lane #(.ONE_MUL(ONE_MUL)) u_lane (
        .a_i      (a_o_i[17*i +: 17]),
        .b_i      (b_o_i[17*i +: 17]),
        .e_i      (e_q),
        .b_e_i    (b_e_q),
        .b_small_i(b_small),
        .y_o      (sum)
      );
      always @(posedge clk_i) if (load) out_o_q[17*i +: 17] <= sum;
    end
  endgenerate

  assign out_o_o = out_o_q;
endmodule
`resetall
