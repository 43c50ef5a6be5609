# file: rtl/fp/bf16_add.v
# caught by: vectors bf16_add
# Only the first of the bits shifted out reaches the sticky bit.
s/|shifted\[6:0\]/shifted[6]/
