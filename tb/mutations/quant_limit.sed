# file: rtl/hfa/hfa_quant.v
# caught by: vectors hfa_units
# The clamp is one too low.
s/11'd1920/11'd1919/
