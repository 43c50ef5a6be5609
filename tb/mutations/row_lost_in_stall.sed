# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# A row is addressed while the FAUs stall.
s/wanted   = en_i \& /wanted   = /
