# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# A guard of lane 0 is not counted.
s/mask\[i\] & (|new_guard\[4\*i +: 4\])};/mask[i] \& (i != 0) \& (|new_guard[4*i +: 4])};/
