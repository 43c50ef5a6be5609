# file: rtl/softmax/fau_front.v
# caught by: prove attention_whole
# The flag of a group's last row reaches the lanes a stage early.
s/assign last_o  = last_q\[LANE\];/assign last_o  = last_q[LANE-1];/
