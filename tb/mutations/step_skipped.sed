# file: rtl/lib/stream_steps.v
# caught by: prove stream_steps
# Operands are taken a step too early.
s/load     = in_valid_i \& at_q\[STEPS-1\]/load     = in_valid_i \& at_q[STEPS-2]/
