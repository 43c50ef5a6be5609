# Sourced by the tests of bad input: an empty folder to work in, and
#
#   refused FRAGMENT ARGS...   with ARGS and $always the program ends with exit code 2, nothing on
#                              stdout, one line on stderr that contains FRAGMENT, and neither
#                              out.npy nor out.json
#
# which sets `failed`, and counts in `tests`.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
failed=0
tests=0
always=

refused() {
  fragment=$1
  shift
  tests=$((tests + 1))
  status=0
  # shellcheck disable=SC2086
  timeout 60 "$SIM" "$@" $always >stdout 2>stderr || status=$?
  problem=
  [ "$status" -eq 2 ] || problem="exit code $status, not 2"
  [ "$(wc -l <stderr)" -eq 1 ] || problem="$(wc -l <stderr) lines on stderr"
  grep -qF -e "$fragment" stderr || problem="no '$fragment' in the message"
  [ ! -s stdout ] || problem="text on stdout"
  [ ! -e out.npy ] && [ ! -e out.json ] || problem="an output file was written"
  if [ -n "$problem" ]; then
    echo "FAILED $*: $problem"
    cat stderr
    failed=1
  else
    echo "ok: $(cat stderr)"
  fi
  rm -f out.npy out.json
}
