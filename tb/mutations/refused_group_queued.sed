# file: rtl/axi/attention_registers.v
# caught by: prove attention_registers
# A group of a write in part is queued all the same.
s/wire   queue        = write_done \& /wire   queue        = write \& write_good \& /
