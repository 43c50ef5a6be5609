# file: rtl/gm/gm_s32_guard.v
# caught by: prove gm_s32_guard
# The smallest normal number counts as underflow.
s/(r < MIN_NORMAL)/(r <= MIN_NORMAL)/
