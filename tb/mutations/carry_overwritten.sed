# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# A second carry is accepted while the first one waits.
s/ \& ~(q_carry_i \& carry_waits_q \& ~carry_used_i)//
