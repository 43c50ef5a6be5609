# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d4
# The distance of exponents is taken modulo 32.
s/GUARD_W{1'b0}}} >> shift/GUARD_W{1'b0}}} >> shift[4:0]/
