# file: rtl/lib/skid.v
# caught by: prove skid
# A new word overtakes the one that waits in the spare.
s/spare_valid_q ? spare_q : in_data_i/in_valid_i ? in_data_i : spare_q/
