# file: rtl/softmax/fau_lane.v
# caught by: attention random --design hfa --d 4 --p 2 --n 32
# A group continues the one before.
s/if (first_i) begin/if (1'b0) begin/
