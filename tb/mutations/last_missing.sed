# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# The row before the last is marked as the last.
s/beat_last_q  <= left == ONE_ROW/beat_last_q  <= left == ONE_ROW + ONE_ROW/
