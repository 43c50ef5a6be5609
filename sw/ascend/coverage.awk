# Counts calls of Ascend C in sources: coverage.awk with the list of names that the layer has, that of names it lacks, then
# all sources twice, of files_of files.  A call is such a name, or any behind AscendC::, with arguments behind it, perhaps of a
# template.  A function that a folder's sources define themselves, which the first reading finds, is theirs there unless
# it is in AscendC.  Before each file's lines is one with "#file" and its folder.
# SPDX-License-Identifier: Apache-2.0
FILENAME == ARGV[1] { has[$1]; next }
FILENAME == ARGV[2] { if ($1 !~ /^#/) for (i = 1; i <= NF; ++i) { lacks[$i]; delete has[$i] } next }
/^#file / { folder = $0; next }
FILENAME == ARGV[3] && !second {
  if (match($0, /^[ \t]*((template *<[^()]*> *)?((static|constexpr|inline|virtual|explicit|__aicore__|__inline__|FORCE_INLINE_AICORE|CATLASS_DEVICE|extern) +)+[A-Za-z_0-9:<>,*& ]*[ *&]|#define +)[A-Za-z_:0-9<>]+ *\(/)) {
    name = substr($0, RSTART, RLENGTH)
    sub(/ *\($/, "", name)
    sub(/^.*[^A-Za-z_0-9]/, "", name)
    own[folder, name]
  }
  next
}
{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "", line)
  if (comment) {
    if (!match(line, /\*\//)) next
    line = substr(line, RSTART + 2)
    comment = 0
  }
  gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "", line)
  sub(/\/\/.*/, "", line)
  if (match(line, /\/\*/)) { line = substr(line, 1, RSTART - 1); comment = 1 }
  while (match(line, /((AscendC|pto)::)?[A-Za-z_][A-Za-z_0-9]*(<[^;(){}<>]*(<[^;(){}<>]*>)?[^;(){}<>]*>)?[ \t]*\(/)) {
    name = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    qualified = sub(/^(AscendC|pto)::/, "", name)
    sub(/[<( \t].*/, "", name)
    if (qualified || ((name in has || name in lacks) && !((folder, name) in own))) ++sites[name]
  }
}
END {
  for (name in sites) {
    all += sites[name]
    if (name in has) here += sites[name]
    else { ++missing; printf "%7d  %s\n", sites[name], name | "sort -rn | head -n 40" }
    ++names
  }
  close("sort -rn | head -n 40")
  share = 100
  if (all > 0) share = 100 * here / all
  more = missing == 0 ? "" : missing <= 40 ? ", above" : ", the most used 40 above"
  printf "%d of %d call sites of %d names in %d files are there, %.1f %%; %d names are missing%s\n", here, all, names, files_of, share, missing, more
}
