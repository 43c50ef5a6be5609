# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The queue of tags is one too short to hide the way of a credit: one beat in FLIGHT + 1 cycles is lost.
s/localparam TAGS   = .*;/localparam TAGS   = FLIGHT;/
