# file: rtl/softmax/fau_triplet.v
# caught by: prove fau_triplet
# Poison lasts for one key.
s/(first_i ? start_poison_i : poison_q) | taint_i/(first_i ? start_poison_i : 1'b0) | taint_i/
