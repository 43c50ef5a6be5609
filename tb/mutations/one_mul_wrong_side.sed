# file: rtl/fa2/fa2_lane.v
# caught by: attention random --design fa2 --d 4 --p 2 --n 32 --one-mul
# The larger side is scaled.
s/factor = key_small_i ? value_q : old/factor = key_small_i ? old : value_q/
