#!/bin/sh
# Ctrl-C while units are synthesised: the command ends at once with the signal's exit code, and so does all that
# it started; nothing half-made stays.  In Yosys' place stands a program that never ends.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../tests/script.sh"

# Has a process ended, if perhaps not yet been collected by whoever does that for orphans? A moment is allowed.
ended() {
  for moment in 1 2 3 4 5; do
    grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" || return 0
    sleep "0.$moment"
  done
  return 1
}

mkdir bin
cat >bin/yosys <<'EOF'
#!/bin/sh
[ "$*" != -V ] || PATH=$REAL exec yosys -V
[ -z "$DEAF" ] || trap '' TERM
sleep 600 &
echo "$$ $! $*" >>"$STARTED"
wait
EOF
chmod +x bin/yosys

# interrupted DEAF PROGRAMS SIGNAL ARGS...: that many programs are under way when the signal comes.
interrupted() {
  deaf=$1 programs=$2 signal=$3
  shift 3
  rm -f started
  REAL=$PATH STARTED=$dir/started DEAF=$deaf PATH=$dir/bin:$PATH "$SIM" "$@" >out 2>err &
  command=$!
  tries=0
  until [ -e started ] && [ "$(wc -l <started)" -ge "$programs" ]; do
    tries=$((tries + 1))
    [ $tries -le 600 ] || fail "$*: no synthesis: $(cat err)"
    sleep 0.1
  done
  before=$(date +%s)
  kill "-$signal" $command
  status=0
  wait $command || status=$?
  case $signal in INT) code=130 ;; TERM) code=143 ;; HUP) code=129 ;; esac
  [ $status -eq $code ] || fail "$*: exit code $status, not $code"
  [ $(($(date +%s) - before)) -le 5 ] || fail "$*: took $(($(date +%s) - before)) s to end"
  [ "$(tail -n 1 err)" = 'amalgam: interrupted' ] || fail "$*: $(cat err)"
  [ ! -s out ] || fail "$*: output"
  while read -r program sleeper arguments; do
    for process in $program $sleeper; do
      ended "$process" || fail "$*: process $process still runs"
    done
    script=${arguments##* }
    case $script in "$RESULTS"/*) ;; *) fail "$*: Yosys was given $arguments" ;; esac
    # Where a program is killed nobody is left to clean up; but a unit is only what is under its own name.
    [ -z "$deaf" ] || rm -rf "${script%/*}"
    [ ! -e "${script%/*}" ] || fail "$*: ${script%/*} is left"
  done <started
}

# Elaboration: a shape that nobody asks for.  Mapping: a clock that nobody asks for.
unit="synth --unit bf16_dot --d 3"
"$SIM" synth --unit hfa_scale --quiet >out
# shellcheck disable=SC2086
{
  interrupted '' 1 INT $unit
  interrupted '' 1 TERM $unit --quiet --json made.json
  interrupted '' 1 HUP $unit --quiet --json made.json
  interrupted deaf 1 INT $unit
}
interrupted '' 1 INT synth --unit hfa_scale --clock-fo4 987
[ -z "$(find "$RESULTS"/bf16_dot-d3-* "$RESULTS"/hfa_scale-* -name 'area.json' -path '*-987/*')" ] || fail "a unit"
[ -z "$(find "$RESULTS"/bf16_dot-d3-* -name '*.il')" ] || fail "an elaborated unit"
ls made.json* 2>ls.err && fail "a file of an interrupted run"

# Reports, several units at a time.
processors=$(getconf _NPROCESSORS_ONLN)
interrupted '' $((processors < 4 ? processors : 4)) INT report area_blocks --clock-fo4 987 --out cut
[ ! -e cut ] || fail "a report of an interrupted run"
interrupted '' 1 INT report power --head-dim 5 --clock-fo4 987 --out cut
[ ! -e cut ] || fail "a report of an interrupted run"
# What was to be made is made when there are the tools.
rm -rf "$RESULTS"/bf16_dot-d3-*
echo "all as it should be"
