# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# req_ready_o stuck at 1: requests are lost under a stall or during a walk.
s/assign req_ready_o = .*;/assign req_ready_o = 1'b1;/
