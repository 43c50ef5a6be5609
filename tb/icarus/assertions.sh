#!/bin/sh
# Does every assertion of the RTL (`ASSERT, `ASSUME and their like) end a simulation, with its name, when it is broken,
# and when it is unknown?
#
#   assertions.sh RTL WORK_DIR      RTL: the folder of the RTL
#
# assertions.txt has a line for each, which breaks it in a module whose inputs are 0.  A module is simulated without any of
# these, and once for each of them.  Exits 1 if one does not fire, fires by itself, or has no line.
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -eq 2 ] || { sed -n 's/^# \{0,1\}//; 2,8p' "$0" >&2; exit 2; }
rtl=$1 work=$2 failed=0 count=0
table=$(dirname "$0")/assertions.txt
mkdir -p "$work" || exit 2
wrong() { echo "$1"; failed=1; }

# Inputs of a module, from its ports.
inputs() { sed -n '/^) (/,/^);/{s/ *\/\/.*//; s/^  input  *wire .*[] ]\([a-z0-9_]*\),\{0,1\}$/\1/p}' "$1"; }

# bench MODULE PARAMETERS: its clock goes on, other inputs are 0, and +break=NAME does what the table says.
bench() {
  file=$(ls "$rtl"/*/"$1".v)
  echo "\`timescale 1ns/1ns"
  echo "module bench; reg clk = 1'b0, rst = 1'b0; reg [8*64:1] what; always #5 clk = ~clk;"
  set="$(echo "$2" | sed 's/\([A-Z_]*\)=\([0-9]*\)/.\1(\2),/g; s/, *$//; s/ //g')"
  echo "$1 ${set:+#($set)} u ("
  inputs "$file" | sed "s/.*/.&(1'b0)/; s/\(clk_i\|aclk\)(.*)/\1(clk)/; s/\(rst_ni\|aresetn\)(.*)/\1(rst)/" | paste -sd ,
  echo "); initial begin if (!\$value\$plusargs(\"break=%s\", what)) what = \"\";"
  echo "@(negedge clk) rst = 1'b1; repeat (2) @(negedge clk);"
  awk -v head="$1${2:+ }$2" '/^[a-z]/ { mine = $0 == head } mine && /^  [a-z]/ {
    name = $1; sub(/:$/, "", name); sub(/^ *[a-z_.0-9]*: */, "")
    print "if (what == \"" name "\") begin", $0, "end" }' "$table"
  echo "repeat (4) @(negedge clk); \$display(\"kept\"); \$finish; end endmodule"
}

# names HEAD: the table's assertions below that line. sites: the RTL's; those of proofs alone stand behind "properties".
names() { awk -v head="$1" '/^[a-z]/ { mine = $0 == head } mine && /^  [a-z]/ { sub(/:$/, "", $1); print $1 }' "$table"; }
sites() {
  awk -F '[(,]' 'FNR == 1 { proofs = 0 } /-- properties$/ { proofs = 1 }
    !proofs && /^ *`(ASSERT|ASSUME)(_STABLE)?\(/ { print $2 }' "$rtl"/*/*.v | sort -u
}

while read -r module parameters; do
  bench "$module" "$parameters" >"$work/$module.v"
  # shellcheck disable=SC2046
  iverilog -g2005 -I "$rtl/lib" -s bench -o "$work/$module.vvp" "$work/$module.v" $("$rtl/modules.sh" "$module" "$rtl"/*/) \
    >"$work/$module.log" 2>&1 || { wrong "$module: does not build"; head -n 3 "$work/$module.log"; continue; }
  said=$(vvp -n "$work/$module.vvp" 2>&1)
  case $said in *failed*|*!kept*) wrong "$module: $said, with all inputs 0" ;; esac
  for name in $(names "$module${parameters:+ }$parameters"); do
    count=$((count + 1))
    said=$(vvp -n "$work/$module.vvp" "+break=$name" 2>&1)
    case $said in *".${name%%.*}"*": assertion failed"*) ;; *) wrong "$module: $name does not fire: $said" ;; esac
  done
done <<END
$(grep '^[a-z]' "$table")
END

for site in $(sites); do
  grep -q "^  ${site}[:.]" "$table" || wrong "$site: not in assertions.txt"
done
echo "$count assertions fire: $([ $failed = 0 ] && echo PASS || echo FAIL)"
exit $failed
