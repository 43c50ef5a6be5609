# file: rtl/softmax/fau_lane.v
# caught by: attention random --design fa2 --d 4 --p 2 --n 32
# A masked key takes part.
s/state_q <= key_i ? sum : old/state_q <= sum/
