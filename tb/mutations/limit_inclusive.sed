# file: rtl/attention/attention_ctrl.v
# caught by: attention random --design hfa --d 4 --p 2 --n 32
# One key too many takes part.
s/(index_q < limit)/(index_q <= limit)/
