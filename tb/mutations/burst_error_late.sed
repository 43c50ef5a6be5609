# file: rtl/axi/gm_axi.v
# caught by: prove gm_axi
# An error of the 78th beat of a burst is forgotten: only the induction gets there.
s/error_q <= last ? OKAY : error;/error_q <= last ? OKAY : beat_q == 8'd77 ? error_q : error;/
