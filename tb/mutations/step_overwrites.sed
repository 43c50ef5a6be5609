# file: rtl/lib/stream_steps.v
# caught by: prove stream_steps
# A result is replaced before it is taken.
s/out_free = ~out_valid_q | out_ready_i/out_free = 1'b1/
