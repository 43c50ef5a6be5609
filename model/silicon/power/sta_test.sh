#!/bin/sh
# Energies of small netlists, every net changing equally often, against OpenSTA's report_power.
#
#   sta_test.sh NETLIST_ENERGY LIBERTY      with yosys and sta on the path
#
# What agrees: what nets take (1 %) and leakage (0.1 %).  Debian's OpenSTA of 2019 charges a cell's internal
# energy twice, for rise and fall in each change: a chain of inverters must show twice ours (1 %).  For
# gates of several inputs it weighs the inputs by how often they are sensitised, weights that need not
# sum to 1, and so is only between once and three times ours.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -eq 2 ] || { sed -n 's/^# \{0,1\}//; 2,9p' "$0" >&2; exit 2; }
tool=$1 liberty=$2
rtl=$(cd "$(dirname "$0")/../../../rtl" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

changes=0.1 period=10
cat >chain.v <<'END'
module chain(input clk_i, input a, output y);
  wire [4:0] n;
  INVX1 u0(.A(a), .Y(n[0]));
  INVX2 u1(.A(n[0]), .Y(n[1]));
  INVX1 u2(.A(n[1]), .Y(n[2]));
  BUFX2 u3(.A(n[2]), .Y(n[3]));
  INVX4 u4(.A(n[3]), .Y(y));
endmodule
END
yosys -q -p "read_liberty -lib -ignore_miss_func $liberty; read_verilog chain.v; hierarchy -top chain
  select chain; json -o chain.json"
yosys -q -p "read_verilog -I$rtl/lib $rtl/softmax/fau_lane.v $rtl/arith/*.v $rtl/hfa/*.v $rtl/fp/*.v
  synth -noabc -flatten -top fau_lane; dfflibmap -liberty $liberty; abc -liberty $liberty; opt_clean -purge
  read_liberty -lib -ignore_miss_func $liberty; select fau_lane; json -o fau_lane.json; select -clear
  write_verilog -noattr -selected fau_lane.v"

failed=0
# expect NAME IS LOW HIGH
expect() {
  awk -v name="$1" -v is="$2" -v low="$3" -v high="$4" 'BEGIN {
    good = is >= low && is <= high
    printf "%-36s OpenSTA / ours %.4f%s\n", name, is, good ? "" : sprintf(", expected %g .. %g", low, high)
    exit !good }' || failed=1
}

for top in chain fau_lane; do
  cat >sta.tcl <<END
read_liberty $liberty
read_verilog $top.v
link_design $top
create_clock -name clk -period $period [get_ports clk_i]
foreach in [all_inputs] { if {[get_property \$in full_name] != "clk_i"} { set_input_delay -clock clk 0 \$in } }
set_power_activity -global -activity $changes -duty 0.5
report_power -digits 8
exit
END
  sta -no_splash -no_init -exit sta.tcl >sta.log 2>&1
  total=$(grep '^Total' sta.log) || { cat sta.log >&2; exit 1; }
  "$tool" "$liberty" "$top.json" $changes $period 0 0 0 >ours
  ratio() { # COLUMN NAME: W against pJ in a period of ns
    echo "$total" | awk -v column="$1" -v ours="$(awk -v name="$2" '$1 == name { print $2 }' ours)" \
      -v period=$period '{ printf "%.6f", $column * period * 1e3 / ours }'
  }
  expect "$top, nets" "$(ratio 3 switching)" 0.99 1.01
  expect "$top, leakage" "$(ratio 4 leakage)" 0.999 1.001
  if [ $top = chain ]; then
    expect "$top, internal: doubled" "$(ratio 2 internal)" 1.98 2.02
  else
    combinational=$(grep '^Combinational' sta.log | awk -v period=$period '{ print $2 * period * 1e3 }')
    expect "$top, internal of gates" \
      "$(awk -v theirs="$combinational" '$1 == "internal" { printf "%.4f", theirs / $2 }' ours)" 1 3
  fi
done
exit $failed
