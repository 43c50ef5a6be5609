# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d64
# A zero takes part in the search for the largest exponent.
s/nonzero ? {a/1'b1 ? {a/
