# file: rtl/fp/bf16_exp.v
# caught by: unit bf16_exp
# The offset that makes up for truncation is a little short.
s/OFFSET = 5'd28/OFFSET = 5'd24/
