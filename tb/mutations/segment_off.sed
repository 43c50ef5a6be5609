# file: rtl/hfa/hfa_pow2.v
# caught by: vectors hfa_units
# A piece of 2^-f begins one place late.
s/7'd16, 7'd17, 7'd18, 7'd105/7'd17, 7'd18, 7'd105/; s/7'd13, 7'd14, 7'd15,/7'd13, 7'd14, 7'd15, 7'd16,/
