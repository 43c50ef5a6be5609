# file: rtl/fp/bf16_mul.v
# caught by: vectors bf16_mul
# A product's lowest bit is forgotten: a tie that is none.
s/fraction\[6:0\]/fraction[6:1]/
