# file: rtl/fp/bf16_div.v
# caught by: vectors bf16_div
# The last bit of the quotient is lost.
s/quo\[AFTER-1:1\]}/quo[AFTER-1:2], 1'b0}/
