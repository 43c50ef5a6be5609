# file: rtl/fp/bf16_div.v
# caught by: unit bf16_div
# The register loads without enable.
s/^    if (en_i) begin/    begin/
