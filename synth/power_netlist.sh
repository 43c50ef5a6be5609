#!/bin/sh
# Maps one module of the RTL to a library's cells and prints the folder of the netlist, which has its
# checksum of all that went in for a name: what is there already is not made again.
#
#   power_netlist.sh CACHE LIBERTY MODULE [PARAMETER=VALUE ...]
#
# Every module below is mapped once and instantiated, then the hierarchy is dissolved: netlist.json is
# flat, and the same lane is the same gates everywhere.  Also netlist.v, and log.  LIBERTY: plain or .gz.
# Exits 1, with the last lines of the log on stderr, if the module cannot be synthesised.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//; 2,10p' "$0" >&2; exit 2; }
cache=$1 liberty=$2 module=$3
shift 3
root=$(cd "$(dirname "$0")/.." && pwd)
[ -r "$liberty" ] || { echo "power_netlist.sh: cannot read $liberty" >&2; exit 2; }

sources=$(find "$root/rtl/fp" "$root/rtl/lib" "$root/rtl/attention" "$root/rtl/hfa" "$root/rtl/fa2" -name '*.v' | sort)
parameters=
for parameter; do
  case $parameter in
  [A-Z]*=[0-9]*) parameters="$parameters -set ${parameter%%=*} ${parameter#*=}" ;;
  *) echo "power_netlist.sh: no parameter: $parameter" >&2; exit 2 ;;
  esac
done

# shellcheck disable=SC2086
sum=$( { cat $sources "$liberty" "$0"; yosys -V; echo "$module $parameters"; } | sha256sum | cut -c1-12)
unit=$cache/$module$(printf '%s' "$parameters" | sed 's/ -set \([A-Z_]*\) /-\L\1/g')-$sum
[ ! -e "$unit/netlist.json" ] || { echo "$unit"; exit 0; }

# Two runs that want the same netlist: the second waits and finds it.
mkdir -p "$unit"
exec 9>"$unit/lock"
flock 9
[ ! -e "$unit/netlist.json" ] || { echo "$unit"; exit 0; }

plain=$unit/library.lib
case $liberty in
*.gz) gzip -dc "$liberty" >"$plain" ;;
*) cp "$liberty" "$plain" ;;
esac
{
  for source in $sources; do echo "read_verilog -defer $source"; done
  [ -z "$parameters" ] || echo "chparam$parameters $module"
  cat <<END
hierarchy -check -top $module
synth -noabc -top $module
dfflibmap -liberty $plain
abc -liberty $plain
flatten
setundef -zero
opt_clean -purge
rename -top $module
stat -liberty $plain
write_verilog -noattr -noexpr $unit/netlist.v
write_json $unit/netlist.json.new
END
} >"$unit/script.ys"
yosys -q -l "$unit/log" -s "$unit/script.ys" >/dev/null 2>&1 ||
  { tail -n 5 "$unit/log" >&2; echo "power_netlist.sh: $module could not be synthesised, see $unit/log" >&2; exit 1; }
rm -f "$plain"
mv "$unit/netlist.json.new" "$unit/netlist.json"
echo "$unit"
