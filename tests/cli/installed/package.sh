#!/bin/sh
# The Debian package of `cpack`, in a bare Debian root: what it depends on is enough for a simulation; it removes all
# that it installed. Needs root, debootstrap and a mirror; is skipped without.
# SPDX-License-Identifier: Apache-2.0
[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null || { echo "needs root and debootstrap"; exit 77; }
. "$(dirname "$0")/../../script.sh"
trap 'umount "$dir/root/proc" 2>/dev/null || true; rm -rf "$dir"' EXIT

cpack --config "$BUILD/CPackConfig.cmake" -B "$dir" >log 2>&1 || { cat log; fail "cpack"; }
deb=$(echo "$dir"/amalgam_*.deb)
dpkg-deb -f "$deb" Depends | grep -q systemc || fail "does not depend on SystemC: $(dpkg-deb -f "$deb" Depends)"

codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
debootstrap --variant=minbase "$codename" root >log 2>&1 || { tail -n 5 log; echo "no mirror"; exit 77; }
# This machine's way to a mirror.
cp /etc/resolv.conf root/etc/
rm -f root/etc/apt/sources.list
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d root/etc/apt/
mount -t proc proc root/proc
inside() { chroot root env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/home/user LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
inside useradd -m -d /home/user user
cp "$deb" root/amalgam.deb
inside sh -c 'apt-get update && apt-get install -y --no-install-recommends /amalgam.deb' >log 2>&1 ||
  { tail -n 20 log; fail "apt-get install"; }
as_user() { inside setpriv --reuid=user --regid=user --init-groups "$@"; }
[ "$(as_user amalgam --version)" = "$("$SIM" --version)" ] || fail "--version"
for firmware in riscv native; do
  as_user amalgam run amla --firmware $firmware --gm c --json /home/user/run.json --quiet || fail "run amla, $firmware"
  "$SIM" run amla --firmware $firmware --gm c --json want.json --quiet
  [ "$(without_host root/home/user/run.json)" = "$(without_host want.json)" ] || fail "another result, $firmware"
done
as_user amalgam run amla --heads 4 --seq-kv 64 --quiet || fail "run amla with the Verilog"
status=0
as_user amalgam run hfa --quiet 2>said || status=$?
[ $status -eq 2 ] && [ "$(wc -l <said)" -eq 1 ] && grep -q 'without verilator' said || fail "no Verilator: $(cat said)"
status=0
as_user amalgam firmware x.c 2>said || status=$?
[ $status -eq 2 ] && [ "$(wc -l <said)" -eq 1 ] || fail "no compiler: $(cat said)"
inside dpkg -r amalgam >log 2>&1 || fail "dpkg -r"
[ -z "$(find root/usr -path '*amalgam*')" ] || fail "left behind: $(find root/usr -path '*amalgam*')"
echo "all as expected: $(($(wc -c <"$deb") / 1000)) kB; $(dpkg-deb -f "$deb" Depends)"
