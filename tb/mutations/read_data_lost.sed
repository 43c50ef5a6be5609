# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# Read data is not kept when stage 1 waits.
s/s1_have_q    <= {LANES{1'b1}};/s1_have_q    <= s1_have_q;/
