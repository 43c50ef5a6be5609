# file: rtl/fp/bf16_diff.v
# caught by: unit bf16_diff
# Infinities of one sign are NaN apart.
s/a_i == b_i ? 16'd0 : difference/difference/
