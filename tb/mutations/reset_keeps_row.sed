# file: rtl/attention/attention_ctrl.v
# caught by: prove attention_ctrl
# A row at the FAUs outlives a reset between two clock edges.
/ or negedge rst_ni) begin$/ {
  N
  s/ or negedge rst_ni\(.*\)if (!rst_ni) beat_q <= 1'b0;/\1if (1'b0) beat_q <= 1'b0;/
}
