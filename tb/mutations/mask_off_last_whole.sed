# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_whole
# The same, seen at the ports of the engine.
s/mask_q       <= mask_i | {P\*NQ{~use_mask}};/mask_q       <= mask_i | {P*NQ{~use_mask | left == ONE_ROW}};/
