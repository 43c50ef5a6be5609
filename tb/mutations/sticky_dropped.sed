# file: rtl/fp/fp32_add.v
# caught by: vectors fp32_add
# Bits shifted out of the smaller operand are forgotten: ties round wrongly.
s/|shifted\[EXT_W:0\]};/shifted[EXT_W]};/
