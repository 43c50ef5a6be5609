# Names that headers of the layer have, "HEADER call NAME" or "HEADER type NAME", in their order: functions, macros with
# arguments, calls that a macro of the layer makes, and types.  What a header takes back is its own, and names that the
# first file has are not there but for a message.
# SPDX-License-Identifier: Apache-2.0
# CALL and VI are parameters of macros.
function found(kind, name) {
  if (name !~ /^(AMALGAM_.*|CALL|VI)$/ && !((FILENAME, name) in seen)) { seen[FILENAME, name]; order[++n] = FILENAME " " kind " " name }
}
FILENAME == ARGV[1] { if ($1 !~ /^#/) for (i = 1; i <= NF; ++i) gone[$i]; next }
/^#undef / { gone[$2]; next }
/^#define [A-Z][A-Z_0-9]+\(/ { name = $2; sub(/\(.*/, "", name); found("call", name); next }
/^#/ { next }
match($0, /^ *AMALGAM_[A-Z_]+\([A-Z][A-Za-z0-9]+, VI_/) || match($0, /^ *AMALGAM_(LIBRARY|TILE_[A-Z_]*)\([A-Z][A-Za-z0-9]+/) {
  name = substr($0, RSTART, RLENGTH); sub(/^[^(]*\(/, "", name); sub(/,.*/, "", name); found("call", name); next
}
match($0, /^(struct|class) [A-Z][A-Za-z0-9]+/) { name = substr($0, RSTART, RLENGTH); sub(/.* /, "", name); found("type", name); next }
match($0, /^ *(AMALGAM_INLINE|constexpr|inline) .*[ *][A-Z][A-Za-z_0-9]+\(/) {
  name = substr($0, RSTART, RLENGTH - 1); sub(/.*[ *]/, "", name); found("call", name)
}
END {
  for (i = 1; i <= n; ++i) {
    name = order[i]; sub(/.* /, "", name)
    if (!(name in gone)) print order[i]
  }
}
