#!/bin/sh
# The script ./amalgam and what it promises: that nothing stale is run and nothing done twice, that two at once wait
# for one another, that a checkout which cannot be written is built elsewhere, and what it starts when there is
# nothing to do. cmake, ninja and apt-get are stand-ins that note how they were called.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
umask 022
chmod 755 "$dir"
cd "$dir"

fail() { echo "FAILED: $*"; [ ! -s err ] || cat err; exit 1; }

# A checkout with one source file, and tools that are quick: "ninja" makes amalgam-sim of it.
mkdir -p tree/model/report tree/sw tree/rtl tree/cmake bin
cp "$ROOT/amalgam" tree
cp "$ROOT/model/report/reports.def" tree/model/report
: >tree/CMakeLists.txt
echo 'echo "one $*"' >tree/model/main.c
cat >bin/cmake <<'END_OF_TOOL'
#!/bin/sh
echo "cmake $*" >>"$CALLS"
while [ "$1" != -B ]; do shift; done
touch "$2/build.ninja"
case "$*" in *AMALGAM_TESTS=ON*) echo AMALGAM_TESTS:BOOL=ON ;; esac >"$2/CMakeCache.txt"
END_OF_TOOL
cat >bin/ninja <<'END_OF_TOOL'
#!/bin/sh
echo "ninja $*" >>"$CALLS"
if [ "$1" = -n ]; then shift; dry=yes; else dry=; fi
build=$2
[ -z "${SLOW:-}" ] || sleep "$SLOW"
if [ -n "${BROKEN:-}" ]; then echo "FAILED: main.o"; exit 1; fi
if [ -n "$dry" ]; then [ "$build/amalgam-sim" -nt "$TREE/model/main.c" ] && echo "ninja: no work to do."; exit 0; fi
mkdir -p "$build/firmware"
{ echo '#!/bin/sh'; cat "$TREE/model/main.c"; } >"$build/amalgam-sim.new"
chmod +x "$build/amalgam-sim.new"
mv "$build/amalgam-sim.new" "$build/amalgam-sim"
END_OF_TOOL
cat >bin/dpkg-query <<'END_OF_TOOL'
#!/bin/sh
case " ${ABSENT:-} " in *" $3 "*) exit 1 ;; esac
echo installed
END_OF_TOOL
cat >bin/apt-get <<'END_OF_TOOL'
#!/bin/sh
echo "apt-get $*" >>"$CALLS"
case "$*" in
update | *" -y "*)
  if [ -s "$LOCKED" ]; then
    sed -i 1d "$LOCKED"
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)" >&2
    exit 100
  fi
  [ -z "${NO_MIRROR:-}" ] || { echo "E: The repository has no Release file" >&2; exit 100; } ;;
*assume-no*)
  echo "0 upgraded, 7 newly installed, 0 to remove and 0 not upgraded."
  echo "Need to get 12.5 MB of archives."
  echo "After this operation, 99 MB of additional disk space will be used." ;;
esac
END_OF_TOOL
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >bin/sudo   # sudo env DEBIAN_FRONTEND=...
printf '#!/bin/sh\necho "ctest $*"\n' >bin/ctest
chmod +x bin/*
CALLS=$dir/calls TREE=$dir/tree LOCKED=$dir/locked PATH=$dir/bin:$PATH
export CALLS TREE LOCKED PATH
unset AMALGAM_BUILD
amalgam() { "$dir/tree/amalgam" "$@" 2>err; }
calls() { cat "$CALLS" 2>/dev/null | cut -d' ' -f1 | tr '\n' ' '; : >"$CALLS"; }
: >"$CALLS"

# Built at first, then not looked at; an edit, whatever time it bears, a file that comes and one that goes are seen.
[ "$(amalgam run amla)" = "one run amla" ] || fail "the first run"
[ "$(calls)" = "cmake ninja " ] || fail "calls of the first run"
grep -q 'first time takes' err || fail "says nothing of the first build"
sleep 1.1   # edits of the second before the build began are looked at once more
amalgam run amla >/dev/null
calls >/dev/null
amalgam run amla >/dev/null
[ -z "$(calls)" ] || fail "something was done though nothing was stale"
echo 'echo "two $*"' >tree/model/main.c
touch -d '2001-01-01' tree/model/main.c
[ "$(amalgam run amla)" = "two run amla" ] || fail "an edit was missed"
stale() {   # stale WHAT: ninja is asked
  amalgam run amla >/dev/null
  case "$(calls)" in *ninja*) ;; *) fail "$1 was missed" ;; esac
  sleep 1.1
  amalgam run amla >/dev/null
  calls >/dev/null
}
stale "an edit"
: >tree/rtl/new.v; stale "a new file"
rm tree/rtl/new.v; stale "a file that is gone"
rm tree/build/amalgam-sim; stale "the simulator that is gone"
: >tree/build/firmware/amla.elf; stale "firmware that has changed"
rm tree/build/firmware/amla.elf; stale "firmware that is gone"

# Each command has its own packages and targets.
calls >/dev/null
wants() {   # wants PACKAGE COMMAND...: is installed for it, and not for `run amla`
  package=$1
  shift
  touch tree/model/main.c
  ABSENT="$package" amalgam "$@" >/dev/null || fail "$*: $(cat err)"
  grep -q "apt-get install -y .*$package" "$CALLS" || fail "$*: $package is not installed"
  grep -qF "installing $package (7 packages, 12.5 MB to fetch, 99 MB on disk)" err || fail "$*: size"
  calls >/dev/null
  touch tree/model/main.c
  ABSENT="$package" amalgam run amla >/dev/null
  grep -q "apt-get" "$CALLS" && [ "$package" != verilator ] && fail "run amla: installs $package"
  calls >/dev/null
}
wants verilator run hfa
wants gnuplot-nox report table5
wants yosys report area
wants yosys report fig7a
wants yosys report all
wants yosys synth
wants libopenblas0-pthread bench
wants iverilog bench
echo 'command: run amla' >run.yaml
echo 'command: synth --design fa2' >synth.yaml
wants gnuplot-nox sweep run.yaml
wants yosys sweep synth.yaml
wants gdb-multiarch run amla --gdb cube0
wants chromium test
wants slurm-wlm test
# apt's lock, which another program holds, is waited for, with one line; what else is wrong ends the command.
touch tree/model/main.c
printf '1\n2\n' >"$LOCKED"
ABSENT=verilator amalgam run amla >/dev/null || fail "apt's lock: $(cat err)"
[ "$(grep -c 'waiting for another program that installs packages (.*held by process 7' err)" -eq 1 ] || fail "apt's lock: $(cat err)"
grep -q 'apt-get install -y' "$CALLS" || fail "nothing is installed after apt's lock"
touch tree/model/main.c
status=0
ABSENT=verilator NO_MIRROR=yes amalgam run amla >/dev/null || status=$?
[ $status -eq 2 ] && grep -q 'apt-get update failed' err || fail "no mirror: $status $(cat err)"
calls >/dev/null

touch tree/model/main.c
ABSENT=yosys amalgam report table5 >/dev/null
ABSENT=yosys amalgam sweep run.yaml >/dev/null
grep -q apt-get "$CALLS" && fail "report table5 or a sweep of runs installs yosys"
calls >/dev/null
amalgam run amla --firmware native >/dev/null
grep -q 'ninja .* simulator firmware_native$' "$CALLS" || fail "native firmware is not built"
calls >/dev/null
touch tree/model/main.c
amalgam run fp8 --convert native >/dev/null
! grep -q firmware_native "$CALLS" || fail "native firmware is built for another option's word"
rm -r tree/build
calls >/dev/null
amalgam run amla >/dev/null
grep -q 'AMALGAM_TESTS=OFF' "$CALLS" && grep -q 'ninja .* simulator$' "$CALLS" || fail "a run builds more: $(cat "$CALLS")"
amalgam test -L unit | grep -q '^ctest .*-L unit' || fail "test"
grep -q 'AMALGAM_TESTS=ON' "$CALLS" && grep -q 'ninja .* all$' "$CALLS" || fail "test builds less: $(cat "$CALLS")"
calls >/dev/null
mkdir -p tree/tests/fuzz
printf '#!/bin/sh\necho "fuzz $*"\n' >tree/tests/fuzz/fuzz.sh
chmod +x tree/tests/fuzz/fuzz.sh
ABSENT=clang amalgam fuzz --seconds 5 npy | grep -q '^fuzz .*/build-fuzz --seconds 5 npy$' || fail "fuzz"
grep -q 'apt-get install -y .*clang' "$CALLS" && grep -q 'build-fuzz .*AMALGAM_FUZZ=ON' "$CALLS" &&
  grep -q 'ninja .*build-fuzz fuzzers$' "$CALLS" || fail "fuzz is built otherwise: $(cat "$CALLS")"
rm -r tree/build-fuzz
mkdir -p tree/tests/coverage tree/tests/mutants
printf '#!/bin/sh\necho "$0 $*"\n' | tee tree/tests/coverage/coverage.sh >tree/tests/mutants/mutants.sh
chmod +x tree/tests/*/*.sh
calls >/dev/null
ABSENT=gcovr amalgam coverage -L unit | grep -q 'coverage.sh .*/build-coverage -L unit$' || fail "coverage"
grep -q 'apt-get install -y .*gcovr' "$CALLS" && grep -q 'build-coverage .*AMALGAM_TESTS=ON .*AMALGAM_COVERAGE=ON' "$CALLS" ||
  fail "coverage is built otherwise: $(cat "$CALLS")"
amalgam mutants --count 3 rtl | grep -q 'mutants.sh .*/build-mutants --count 3 rtl$' || fail "mutants"
amalgam test --sanitize thread -R soc/time | grep -q '^ctest --test-dir .*/build-tsan .*-R soc/time$' || fail "sanitize thread"
grep -q 'build-tsan .*AMALGAM_SANITIZE=thread' "$CALLS" || fail "thread sanitizer is built otherwise: $(cat "$CALLS")"
amalgam test --sanitize -L unit >/dev/null
grep -q 'build-asan .*AMALGAM_SANITIZE=address,undefined' "$CALLS" || fail "sanitizers are built otherwise: $(cat "$CALLS")"
rm -r tree/build-coverage tree/build-tsan tree/build-asan

# Folders that CMake cannot build in are named, before anything is made.
calls >/dev/null
for name in 'a;b' 'c#d' 'e\f' 'g$(h)' '<i' 'j"k'; do
  status=0
  AMALGAM_BUILD="$dir/$name" amalgam run amla >/dev/null || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF "no folder's name may have" err || fail "a build in $name: $status"
  [ ! -e "$dir/$name" ] && [ -z "$(calls)" ] || fail "$name was made"
done
status=0
amalgam setup nosuch || status=$?
[ $status -eq 2 ] && grep -q 'no group nosuch; there are run report' err || fail "setup nosuch"
ABSENT=z3 amalgam setup test >/dev/null
grep -q 'apt-get install -y .*z3' "$CALLS" || fail "setup test"
calls >/dev/null

# A build that fails: a line, exit code 2, and no stale program is run; nor afterwards.
echo 'echo "three $*"' >tree/model/main.c
for try in 1 2; do
  status=0
  ABSENT=verilator BROKEN=yes amalgam run amla >out || status=$?
  [ $status -eq 2 ] && [ ! -s out ] && grep -q 'build failed, see .*/build/build.log' err || fail "try $try of a broken build: $status"
done
[ "$(amalgam run amla)" = "three run amla" ] || fail "after a broken build"

# Two at once on a stale tree: one builds.
echo 'echo "four $*"' >tree/model/main.c
sleep 1.1
calls >/dev/null
export SLOW=0.5
amalgam run amla >first & first=$!
"$dir/tree/amalgam" run base >second 2>err2
wait $first || fail "the first of two"
unset SLOW
[ "$(cat first second)" = "four run amla
four run base" ] || fail "two at once: $(cat first second)"
grep -q 'waiting for another command' err err2 || fail "none of the two waited"
[ "$(calls)" = "ninja " ] || fail "both built"

# A checkout that cannot be written, with a build folder and without: what is there is used if it is not stale.
reader() {   # as somebody who may not write it
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$dir/home" "$@"
  else
    env HOME="$dir/home" "$@"
  fi
}
mkdir home
chmod 777 home
chmod 666 "$CALLS"
chmod a-w tree/build
reader "$dir/tree/amalgam" run amla >out 2>err || fail "a checkout to read: $(cat err)"
[ "$(cat out)" = "four run amla" ] && [ -z "$(calls)" ] && [ ! -e home/.cache ] || fail "a build to read is not used"
echo 'echo "five $*"' >tree/model/main.c
reader "$dir/tree/amalgam" run amla >out 2>err || fail "a stale build to read: $(cat err)"
[ "$(cat out)" = "five run amla" ] || fail "a stale build to read is used"
rm -r home/.cache
chmod u+w tree/build
rm -r tree/build
chmod a-w tree
reader "$dir/tree/amalgam" run amla >out 2>err || fail "a checkout to read, not built: $(cat err)"
[ "$(cat out)" = "five run amla" ] && [ -x "$(echo home/.cache/amalgam/tree-*/amalgam-sim)" ] || fail "not built in the cache"
[ ! -e tree/build ] || fail "built in the checkout"
chmod u+w tree

# What it starts when there is nothing to do, in a checkout as large as this one: whoever waits for it waits for these.
"$dir/tree/amalgam" run amla >/dev/null 2>&1
sleep 1.1
"$dir/tree/amalgam" run amla >/dev/null
for folder in model sw rtl tb synth tests; do cp -r "$ROOT/$folder" tree; done
"$dir/tree/amalgam" run amla >/dev/null
sleep 1.1
"$dir/tree/amalgam" run amla >/dev/null
calls >/dev/null
strace -f -qq --seccomp-bpf -e trace=execve -e status=successful -o programs "$dir/tree/amalgam" run amla >/dev/null
[ -z "$(calls)" ] || fail "something was done though nothing was stale"
programs=$(sed -nE 's/.*execve\("([^"]*)".*/\1/p' programs | sed 's,.*/,,' | tr '\n' ' ')
[ "$programs" = "amalgam readlink find amalgam-sim " ] || fail "with nothing to do, it starts $programs"
echo "all as expected: with nothing to do, it starts $programs"
