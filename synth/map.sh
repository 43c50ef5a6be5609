#!/bin/sh
# The second half of unit.sh: maps $folder/unit.il by one recipe into the folder given.
#
#   map.sh RECIPE FOLDER      with unit.sh's variables in the environment
#
#   small      least area that ABC finds: amap
#   shallow    the same of a graph made shallower first
#   shallower  made shallower twice
#   fast       mapped for delay
# Then gates on paths that are too long are made stronger, and buffers go where the load asks for them.
# SPDX-License-Identifier: Apache-2.0
set -eu
recipe=$1 mapped=$2
case $recipe in
small) graph="dc2;dc2;strash;dch,-f;amap,-m" ;;
shallow) graph="dc2;dc2;if,-g;strash;dch,-f;amap,-m" ;;
shallower) graph="dc2;dc2;if,-g;strash;dch,-f;if,-g;strash;dch,-f;amap,-m" ;;
fast) graph="dc2;dc2;if,-g;strash;dch,-f;map,-B,0.9" ;;
esac
lib=$library/library.lib
work=$(mktemp -d "$folder/map.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export TMPDIR="$work"    # ABC's files, which stay if it is ended
started=$(date +%s)

# Ports and boxes are driven by the smallest inverter; 20 fF hang on each.
printf 'set_driving_cell %s\nset_load 0.02\n' "$lib_inv" >"$work/constr"
cat >"$work/map.ys" <<EOF
read_rtlil $folder/unit.il
read_liberty -lib -ignore_miss_func $lib
abc -liberty $lib -D $limit -constr $work/constr -script "+strash;ifraig;scorr;$graph;topo;buffer,-c;topo;upsize,-D,$limit;dnsize,-D,$limit;stime,-p"
opt_clean -purge
check -assert
rename -wire
select -assert-none t:\$*
select $unit
json -o $work/netlist.json
select -clear
write_verilog -noattr -nohex -defparam $work/netlist.v
tee -q -o $work/stat stat -liberty $lib
EOF
yosys -Q -s "$work/map.ys" >"$work/log" 2>&1 || {
  echo "unit $unit: $(grep -m1 ERROR "$work/log" || echo "Yosys failed")" >&2
  exit 1
}
# A unit without gates has no path.
delay=$(sed -n 's/.*Delay = *\([0-9.]*\) ps.*/\1/p' "$work/log" | tail -n 1)
seconds=$(($(date +%s) - started))
awk -v unit="$unit" -v params="$params" -v library="$lib_name" -v nand2="$lib_nand2_area" \
  -v boxes="$(sed 's/#.*//' "$here/boxes" | tr '\n' ' ')" -v delay="${delay:-0}" -v period="$period" \
  -v limit="$limit" -v recipe="$recipe" -v seconds="$seconds" '
  function object(text,   part, n, i, pair, out) {
    n = split(text, part, " ")
    for (i = 1; i <= n; ++i) {
      split(part[i], pair, "=")
      out = out (i > 1 ? "," : "") "\"" pair[1] "\":" pair[2]
    }
    return "{" out "}"
  }
  BEGIN { n = split(boxes, list, " "); for (i = 1; i <= n; ++i) box[list[i]] = 1 }
  FILENAME ~ /stat$/ {
    if (/Number of cells:/) inside = 1
    else if (inside && NF == 2 && !($1 in box)) cells = cells (cells == "" ? "" : ",") "\"" $1 "\":" $2
    if (/Chip area/) area = $NF + 0
    next
  }
  # Instances of boxes, and their parameters on the lines behind.
  $1 in box && /\($/ { kind[$2] = $1; set[$2] = ""; order[++instances] = $2; next }
  $1 == "defparam" {
    left = $0; sub(/ *=.*/, "", left); sub(/^ *defparam */, "", left)
    parameter = left; sub(/.*\./, "", parameter)
    name = left; sub(/ *\.[A-Z0-9_]*$/, "", name)
    value = $0; gsub(/.*= *|.*\047s*d|;/, "", value)
    set[name] = set[name] " " parameter "=" value
  }
  END {
    for (i = 1; i <= instances; ++i) {
      key = kind[order[i]] set[order[i]]
      if (!count[key]++) { first[++keys] = key; named[key] = kind[order[i]]; pars[key] = set[order[i]] }
    }
    for (i = 1; i <= keys; ++i) {
      children = children (i > 1 ? "," : "") "{\"unit\":\"" named[first[i]] "\",\"params\":" \
        object(pars[first[i]]) ",\"count\":" count[first[i]] "}"
    }
    printf "{\"unit\":\"%s\",\"params\":%s,\"library\":\"%s\",\"area_um2\":%.4f,\"nand2\":%.2f,", \
      unit, object(params), library, area, area / nand2
    printf "\"cells\":{%s},\"boxes\":[%s],", cells, children
    printf "\"clock_ps\":%s,\"delay_ps\":%s,\"recipe\":\"%s\",\"closes\":%s,\"seconds\":%d}\n", \
      period, delay, recipe, delay + 0 <= limit + 0 ? "true" : "false", seconds
  }' "$work/stat" "$work/netlist.v" >"$work/area.json"
rm -f "$work/constr" "$work/map.ys" "$work/stat"
rm -rf "$mapped"
mv "$work" "$mapped"
