#!/bin/sh
# A unit of the RTL and all boxes inside it, mapped each by itself (unit.sh --boxes): the cells that areas
# are made of.  Prints a line for each, "UNIT FOLDER", the unit itself first.
#
#   hierarchy.sh CLOCK LIBERTY UNIT [PARAM=VALUE ...]
#
#   CLOCK  the period to close, in the library's FO4: unit.sh's --clock
#
# A box may occur with one set of parameters only, so that netlists can leave parameters out.
# AMALGAM_SYNTH as of unit.sh.  Exits 2, with one line, if there is no such library, unit or parameter,
# 1 if a tool fails.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//; 2,11p' "$0" >&2; exit 2; }
clock=$1 liberty=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)

list=
wanted="$*"
while [ -n "$wanted" ]; do
  next=
  while read -r name params; do
    case $name in kv_sram | ram_1r1w) continue ;; esac   # memories are not made of gates
    case "$list" in
    *"|$name $params|"*) continue ;;
    *"|$name "*) echo "$name: with different parameters in one netlist" >&2; exit 1 ;;
    esac
    # shellcheck disable=SC2086
    folder=$("$here/unit.sh" --boxes --clock "$clock" "$liberty" "$name" $params)
    list="$list|$name $params|"
    echo "$name $folder"
    # A line for each box: "unit":"U","params":{"A":1,"B":2} becomes U A=1 B=2.
    boxes=$(sed 's/.*"boxes":\[//; s/\],"clock_ps".*//; s/},{/}\n{/g' "$folder/area.json" |
      sed -n 's/.*"unit":"\([a-z0-9_]*\)","params":{\([^}]*\)}.*/\1 \2/p' | sed 's/"//g; s/:/=/g; s/,/ /g')
    next="$next$boxes
"
  done <<END
$wanted
END
  wanted=$(printf '%s' "$next" | sed '/^ *$/d' | sort -u)
done
