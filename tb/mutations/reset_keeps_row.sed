# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# A row at the FAUs outlives a reset between two clock edges.
s/if (!rst_ni) beat_q <= 1'b0;/if (1'b0) beat_q <= 1'b0;/
