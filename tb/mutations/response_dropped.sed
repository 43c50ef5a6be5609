# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# A request whose answer finds another one waiting is not answered.
s/\.in_valid_i (.*)/.in_valid_i (valid_q[WRITE-1] \& done_last \& ~rsp_valid_o)/
