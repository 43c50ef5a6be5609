# file: rtl/axi/attention_axi.v
# caught by: prove attention_axi
# A group begins without its beat of carry.
s/ \& (carry_valid | ~group_carry);/;/
