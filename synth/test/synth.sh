#!/bin/sh
# `amalgam synth`: cell counts and area against the netlist, the roll-up against a sum by hand and against
# flat synthesis of a tiny design, what is kept, and bad input.
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "$0")/.." && pwd)
ROOT=$here/..
. "$(dirname "$0")/../../tests/script.sh"
liberty=/usr/share/qflow/tech/osu018/osu018_stdcells.lib
AMALGAM_SYNTH=$RESULTS
export AMALGAM_SYNTH
area() { jq .area_um2 "$1/area.json"; }

# --- a unit: counted again, from the netlist and the library's areas
"$SIM" synth --unit hfa_scale --json unit.json --quiet
folder=$("$here/unit.sh" "$liberty" hfa_scale)
awk '
  FILENAME ~ /lib$/ { if (/^ *cell *\(/) { gsub(/[ "]/, ""); sub(/cell\(/, ""); sub(/\).*/, ""); cell = $0 }
    if (cell != "" && /^ *area *:/) { gsub(/[^0-9.]/, ""); area[cell] = $0; cell = "" }
    next }
  $1 in area && /\($/ { ++count[$1]; sum += area[$1]; ++cells }
  END { for (cell in count) print cell, count[cell]; print "all", cells, sum }
' "$liberty" "$folder/netlist.v" >counted
cells=$(awk '$1 == "all" { print $2 }' counted)
[ "$cells" -gt 50 ] || fail "only $cells cells"
awk '$1 == "all" { print $3 }' counted | awk -v area="$(area "$folder")" '{ exit !($1 == area + 0) }' ||
  fail "area $(area "$folder"), counted $(tail -n 1 counted)"
holds '.[0].area_um2 == .[1].area_um2' unit.json "$folder/area.json"
grep -v '^all' counted | while read -r cell count; do
  holds ".cells.$cell == $count" unit.json
done
holds ".cells | length == $(grep -vc '^all' counted)" unit.json
holds '.timing.min_period_ps > 0' unit.json

# --- a tiny design, summed up by hand
"$SIM" synth --design hfa --d 2 --blocks 1 --json design.json --quiet
# The top is mapped once for all arithmetics, so a cell of it may be another than with one alone.
near() { holds "(.datapath_um2 - $1 | fabs) <= 1e-4 * $1" "$2"; }
part() {
  times=$1
  shift
  echo "$times $(area "$("$here/unit.sh" --boxes "$liberty" "$@")")"
}
{
  part 1 attention_engine ARITHMETIC=0 VARIANT=0 D=2 P=1 NQ=1 N=1024
  part 1 fau ARITHMETIC=0 VARIANT=0 D=2
  part 1 bf16_dot D=2
  part 1 bf16_diff
  part 1 score_order
  part 1 hfa_quant
  part 1 fau_lane_l ARITHMETIC=0 VARIANT=0
  part 2 fau_lane ARITHMETIC=0 VARIANT=0
  part 1 divide ARITHMETIC=0 D=2 NQ=1
  part 2 hfa_logdiv_lane
} >parts
sum=$(awk '{ sum += $1 * $2 } END { printf "%.0f", sum }' parts)
near $sum design.json
holds '.sram_bits == 2 * 1024 * 32' design.json
flat=$(area "$("$here/unit.sh" "$liberty" attention_engine ARITHMETIC=0 VARIANT=0 D=2 P=1 NQ=1 N=1024)")
awk -v flat="$flat" -v sum="$sum" 'BEGIN { x = sum / flat - 1; exit !(x < 0.05 && x > -0.05) }' ||
  fail "rolled up $sum, flat $flat"

# --- the top is synthesised once for all arithmetics: what is added up is what each by itself would give
cat >designs <<'EOF'
fa2 1 0 fau_lane_o bf16_exp bf16_div
fa2_onemul 1 1 fau_lane_o bf16_exp bf16_div
expmul 2 0 fau_lane_o expmul_power bf16_div
EOF
while read -r design arithmetic variant lane factor quotient; do
  "$SIM" synth --design "$design" --d 2 --blocks 1 --json "$design.json" --quiet
  {
    part 1 attention_engine ARITHMETIC="$arithmetic" VARIANT="$variant" D=2 P=1 NQ=1 N=1024
    part 1 fau ARITHMETIC="$arithmetic" D=2 VARIANT="$variant"
    part 1 bf16_dot D=2
    part 1 bf16_diff
    part 1 score_order
    part 1 "$factor"
    part 1 fau_lane_l ARITHMETIC="$arithmetic" VARIANT="$variant"
    part 2 "$lane" ARITHMETIC="$arithmetic" VARIANT="$variant"
    part 1 divide ARITHMETIC="$arithmetic" D=2 NQ=1
    part 2 "$quotient"
  } >parts
  sum=$(awk '{ sum += $1 * $2 } END { printf "%.0f", sum }' parts)
  near $sum "$design.json"
done <designs
top() { "$here/unit.sh" --boxes "$liberty" attention_engine ARITHMETIC="$1" VARIANT="$2" D=2 P=2 NQ=1 N=1024; }
shared=$(top 0 0)
for which in '1 1' '2 0'; do
  # shellcheck disable=SC2086
  own=$(top $which)
  [ "$own" != "$shared" ] || fail "nothing to compare"
  # shellcheck disable=SC2086
  set -- $which
  jq --argjson a "$1" --argjson v "$2" 'del(.seconds) | (.params, .boxes[].params) |=
    (if has("ARITHMETIC") then .ARITHMETIC = $a else . end | if has("VARIANT") then .VARIANT = $v else . end)' \
    "$shared/area.json" >told.json
  jq 'del(.seconds)' "$own/area.json" | cmp - told.json || fail "arithmetic $1, variant $2: another top"
done

# --- the timing of a whole top: no part is slower than the whole, one is as slow, and none is faster than the loop of
# a lane by itself
"$SIM" synth --top hfa --d 2 --blocks 1 --json top.json --quiet
"$SIM" synth --unit fau_lane --json lane.json --quiet
holds '.fo4 as $all | .parts | all(.fo4 <= $all + 0.3) and any(.fo4 >= $all - 0.3) and length == 7' top.json
holds '(.[0].parts[] | select(.name == "lanes") | .fo4) >= .[1].timing.loops[0].ps / (.[1].timing.min_period_ps / .[1].timing.fo4) - 1' \
  top.json lane.json
for part in control score lanes fau division memories outputs; do
  holds ".parts | any(.name == \"$part\")" top.json
done
# With wires and an uncertain clock all of it takes longer, though not by half.
"$SIM" synth --top hfa --d 2 --blocks 1 --wires --json wires.json --quiet
jq -es '.[1].fo4 > 1.06 * .[0].fo4 and .[1].fo4 < 1.5 * .[0].fo4' top.json wires.json >/dev/null || fail "with wires: $(cat wires.json)"
refused_top() { if "$SIM" synth "$@" 2>stderr >stdout; then fail "$*: taken"; fi; [ "$(wc -l <stderr)" -eq 1 ] || fail "$*"; }
refused_top --top hfa --unit acc
refused_top --top nonsense

# --- a second run starts no synthesis, and is quick
mkdir bin
cat >bin/yosys <<'EOF'
#!/bin/sh
[ "$*" = -V ] && exec /usr/bin/env PATH="$REAL" yosys -V
echo "$*" >>"$STARTED"
exit 1
EOF
chmod +x bin/yosys
started=$(date +%s)
REAL=$PATH STARTED=$dir/started PATH=$dir/bin:$PATH "$SIM" synth --design hfa --d 2 --blocks 1 --json again.json --quiet
REAL=$PATH STARTED=$dir/started PATH=$dir/bin:$PATH "$SIM" synth --unit hfa_scale --quiet
[ ! -e started ] || fail "yosys was started: $(cat started)"
[ $(($(date +%s) - started)) -le 10 ] || fail "a second run takes $(($(date +%s) - started)) s"
fits synth_design=design.json synth_unit=unit.json
cmp design.json again.json || fail "the second run says something else"
# and the wrapper does notice
if REAL=$PATH STARTED=$dir/started PATH=$dir/bin:$PATH "$SIM" synth --unit hfa_scale --clock-fo4 77 --quiet 2>/dev/null &&
  [ ! -d "$folder/../small-77" ]; then fail "a new clock needs no synthesis"; fi

# --- bad input: exit code 2, one line, nothing left. In a folder of its own, since other tests make
# units in the common one meanwhile; the library is there already.
mkdir own
AMALGAM_SYNTH=own
"$here/library.sh" "$liberty" >/dev/null
printf 'library? no\n' >text.lib
find own | sort >before
refused() {
  what=$1
  shift
  status=0
  "$SIM" synth "$@" --json out.json >stdout 2>stderr || status=$?
  [ "$status" -eq 2 ] || fail "$*: exit code $status"
  [ "$(wc -l <stderr)" -eq 1 ] && ! grep -q '?$' stderr || fail "$*: $(cat stderr)"
  grep -qF -e "$what" stderr || fail "$*: no '$what' in $(cat stderr)"
  [ ! -s stdout ] && [ ! -e out.json ] || fail "$*: output"
}
refused nonsense --unit nonsense --quiet
refused Hfa --unit Hfa --quiet
refused kv_sram --unit kv_sram --quiet
refused none.lib --liberty none.lib --quiet
refused text.lib --liberty text.lib --quiet
refused --design --design fa3
refused --clock-fo4 --clock-fo4 5
refused --d --d 1
refused extra extra
# Places that the tools cannot take.
for name in 'two words' "x'y" 'x"y' 'x;y' 'x\y' 'x$y' '$(touch executed)' '`touch executed`' '[exec touch executed]' \
  '{x}' 'x&y' 'x|y' 'x>y' 'x*y' '~x' '#x' 'x%y' "$(printf '\303\274')" "x
touch executed"; do
  AMALGAM_SYNTH=$name
  refused 'the tools take no such path' --unit hfa_scale --quiet
done
[ ! -e executed ] || fail "part of a path was executed"
AMALGAM_SYNTH=$(printf '%03000d' 1)
refused '2048 characters' --unit hfa_scale --quiet
[ ! -e "two words" ] || fail "a refused folder is made"
AMALGAM_SYNTH=own
find own | sort | cmp - before || fail "something is left: $(find own | sort | comm -13 before -)"
echo "all as it should be"
