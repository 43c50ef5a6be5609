# file: rtl/lib/stream_hold.v
# caught by: prove stream_hold
# What waits is written over by what comes.
s/if (in_valid_i \& ~valid_q) word_q/if (in_valid_i) word_q/
