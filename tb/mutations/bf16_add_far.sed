# file: rtl/fp/bf16_add.v
# caught by: vectors bf16_add
# The distance of exponents is taken modulo 16.
s/distance\[7:4\] == 4'd0 ?/1'b1 ?/
