# file: rtl/fp/bf16_exp.v
# caught by: vectors bf16_exp
# A NaN counts as a number.
s/assign y_o = nan  ? NAN/assign y_o = 1'b0 ? NAN/
