#!/bin/sh
# Random command lines: options of every command's table with values that are no good, or just barely. Whatever comes,
# the exit code is 0, 1, 2 or 3; with 2 there is one line on stderr, nothing on stdout, and no new file.
#   hostile.sh [SEED [COUNT]]
# SPDX-License-Identifier: Apache-2.0
seed=${1:-1} count=${2:-100}
. "$(dirname "$0")/../script.sh"

# --- what there is in the folder, and what is tried -------------------------------------------------

mkdir folder folder.yaml
: >empty
: >empty.yaml
mkfifo fifo.yaml
head -c 300 /dev/urandom >bytes
cp bytes bytes.yaml
"$MKNPY" good.npy '<u2' 4,64
head -c 100 good.npy >cut.npy
printf '{"cycles": -1, "config": 3}\n' >odd.json

# Each command with what keeps it short. Those at the end simulate or build for long, and always get something bad.
cat >commands <<'END'
run amla --heads 4 --seq-kv 64 --gm c --timing-only
run amla --heads 2 --seq-kv 20 --gm c
run base --heads 4 --seq-kv 64 --gm c --timing-only
run fp8 --heads 4 --seq-kv 64 --gm c --timing-only
run gemm --m 4 --n 64 --k 64
run w4a16 --m 4 --n 64 --k 128
run hfa --impl c --seq-kv 16 --head-dim 8
run fa2 --impl c --seq-kv 16 --head-dim 8
run lm --impl c --prompt a --tokens 1 --context 8
run custom
convert good.npy made.npy
explain odd.json
diff odd.json odd.json
report --jobs 0
synth --d 0
bench --size huge
END
while read -r words; do
  case $words in run*) set -- $(echo "$words" | cut -d' ' -f1,2) ;; *) set -- ${words%% *} ;; esac
  "$SIM" help "$@" | sed -nE "s/^  --([a-z0-9-]+) ?([^ ]*)( .*|$)/\1 \2/p" | grep -v '^help' |
    sed "s/^/$words: /"
done <commands >options
[ "$(wc -l <options)" -gt 200 ] || fail "too few options: $(wc -l <options)"
sed -nE 's/^ +PARAM\(([a-z]+), [A-Z]+, [a-z]+, ([a-z0-9_]+), ([0-9.]+), ([0-9.]+),.*/\1.\2 \3 \4/p' \
  "$ROOT/model/config/config.def" >parameters
[ "$(wc -l <parameters)" -gt 50 ] || fail "too few parameters of a machine"

# Lines `try WORD...` for the shell.
awk -v seed="$seed" -v count="$count" '
  function pick(list, n) { return list[int(rand() * n) + 1] }
  function quoted(word) { gsub(/\047/, "\047\\\047\047", word); return "\047" word "\047" }
  function bad() { return pick(pool, pools) }
  function machine(  n, word, limit) {
    if (rand() < 0.1) return bad()
    split(pick(parameter, parameters), word)
    limit = int(rand() * 3)
    n = limit == 0 ? word[2] : limit == 1 && word[1] != "soc.ai_cores" ? word[3] : bad()
    return word[1] "=" n
  }
  function value(name, argument,   n, word) {
    if (name ~ outputs) return pick(to, tos)
    if (name == "set") return machine()
    if (rand() < 0.6 && argument ~ /^[a-z0-9]+(\|[a-z0-9]+)+$/) {
      n = split(argument, word, "|")
      n = int(rand() * n) + 1
      return name == "impl" ? "c" : word[n]   # the Verilog would have to be built
    }
    if (rand() < 0.6 && argument ~ /^[A-Z]+$/) return pick(small, smalls)
    return bad()
  }
  FILENAME == "commands" { command[++commands] = $0; next }
  FILENAME == "parameters" { parameter[++parameters] = $0; next }
  { i = index($0, ": "); have = substr($0, 1, i - 1); option[have, ++options[have]] = substr($0, i + 2) }
  END {
    srand(seed)
    outputs = "^(out|json|csv|timeline|log|trace|critical-path|lse|scale|zero|liberty)$"
    pools = split("0\n1\n2\n3\n16\n-1\n-0\n+1\n1.5\n1e300\n-1e300\n1e-300\n1e999\n2147483648\n4294967296\n" \
      "18446744073709551615\n18446744073709551616\nnan\n-inf\n0x10\n\n \n 1\n1x\n1,2\n1,,2\n1:2\n:\n=\na=b\na.b=1\n%s%n\n" \
      "\303\244\n\377\n\047\n$(exit 9)\n;\n--\n-\n.\n..\n/\n/dev/null\nfolder\nfolder.yaml\nfifo.yaml\nmissing\n" \
      "missing/file\nempty\nempty.yaml\nbytes\nbytes.yaml\ngood.npy\ncut.npy\nodd.json\nascend911\nauto\nnormal:0\n" \
      "normal:1e30\nuniform:-1\ncube0:x\n*\nmmad#1\nmmad#0:5", pool, "\n")
    smalls = split("1\n2\n3\n8\n16\n48\n64\n128", small, "\n")
    pool[++pools] = "two\nlines"
    pool[++pools] = sprintf("%3000s", "long")
    tos = split("made\nmade.json\n\nfolder\n.\nmissing/made\nempty/made\n/proc/made", to, "\n")
    for (k = 0; k < count; ++k) {
      line = ""
      of = pick(command, commands)
      for (n = int(rand() * 3); n >= 0 && options[of] > 0; --n) {
        split(option[of, int(rand() * options[of]) + 1], o, " ")
        line = line " " quoted("--" o[1])
        if (o[2] != "") line = line " " quoted(value(o[1], o[2]))
      }
      if (rand() < 0.1) line = line " " quoted(bad())
      print "try " of line
    }
  }' commands parameters options >cases
[ "$(grep -c '^try ' cases)" -eq "$count" ] || fail "not $count cases"

# --- each of them -----------------------------------------------------------------------------------

tests=0 refusals=0 bad=0
mkdir said
list() { find . -path ./said -prune -o -print | sort; }
list >before
try() {
  status=0
  timeout 60 "$SIM" "$@" >said/out 2>said/err </dev/null || status=$?
  tests=$((tests + 1))
  problem=
  case $status in
  0 | 1 | 3) ;;
  2)
    refusals=$((refusals + 1))
    [ "$(wc -l <said/err)" -eq 1 ] || problem="$(wc -l <said/err) lines on stderr"
    [ ! -s said/out ] || problem="text on stdout"
    list | cmp -s - before || problem="a file is left: $(list | comm -13 before -)" ;;
  *) problem="exit code $status" ;;
  esac
  rm -rf made made.json good.npy.part* ./*.csv ./.*.csv
  if [ -n "$problem" ]; then
    bad=$((bad + 1))
    echo "FAILED $(printf "'%s' " "$@" | head -c 500): $problem"
    head -c 500 said/err
  fi
}
. ./cases
echo "$tests command lines, $refusals refused, $bad failed; seed $seed"
[ "$tests" -eq "$count" ] && [ "$refusals" -lt "$count" ] && [ $((refusals * 4)) -gt "$count" ] && [ "$bad" -eq 0 ]
