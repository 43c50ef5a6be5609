# file: rtl/fp/bf16_fixed.v
# caught by: vectors hfa_units
# The clamp is one too low.
s/11'd1920/11'd1919/
