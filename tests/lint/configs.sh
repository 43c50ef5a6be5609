#!/bin/sh
# The machines of model/config are parts of one chip. Each file gives every value, so that it can be read and
# copied alone; but what is not in the table below is the same in all of them, value and source.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1/model/config"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# file: fields that may be others than the chip's
cat >"$dir/differ" <<'END'
ascend910_die: soc.dies soc.ai_cores gm.slices
ascend910_core: soc.dies soc.ai_cores soc.launch_us soc.skew_us gm.slices
ascend910_pair: soc.dies soc.ai_cores soc.launch_us soc.skew_us gm.slices
engines: soc.dies soc.ai_cores soc.engines soc.launch_us soc.skew_us gm.slices
END

values() {   # values FILE: section.field value and comment, a line each
  awk '/^[a-z]/ { sub(/:.*/, ""); section = $0 }
       /^  / { sub(/^ */, ""); gsub(/ +/, " "); print section "." $0 }' "$1"
}

values ascend910.yaml >"$dir/chip"
[ "$(wc -l <"$dir/chip")" -gt 50 ] || { echo "FAILED: ascend910.yaml has no values"; exit 1; }
failed=0
for file in *.yaml; do
  name=${file%.yaml}
  [ "$name" != ascend910 ] || continue
  allowed=$(sed -n "s/^$name: //p" "$dir/differ")
  [ -n "$allowed" ] || { echo "FAILED: $file is not in the table"; failed=1; continue; }
  values "$file" | diff "$dir/chip" - | sed -n 's/^[<>] //p' | sed 's/:.*//' | sort -u >"$dir/fields"
  while read -r field; do
    case " $allowed " in
      *" $field "*) ;;
      *) echo "FAILED: $file: $field is not as in ascend910.yaml"; failed=1 ;;
    esac
  done <"$dir/fields"
done
exit $failed
