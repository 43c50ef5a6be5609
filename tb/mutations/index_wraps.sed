# file: rtl/attention/attention_ctrl.v
# caught by: attention random --design hfa --d 4 --p 4 --n 32
# A key's index has the width of a limit: it wraps behind a large stride.
s/LW + $clog2(P+1)/LW/
s/{(IW-LW){1'b0}}, //
