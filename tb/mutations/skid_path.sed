# file: rtl/lib/skid.v
# caught by: prove skid
# The input is ready in the cycle in which the output is.
s/assign in_ready_o  = ~spare_valid_q/assign in_ready_o  = ~spare_valid_q | out_ready_i/
