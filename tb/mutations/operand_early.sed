# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The operand arrives at the ALU a cycle before its word.
s/operand_q <= issued_q/operand_q <= rq_data_q/
