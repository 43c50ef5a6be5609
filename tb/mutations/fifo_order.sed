# file: rtl/lib/fifo.v
# caught by: prove fifo
# A word put in while one is taken goes where the queue ended before.
s/put && place == HERE/put \&\& level_q == HERE/
