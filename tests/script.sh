# What scripts of tests begin with: they end at the first command that fails, and work in a folder of their own, $dir,
# which goes away.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "FAILED: $*"; exit 1; }

# The pages' cycles are those of RV64 firmware by this compiler, that of Debian 12 (docs/accuracy.md).
compiler_of_pages() { grep -q -a -F 'GNU C11 12.2.0 ' "$FIRMWARE/amla.elf"; }

# computes PROCESS SECONDS: until it has taken so much more of processors, however busy the machine is, or has ended.
computes() {
  until_tick=
  while process_fields=$(cat "/proc/$1/stat" 2>/dev/null); do
    # shellcheck disable=SC2086   # words: no program here has a blank in its name
    set -- "$1" "$2" $process_fields
    [ "$5" != Z ] || break
    tick=$((${16} + ${17}))
    : "${until_tick:=$((tick + 100 * $2))}"
    [ $tick -lt "$until_tick" ] || break
    sleep 0.05
  done
}

# --- JSON files, by jq ---

# holds EXPRESSION FILE...: true of the file; of several files, of their list. An expression that has more than one
# value holds if all are true, one that has none does not.
holds() {
  expression=$1
  shift
  jq -es "if length == 1 then .[0] else . end | [$expression] | length > 0 and all(. == true)" "$@" >/dev/null ||
    fail "$*: not so: $expression"
}

# has_members FILE NAME...: somewhere in it.
has_members() {
  file=$1
  shift
  [ "$(jq -r '[.. | objects | keys[]] | unique[]' "$file" | grep -cxF "$(printf '%s\n' "$@")")" -eq $# ] ||
    fail "$file has not all of $*"
}

# What is the same in a run that is made again.
without_host() { jq 'del(.host)' "$1"; }

# fits KIND=FILE...: each is what docs/output.schema.json says of that kind. Without the package python3-jsonschema
# nothing is asked.
schema_python() {
  for python in python3 /usr/bin/python3; do
    ! "$python" -c 'import jsonschema' 2>/dev/null || { echo "$python"; return; }
  done
}
fits() {
  python=$(schema_python)
  [ -z "$python" ] || "$python" "$ROOT/tests/cli/schema.py" "$ROOT/docs/output.schema.json" "$@" || fail "schema: $*"
}
