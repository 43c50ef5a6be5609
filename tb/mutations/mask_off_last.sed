# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# The mask is ignored on the last row of a group.
s/mask_q       <= mask_i | {P\*NQ{~use_mask}};/mask_q       <= mask_i | {P*NQ{~use_mask | left == ONE_ROW}};/
