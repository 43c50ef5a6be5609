# file: rtl/fp/bf16_round.v
# caught by: vectors bf16_mul
# 1.1111111 one binade below the smallest normal number is flushed instead of rounded up to it.
s/ | (x\[18:9\] == 10'd0);/;/
