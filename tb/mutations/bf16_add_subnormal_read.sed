# file: rtl/fp/bf16_add.v
# caught by: vectors bf16_add
# A subnormal operand counts as if it had a leading one.
s/ & {11{|s\[14:7\]}};/;/
