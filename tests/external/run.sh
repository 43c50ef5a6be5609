#!/bin/sh
# run.sh FOLDER [NAME...]: the kernels of `list` that are in FOLDER/OWNER/REPOSITORY, unmodified, beside NumPy; others are
# skipped, by name. $SIM: amalgam's program (default the build's).
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: run.sh FOLDER [NAME...]" >&2; exit 2; }
folder=$(cd "$1" && pwd)
shift
sim=${SIM:-$here/../../build/amalgam-sim}
numpy=python3
"$numpy" -c 'import numpy' 2>/dev/null || numpy=/usr/bin/python3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
bad=0
while read -r name repository commit file licence; do
  case $name in '#'* | '') continue ;; esac
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  source=$folder/$repository/$file
  if [ ! -f "$source" ]; then
    echo "skipped  $name: no $repository/$file ($commit, $licence)"
    continue
  fi
  rm -f ./*
  options=$("$numpy" "$here/arrays.py" "$name" "$source")
  if [ -f kernel.cpp ]; then
    options="$options -I $(dirname "$source")"
    source=kernel.cpp
  fi
  # shellcheck disable=SC2086   # options are words
  if "$sim" run ascend "$source" $options --allow-overflow --json r.json >out 2>err; then
    echo "right    $name: $(grep -E '^time' out | sed 's/^time *//')"
  elif [ -f told ] && ! while read -r line; do grep -qF -e "$line" err || echo "$line"; done <told | grep -q .; then
    echo "told     $name: $(tail -n 1 err)"
  else
    bad=1
    echo "WRONG    $name: $(tail -n 1 err)"
  fi
done <"$here/list"
exit $bad
