# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d64
# The exponent moves on while the sum stalls.
s/always @(posedge clk_i) if (en_i) exp_q <= g_sum\[l-1\]/always @(posedge clk_i) exp_q <= g_sum[l-1]/
