# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# A key's index has room for two strides only.
s/LW + $clog2(P+1)/LW + 1/
