# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The interlock forgets the beat that writes in the cycle of the read.
s/assign conflict = |same;/assign conflict = |same[WRITE-1:0];/
