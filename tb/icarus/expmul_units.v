// expmul_units: expmul_power and expmul_scale against integer arithmetic, in Icarus: all distances; all exponents and
// powers of operands with the least, the largest and two other mantissas.
//
// No parameters.
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none
module expmul_units;
  reg  [15:0] d, x, want;
  reg  [4:0]  k;
  wire [10:0] n;                           // 128 |d|, of a unit that unit/hfa_quant_exhaustive knows
  wire [4:0]  power;
  wire [15:0] scaled;
  bf16_fixed   u_fixed (.d_i(d), .n_o(n));
  expmul_power u_power (.d_i(d), .k_o(power));
  expmul_scale u_scale (.x_i(x), .k_i(k), .y_o(scaled));

  integer i, exponent, failed;
  initial begin
    failed = 0;
    for (i = 0; i < 65536; i = i + 1) begin
      d = i;
      #1 if (power !== (23 * n + 1024) / 2048) failed = failed + 1;
    end
    if (failed != 0) $display("expmul_power: %0d distances of 65536 differ", failed);

    for (i = 0; i < 65536; i = i + 1) begin
      x[6:0] = 7'h55;
      case (i[15:14])
        0: x[6:0] = 7'h00;
        1: x[6:0] = 7'h01;
        2: x[6:0] = 7'h7f;
        default: ;
      endcase
      k        = i[13:9];
      x[15:7]  = i[8:0];
      exponent = x[14:7] - k;
      want     = x[14:7] == 8'hff ? x : exponent <= 0 ? {x[15], 15'd0} : x - {4'd0, k, 7'd0};
      #1 if (scaled !== want) begin
        if (failed < 10) $display("expmul_scale: %h, k %0d: %h, expected %h", x, k, scaled, want);
        failed = failed + 1;
      end
    end
    if (failed == 0) $display("expmul units: PASS");
    else             $display("expmul units: FAIL");
    $finish;
  end
endmodule
`resetall
