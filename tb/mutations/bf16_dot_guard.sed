# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d4
# One guard bit too few.
s/GUARD_W  = 8;/GUARD_W  = 7;/
