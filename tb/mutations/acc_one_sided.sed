# file: rtl/softmax/acc.v
# caught by: prove attention_chain
# The running triplet is taken a cycle after the block's.
s/assign a_ready_o = in_ready/assign a_ready_o = in_ready \& ~out_valid_o/
