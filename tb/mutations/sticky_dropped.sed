# file: rtl/fp/fp32_add.v
# caught by: vectors fp32_add
# Bits shifted out of the smaller operand are forgotten: ties round wrongly.
s/ | (lost != 32'd0 ? LAST : 32'd0);/;/
