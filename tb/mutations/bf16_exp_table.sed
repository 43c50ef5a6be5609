# file: rtl/fp/bf16_exp.v
# caught by: unit bf16_exp
# One table entry is off by 4 units of 2^-16.
s/_ff8c_ff48/_ff88_ff48/
