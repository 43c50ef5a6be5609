# file: rtl/softmax/fau_triplet.v
# caught by: prove attention_chain
# An FAU does not stall for triplets that nobody takes.
s/ready_o = ~last_q | room/ready_o = 1'b1/
