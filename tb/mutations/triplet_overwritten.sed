# file: rtl/softmax/fau_triplet.v
# caught by: prove attention_chain
# An FAU does not stall for a triplet that nobody takes.
s/ready_o = ~last_q | ~out_valid_q | out_ready_i/ready_o = 1'b1/
