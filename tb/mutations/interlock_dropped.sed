# file: rtl/gm/gm_atomic.v
# caught by: prove gm_atomic
# The interlock holds rows only, up to their last beat: beats of one address lose an update.
s/(rq_reads_q & conflict)/(rq_reads_q \& conflict \& ~rq_last)/
