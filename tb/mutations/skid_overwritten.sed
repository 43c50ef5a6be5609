# file: rtl/lib/skid.v
# caught by: prove skid
# The word that waits in the spare is written over by what comes.
s/put \& ~moves/in_valid_i \& ~moves/
