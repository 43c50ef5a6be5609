# file: rtl/fp/bf16_dot.v
# caught by: vectors bf16_dot_d64
# A negative product is one unit too low.
s/negative ? -{1'b0, mag} : {1'b0, mag}/negative ? ~{1'b0, mag} : {1'b0, mag}/
