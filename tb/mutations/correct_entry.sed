# file: rtl/hfa/hfa_correct.v
# caught by: vectors hfa_units
# One entry of each table is one too large.
s/01020202_02020303/02020202_02020303/
