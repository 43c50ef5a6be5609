# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_engine
# A carry taken in the cycle in which the one before it is used does not count as waiting.
s/else if (accept & q_carry_i) carry_waits_q <= 1'b1;/else if (carry_used_i) carry_waits_q <= 1'b0;/
t
s/else if (carry_used_i) carry_waits_q <= 1'b0;/else if (accept \& q_carry_i) carry_waits_q <= 1'b1;/
