# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The operand arrives at the ALU a cycle after its word.
s/\.W(DATA_W), \.DEPTH(2)/.W(DATA_W), .DEPTH(3)/
