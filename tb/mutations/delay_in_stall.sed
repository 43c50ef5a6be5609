# file: rtl/lib/delay_line.v
# caught by: prove attention_memory
# Rows of values move on while the FAUs stall.
s/if (en_i) line_q/line_q/
