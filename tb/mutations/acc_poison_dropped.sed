# file: rtl/softmax/acc.v
# caught by: prove acc
# A block's poison is lost in the merge.
s/a_poison_i | b_poison_i/a_poison_i/
