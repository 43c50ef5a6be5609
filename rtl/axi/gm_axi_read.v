// gm_axi_read: the read channels of gm_axi: bursts of AXI4 become reads of the memory's one read port.
//
//   AR --> [fifo] --> [walk] --> want, addr --> memory --> [fifo] --> R
//                                go <-- the port is free
//
// All bursts that AXI has are served: of any type, narrow or not, from any address.  They are answered in the order of
// AR, whatever their IDs.  A beat carries its bus-wide word, of which a narrow one's bytes are part.
//
// A beat is read in a cycle of want_o and go_i, at least one after its burst was taken; its word is offered two later.
// Errors, of a whole burst, read nothing and carry zeros: DECERR if it does not lie in the slice, SLVERR if AXI has no
// such burst (axi_burst).
//
// A beat a cycle.  No path from an input to an output.
// Parameters: as of gm_axi.
// SPDX-License-Identifier: Apache-2.0
`include "assert.vh"
`resetall
`default_nettype none
module gm_axi_read #(
  parameter LANES  = 16,
  parameter ADDR_W = 26,
  parameter AXI_W  = 40,
  parameter ID_W   = 8,
  parameter PAGE   = 4096
) (
  input  wire                clk_i,
  input  wire                rst_ni,       // active low, asserted asynchronously

  input  wire                arvalid_i,
  output wire                arready_o,
  input  wire [ID_W-1:0]     arid_i,
  input  wire [AXI_W-1:0]    araddr_i,     // in bytes
  input  wire [7:0]          arlen_i,
  input  wire [2:0]          arsize_i,
  input  wire [1:0]          arburst_i,
  output wire                rvalid_o,
  input  wire                rready_i,
  output wire [ID_W-1:0]     rid_o,
  output wire [32*LANES-1:0] rdata_o,
  output wire [1:0]          rresp_o,      // 0 OKAY, 2 SLVERR, 3 DECERR
  output wire                rlast_o,

  output wire                want_o,       // to read addr_o
  output wire [ADDR_W-1:0]   addr_o,       // in beats
  input  wire                go_i,         // it is read now, if want_o
  input  wire [32*LANES-1:0] mem_rdata_i   // what was read in the previous cycle
);
  localparam SHIFT  = $clog2(LANES) + 2;
  localparam BYTE_W = SHIFT + ADDR_W;      // of an address in the slice
  localparam AR_W   = ID_W + AXI_W + 8 + 3 + 2;
  localparam R_W    = ID_W + 3 + 32*LANES;
  localparam SPAN_W = AXI_W > 15 ? AXI_W + 1 : 16;
  localparam [1:0] FIXED = 2'd0, WRAP = 2'd2;
  localparam [1:0] OKAY = 2'd0, SLVERR = 2'd2, DECERR = 2'd3;
  localparam [BYTE_W-1:0] ONE = 1;

  // ---------------------------------------------------------------- the burst at hand
  wire              ar_valid;
  wire [1:0]        ar_level;
  wire [ID_W-1:0]   id;
  wire [AXI_W-1:0]  address;
  wire [7:0]        len;
  wire [2:0]        size;
  wire [1:0]        burst;
  wire              last, step;
`ifdef FORMAL
  wire [2*AR_W-1:0] f_ars;
`endif
  fifo #(
    .W    (AR_W),
    .DEPTH(2)
  ) u_ar (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (arvalid_i),
    .in_ready_o (arready_o),
    .in_data_i  ({arid_i, araddr_i, arlen_i, arsize_i, arburst_i}),
    .out_valid_o(ar_valid),
    .out_ready_i(step & last),
    .out_data_o ({id, address, len, size, burst}),
    .level_o    (ar_level)
`ifdef FORMAL
    , .f_words_o(f_ars)
`endif
  );

  wire              formed, crosses;
  wire [SPAN_W-1:0] end_at;
  axi_burst #(
    .AXI_W(AXI_W),
    .BEAT (4*LANES),
    .PAGE (PAGE)
  ) u_burst (
    .address_i(address),
    .len_i    (len),
    .size_i   (size),
    .burst_i  (burst),
    .formed_o (formed),
    .crosses_o(crosses),
    .last_o   (end_at)
  );
  wire       outside = (|address[AXI_W-1:BYTE_W]) | (formed & (|end_at[SPAN_W-1:BYTE_W]));
  wire [1:0] wrong   = outside ? DECERR : (formed & ~crosses) ? OKAY : SLVERR;

  // ---------------------------------------------------------------- the beat at hand
  reg  [7:0]        beat_q;                // its number in the burst
  reg  [BYTE_W-1:0] next_q;                // its address, but for the first
  wire [BYTE_W-1:0] here  = beat_q == 8'd0 ? address[BYTE_W-1:0] : next_q;
  wire [BYTE_W-1:0] bytes = ONE << size;
  wire [BYTE_W-1:0] after = (here & ~(bytes - ONE)) + bytes;
  wire [BYTE_W-1:0] round = (bytes * {{(BYTE_W-4){1'b0}}, len[3:0]}) | (bytes - ONE);    // of a burst that wraps

  wire              room;
  wire              reads = wrong == OKAY;
  assign last   = beat_q == len;
  assign want_o = ar_valid & room & reads;
  assign addr_o = here[BYTE_W-1:SHIFT];
  assign step   = ar_valid & room & (go_i | ~reads);

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= 8'd0;
    else if (step) beat_q <= last ? 8'd0 : beat_q + 8'd1;
  end
  always @(posedge clk_i) if (step) begin
    next_q <= burst == FIXED ? here : burst == WRAP ? (here & ~round) | (after & round) : after;
  end

  // ---------------------------------------------------------------- the word that was read, and those that wait
  reg               read_valid_q;
  reg  [ID_W-1:0]   read_id_q;
  reg  [1:0]        read_resp_q;
  reg               read_last_q;
  wire [1:0]        r_level;
  wire              r_room;
`ifdef FORMAL
  wire [3*R_W-1:0]  f_rs;
`endif
  assign room = r_level + {1'b0, read_valid_q} != 2'd3;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_valid_q <= 1'b0;
    else read_valid_q <= step;
  end
  always @(posedge clk_i) {read_id_q, read_resp_q, read_last_q} <= {id, wrong, last};

  fifo #(
    .W    (R_W),
    .DEPTH(3)
  ) u_r (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (read_valid_q),
    .in_ready_o (r_room),
    .in_data_i  ({read_id_q, read_resp_q, read_last_q, mem_rdata_i & {32*LANES{read_resp_q == OKAY}}}),
    .out_valid_o(rvalid_o),
    .out_ready_i(rready_i),
    .out_data_o ({rid_o, rresp_o, rlast_o, rdata_o}),
    .level_o    (r_level)
`ifdef FORMAL
    , .f_words_o(f_rs)
`endif
  );
  wire unused = &{1'b0, ar_level, end_at, here[SHIFT-1:0]};    // of addresses, bytes in a beat

  // ---------------------------------------------------------------- the contract
  `ASSERT(word_has_room, !read_valid_q || r_room)

`ifdef FORMAL
  // ---------------------------------------------------------------- properties
  // Follow any one beat, by the numbers of its burst and in it: its burst as it came in, the address that the memory is
  // asked for, the word that this gave, what is offered.  Bursts and beats are counted on the bus alone.
  wire f_run, f_ran;
  formal_run u_f_run (.clk_i(clk_i), .rst_ni(rst_ni), .run_o(f_run), .ran_o(f_ran));

  (* anyconst *) wire [2:0] f_number;
  (* anyconst *) wire [7:0] f_index;
  reg  [2:0]       f_ar_q, f_read_q, f_r_q;    // bursts taken, read, given
  reg  [7:0]       f_asked_q, f_given_q;       // beats of the present ones
  reg  [63:0]      f_lens_q;                   // of all bursts, eight bits each
  wire [7:0]       f_read_len = f_lens_q[{f_read_q, 3'd0} +: 8];
  wire [7:0]       f_r_len    = f_lens_q[{f_r_q, 3'd0} +: 8];
  wire             f_take = arvalid_i & arready_o;
  wire             f_give = rvalid_o & rready_i;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {f_ar_q, f_read_q, f_r_q, f_asked_q, f_given_q} <= 25'd0;
    else begin
      f_ar_q <= f_ar_q + {2'd0, f_take};
      if (step) begin
        f_read_q  <= f_read_q + {2'd0, f_asked_q == f_read_len};
        f_asked_q <= f_asked_q == f_read_len ? 8'd0 : f_asked_q + 8'd1;
      end
      if (f_give) begin
        f_r_q     <= f_r_q + {2'd0, f_given_q == f_r_len};
        f_given_q <= f_given_q == f_r_len ? 8'd0 : f_given_q + 8'd1;
      end
    end
  end
  reg  [AR_W-1:0]  f_burst_q;                  // the one that is followed
  always @(posedge clk_i) if (f_take) begin
    f_lens_q[{f_ar_q, 3'd0} +: 8] <= arlen_i;
    if (f_ar_q == f_number) f_burst_q <= {arid_i, araddr_i, arlen_i, arsize_i, arburst_i};
  end
  wire [ID_W-1:0]  f_id    = f_burst_q[AR_W-1 -: ID_W];
  wire [AXI_W-1:0] f_start = f_burst_q[13 +: AXI_W];
  wire [1:0]       f_wrong;
  wire [31:0]      f_at;                       // of the beat that is followed
  axi_rules #(.BEAT(4*LANES), .SLICE(4*LANES << ADDR_W), .PAGE(PAGE)) u_f_rules (
    .address_i({{(32-AXI_W){1'b0}}, f_start}), .len_i(f_burst_q[12:5]), .size_i(f_burst_q[4:2]),
    .burst_i(f_burst_q[1:0]), .index_i(f_index), .response_o(f_wrong), .at_o(f_at));

  wire             f_mine = step && f_read_q == f_number && f_asked_q == f_index;
  reg              f_reading_q;
  reg  [32*LANES-1:0] f_word_q, f_seen_q;
  wire [32*LANES-1:0] f_word = f_reading_q ? mem_rdata_i : f_seen_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_reading_q <= 1'b0;
    else f_reading_q <= f_mine;
  end
  always @(posedge clk_i) if (f_reading_q) f_seen_q <= mem_rdata_i;

  wire [2:0] f_open = f_ar_q - f_r_q;
  always @* if (f_run) begin
    assert (f_open <= 3'd6);                                       // counts do not go round
    if (step) assert (f_ar_q != f_read_q);                         // nothing is read for no burst
    if (f_mine) assert (reads == (f_wrong == OKAY));
    if (f_mine && f_wrong == OKAY) assert (want_o && go_i && addr_o == f_at >> SHIFT);
    if (rvalid_o) assert (f_r_q != f_ar_q);                        // nothing is given for no burst
    if (rvalid_o) assert (rlast_o == (f_given_q == f_r_len));
    if (rvalid_o && f_r_q == f_number) assert (rid_o == f_id && rresp_o == f_wrong);
    if (rvalid_o && f_r_q == f_number && f_given_q == f_index) assert (rdata_o == (f_wrong == OKAY ? f_seen_q : 0));
  end

  // A burst that is taken waits for nothing but the port and room for its words.
  always @* if (f_run) assert (step || f_ar_q == f_read_q || !room || (want_o && !go_i));
  always @* if (f_run && !room) assert (rvalid_o || read_valid_q);

  // What that rests on, for the induction.
  wire [2:0]      f_ahead = f_number - f_read_q;
  wire [2:0]      f_next  = f_read_q + 3'd1;
  wire [AR_W-1:0] f_ar    = f_ars >> (f_ahead[0] ? AR_W : 0);
  wire [31:0]     f_here;                      // of the beat at hand, as it has to be
  axi_rules #(.BEAT(4*LANES), .SLICE(4*LANES << ADDR_W), .PAGE(PAGE)) u_f_here (
    .address_i({{(32-AXI_W){1'b0}}, f_start}), .len_i(f_burst_q[12:5]), .size_i(f_burst_q[4:2]),
    .burst_i(f_burst_q[1:0]), .index_i(beat_q), .response_o(), .at_o(f_here));
  always @* if (f_run) begin
    assert (f_ar_q - f_read_q == {1'b0, ar_level});
    assert (beat_q == f_asked_q);
    if (!ar_valid) assert (beat_q == 8'd0);
    if (ar_valid) assert (f_ars[5 +: 8] == f_read_len && beat_q <= len);
    if (ar_level == 2'd2) assert (f_ars[AR_W+5 +: 8] == f_lens_q[{f_next, 3'd0} +: 8]);
    if (f_ahead < {1'b0, ar_level}) assert (f_ar == f_burst_q);
    if (f_ahead == 3'd0 && ar_valid && reads) assert (here == f_here[BYTE_W-1:0]);
    if (f_reading_q) assert (read_valid_q);
  end
  // Of the words on their way, the oldest first, each is of the beat whose turn it is.
  reg  [2:0]  f_due;
  reg  [7:0]  f_due_beat;
  reg  [7:0]  f_due_len;
  reg         f_found;
  wire [ID_W+2:0] f_read_is = {read_id_q, read_resp_q, read_last_q};
  reg  [ID_W+2:0] f_is;
  reg  [32*LANES-1:0] f_holds;
  integer     f_i;
  always @* begin
    f_due      = f_r_q;
    f_due_beat = f_given_q;
    f_found    = 1'b0;
    for (f_i = 0; f_i < 3; f_i = f_i + 1) begin
      if (f_run && f_i < {1'b0, r_level} + {2'd0, read_valid_q}) begin
        f_due_len = f_lens_q[{f_due, 3'd0} +: 8];
        f_is      = f_i == r_level ? f_read_is : f_rs[R_W*f_i + 32*LANES +: ID_W+3];
        f_holds   = f_rs[R_W*f_i +: 32*LANES];
        assert (f_due_beat <= f_due_len);
        assert (f_is[0] == (f_due_beat == f_due_len));
        if (f_due == f_number) begin
          assert (f_is[ID_W+2:3] == f_id && f_is[2:1] == f_wrong);
          if (f_due_beat == f_index && f_i != r_level) assert (f_holds == (f_wrong == OKAY ? f_seen_q : 0));
          if (f_due_beat == f_index && f_i == r_level) assert (f_reading_q);
        end
        f_found    = f_found || (f_due == f_number && f_due_beat == f_index && f_i == r_level);
        f_due      = f_due + {2'd0, f_is[0]};
        f_due_beat = f_is[0] ? 8'd0 : f_due_beat + 8'd1;
      end
    end
    if (f_run) assert (f_due == f_read_q && f_due_beat == f_asked_q);
    if (f_run && f_reading_q) assert (f_found);
  end
`ifdef READ_COVER
  always @(posedge clk_i) if (f_run && f_ran) begin
    cover (f_give && rlast_o && f_r_q == f_number && f_burst_q[1:0] == WRAP && rresp_o == OKAY && f_burst_q[12:5] == 1);
    cover (f_give && rlast_o && rresp_o == DECERR);
    cover (f_give && rresp_o == SLVERR && f_given_q == 1);
    cover (f_give && f_r_q == f_number && f_number == 1 && f_given_q == 2 && rresp_o == OKAY);
  end
`endif
`endif
endmodule
`resetall
