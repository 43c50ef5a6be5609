#!/bin/sh
# The steps of the Containerfile, in a bare root of the Debian that it names: what they install is enough for a run by a
# user who is not root. Needs root, debootstrap and a mirror; is skipped without.
# SPDX-License-Identifier: Apache-2.0
[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null || { echo "needs root and debootstrap"; exit 77; }
. "$(dirname "$0")/../../script.sh"
trap 'umount "$dir/root/proc" 2>/dev/null || true; rm -rf "$dir"' EXIT

user=root home=/root folder=/
inside() {   # inside COMMAND...: as the user, and in the folder, of the step
  chroot root setpriv --reuid=$user --regid=$user --init-groups \
    env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=$home LC_ALL=C.UTF-8 sh -c 'cd "$1" && shift && exec "$@"' sh $folder "$@"
}

from() {   # from debian:CODENAME-slim
  codename=${1#debian:}
  codename=${codename%-slim}
  debootstrap --variant=minbase "$codename" root >log 2>&1 || { tail -n 5 log; echo "no mirror"; exit 77; }
  cp /etc/resolv.conf root/etc/
  cp -r /etc/apt/apt.conf.d root/etc/apt/
  mount -t proc proc root/proc
}

copy() {   # copy FOLDER: the checkout, but for what .dockerignore names
  mkdir -p "$1"
  # shellcheck disable=SC2046
  tar -C "$ROOT" $(sed 's|^|--exclude=./|' "$ROOT/.dockerignore") -cf - . | tar -C "$1" -xf -
}

entry=
while read -r step arguments; do
  case $step in
    '' | \#* | CMD) ;;
    FROM) from "$arguments" ;;
    RUN) inside sh -c "$arguments" >log 2>&1 || { tail -n 20 log; fail "RUN $arguments"; } ;;
    COPY) copy "root/${arguments#. }" ;;
    USER) user=$arguments home=/home/$arguments ;;
    WORKDIR) folder=$arguments ;;
    ENTRYPOINT) entry=$(echo "$arguments" | jq -r '.[0]') ;;
    *) fail "a step that this test does not know: $step" ;;
  esac
done <"$ROOT/Containerfile"

[ "$(inside id -un)" != root ] || fail "the container's user is root"
inside "$entry" run amla --json r.json --quiet || fail "run amla"
[ "$(jq .error.rel_fro root/work/r.json)" = "$("$SIM" run amla --json /dev/stdout --quiet | jq .error.rel_fro)" ] ||
  fail "another result"
inside "$entry" run hfa --quiet || fail "run hfa: the Verilog is built in the container"
inside "$entry" report table2 --out page || fail "report table2"
holds '.rows | length > 0' root/work/page/table2.json
echo "all as expected: $(jq .cycles root/work/r.json) cycles"
