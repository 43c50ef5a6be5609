# file: rtl/axi/axi_lite_port.v
# caught by: prove axi_lite_port
# A write is carried out before its data are there.
s/= aw_q \& w_q \& ~b_q;/= aw_q \& ~b_q;/
