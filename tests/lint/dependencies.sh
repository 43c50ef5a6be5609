#!/bin/sh
# Which folder may use which: every #include of ours, and every module that a module instantiates,
# against the tables below. A folder may use itself.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# folder: folders whose headers it may include
cat >"$dir/c" <<'END'
model/host:
model/base: host num
model/config: host
model/num: hal
model/core: num config hal
model/waves:
model/engine: waves num host
model/lm: num
model/soc: core engine waves num config hal
model/power: base num host
model/kernel: soc lm engine waves num config host base hal kernels cli
model/report: kernel soc lm engine waves num config host base hal kernels power cli
model/cli: report kernel soc lm engine waves num config host base hal kernels power
sw/hal:
sw/lib: hal
sw/boot: hal
sw/kernels: lib hal
END
# folder: folders whose modules it may instantiate
cat >"$dir/v" <<'END'
rtl/lib:
rtl/fp:
rtl/gm: fp
rtl/softmax: fp lib
rtl/hfa: softmax fp lib
rtl/fa2: softmax fp lib
rtl/attention: hfa fa2 softmax fp lib
END

# Lines "FOLDER USES FILE" of all sources.
find model sw -name '*.[chS]' -o -name '*.cpp' -o -name '*.def' | while read -r file; do
  folder=$(echo "$file" | cut -d/ -f1-2)
  sed -nE 's|^ *#include "([a-z_0-9]+)/.*|\1|p' "$file" | sed "s|.*|$folder & $file|"
done >"$dir/includes"
find rtl -name '*.v' >"$dir/rtl"
while read -r file; do
  sed -nE "s|^module ([a-z_0-9]+).*|\1 ${file%/*}|p" "$file"
done <"$dir/rtl" >"$dir/modules"
while read -r file; do
  sed -nE 's/^ *([a-z][a-z_0-9]*) (#\(|[a-z][a-z_0-9]* \().*/\1/p' "$file" | sort -u |
    while read -r module; do
      used=$(sed -n "s/^$module //p" "$dir/modules")
      [ -z "$used" ] || echo "${file%/*} ${used#rtl/} $file"
    done
done <"$dir/rtl" >"$dir/instances"

failed=0
count=0
check() {   # check TABLE EDGES: complains of each edge that is not in the table
  while read -r folder uses file; do
    count=$((count + 1))
    allowed=$(sed -n "s|^$folder:||p" "$1")
    case " ${folder##*/} $allowed " in
      *" $uses "*) ;;
      *) echo "$file: $folder must not use $uses"; failed=1 ;;
    esac
  done <"$2"
}
check "$dir/c" "$dir/includes"
check "$dir/v" "$dir/instances"

# Nothing is read from outside of rtl.
if grep -rnE '`include|\$readmem' rtl --include='*.v'; then
  echo "rtl: a module reads a file"
  failed=1
fi

# A table that lists no folder twice round has an order: each folder only uses those above it.
if ! sed -nE 's,^(model|rtl)/([a-z0-9]+):(.*),\2 \3,p' "$dir/c" "$dir/v" |
  awk '{ for (i = 2; i <= NF; ++i) print $i, $1 }' |
  tsort >/dev/null 2>"$dir/cycle"; then
  cat "$dir/cycle"
  failed=1
fi
echo "$count uses, of $(wc -l <"$dir/modules") modules and $(wc -l <"$dir/includes") includes"
[ "$count" -ge 300 ] && [ "$failed" -eq 0 ]
