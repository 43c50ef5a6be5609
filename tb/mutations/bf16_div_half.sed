# file: rtl/fp/bf16_div.v
# caught by: vectors bf16_div
# The last bit of the quotient is lost.
s/quo_q, quo, 1'b1/quo_q, quo[AFTER-1:2], 1'b0, quo[0], 1'b1/
