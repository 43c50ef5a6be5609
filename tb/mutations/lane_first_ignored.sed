# file: rtl/softmax/fau_lane.v
# caught by: attention random --design hfa --d 4 --p 2 --n 32
# A group continues the one before.
s/first_i ? start_i : state_q/state_q/
