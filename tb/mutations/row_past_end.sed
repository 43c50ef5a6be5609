# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# Rows do not go around the end of a block.
s/row == LAST_ROW\[RW-1:0\] ? {RW{1'b0}} : row + ONE_ADDR/row + ONE_ADDR/
