# file: rtl/softmax/fau_front.v
# caught by: prove attention_whole
# A reset leaves the last row of a group on its way.
0,/last_q  <= {LANE{1'b0}};/s/last_q  <= {LANE{1'b0}};/last_q  <= last_q;/
