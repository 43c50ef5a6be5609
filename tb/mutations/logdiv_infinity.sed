# file: rtl/hfa/hfa_logdiv_lane.v
# caught by: vectors hfa_units
# A large result becomes infinity.
s/15'h7f7f/15'h7f80/
