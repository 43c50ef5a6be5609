# file: rtl/fp/bf16_div.v
# caught by: vectors bf16_div
# The exponent of a quotient below 1 is one too high.
s/- {9'd0, less};/;/
