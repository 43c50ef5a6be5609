# file: rtl/softmax/fau_lane.v
# caught by: attention random --design fa2 --d 4 --p 2 --n 32 --one-mul
# The larger side is scaled.
s/scaled = key_small_i ? value_q : old/scaled = key_small_i ? old : value_q/
