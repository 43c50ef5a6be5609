# file: rtl/fp/bf16_add.v
# caught by: vectors bf16_add
# A subnormal operand counts as if it had a leading one.
s/ & {EXT_W{s_normal}};/;/
