#!/bin/sh
# Which folder may use which: every #include of ours and every Verilog module that another instantiates, against the
# table below. And there are no rings: of rooms, of headers that include each other, and of sources that call each
# other, directly or through others, which nm sees in the objects of the build (of calls through a pointer or a virtual
# function it sees nothing, and these are how a ring is cut).
#   dependencies.sh SOURCES BUILD
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Rooms are model/X and sw/X (here: X), rtl, tb and tests. A row says what the files of a room, or of one of its
# folders ("room/.": those beside its folders), may use besides their own folder:
#   room       files directly in that room          room/*   also those in its folders
#   /folder    another folder of the same room      /.       the files beside them
cat >"$dir/table" <<'END'
num/.: hal
num/engine: /.
num/golden: /. /product hal
num/product: /.
base: host num/*
host:
config: base host
core: base num/* config hal
core/.: /commands
core/commands: /. /vector
core/vector: /.
waves:
engine: base num/* host waves hal
llm: base host num/* hal
llm/checkpoint:
llm/family: /checkpoint
llm/lm: /checkpoint /family /text
llm/text:
llm/walk: /checkpoint /family
array: base llm/checkpoint num/*
soc: core engine waves num/* config host hal rtl/gm
soc/.: /cores /inspect /races /watch
soc/cores: /. /engine /memory /races /scalar /watch
soc/engine: /cores /memory /watch
soc/inspect: /cores /memory /watch
soc/memory: /. /cores /races /slices
soc/races:
soc/scalar: /cores /memory
soc/slices: /cores /memory /watch
soc/watch: /. /scalar
blame: soc core num/* base host hal
silicon: base num/* host
silicon/power: /gates /synth
kernel: array soc core llm/* engine num/* waves config host base hal kernels/* ascend
kernel/ascend: /.
kernel/attention: /.
kernel/collective: /.
kernel/custom: /.
kernel/decode: /. /attention /decode/list
kernel/decode/list: /. /attention /flash /decode
kernel/engine: /. /attention /lm
kernel/flash: /. /attention
kernel/fp8: /. /attention
kernel/gemm: /.
kernel/lm: /.
report: kernel/* llm/checkpoint llm/lm llm/text engine silicon/* soc core num/* config host base hal kernels/*
report/.: /page
report/amla: /.
report/decode: /.
report/fp8: /.
report/energy: /.
report/gemm: /.
report/hfa: /.
report/lm: /. /hfa
report/silicon: /. /lm
report/systems: /.
report/validation: /. /amla
report/w4a16: /.
sweep: base host
sweep/.: /page /plot /slurm /sql /store /study /table /work
sweep/page: /study /table report/page
sweep/plot: /study /table
sweep/slurm:
sweep/sql:
sweep/store: /study
sweep/study: /sql
sweep/table: /sql /study
sweep/work: /study
cli: array blame sweep sweep/slurm sweep/store sweep/study report kernel/* soc llm/* engine num/* config host base hal kernels/* ascend silicon/*
cli/.: /blame /bench /convert /diff /explain /list /option /run /sweep /synth
cli/bench: /option
cli/blame: /explain /option /run /text
cli/convert: /option
cli/diff: /option /run
cli/explain: /option /run
cli/list: /option /run
cli/run: /option /text
cli/sweep: /. /option /run
cli/text: /option
cli/synth: /option
hal:
ascend: hal
ascend/include: /include/ascendc
ascend/include/lib: /include
ascend/include/ascendc: /.
ascend/include/pto: /include/ascendc
ascend/include/acl:
ascend/examples: /include /include/pto
lib: hal
boot: hal
kernels: lib hal
test:
test/rmsnorm: /. lib kernels/custom
kernels/attention: /attention/cube /attention/vector
kernels/attention/cube: /attention
kernels/attention/vector: /attention
kernels/flash: /attention /attention/cube /attention/vector
kernels/fp8: /attention /attention/cube /attention/vector
kernels/step: /attention /flash /fp8 /w4a16
kernels/step/attention: /attention /attention/cube /attention/vector /flash /fp8 /step
kernels/step/vector: /step
kernels/step/w4a16: /step /w4a16
rtl/lib:
rtl/fp: /lib
rtl/gm: /fp /lib tb/formal
rtl/hfa: /fp /lib
rtl/expmul: /fp /lib
rtl/arith: /expmul /hfa /fp /lib
rtl/softmax: /arith /fp /lib
rtl/attention: /softmax /fp /lib
rtl/axi: /attention /gm /fp /lib tb/formal/axi
tb: num/* waves rtl/*
tb/attention: engine /.
tb/fp: /.
tb/gm: core /.
tb/hfa: /.
tb/icarus: /fp /hfa
tb/axi: hal
tests: /.
tests/ascend: ascend/include
tests/external/include: ascend/include
tests/checkpoint: llm/checkpoint base host num/* /num
tests/decode: kernel/decode kernel soc hal llm/walk llm/family llm/text llm/checkpoint base host num/* /num /checkpoint
tests/cli: num/*
tests/cli/unit: /. array llm/* base config host num/* report report/* kernel/* cli/*
tests/core: core num/* hal
tests/engine: config num/* llm/* kernel/*
tests/faults:
tests/firmware: core num/* hal lib kernels/*
tests/fp8: kernel/*
tests/fuzz: tb array base llm/* config core hal silicon/* soc/* sweep/study cli/* /soc/races
tests/host: host
tests/kernel: kernel/* num/*
tests/lm: llm/* num/* kernel/* /num
tests/memory: core num/* hal soc/*
tests/num: num/* hal
tests/power: num/* silicon/*
tests/step: config num/* soc hal lib kernels/*
tests/sweep: base host sweep/*
tests/soc: base config core num/* soc soc/cores soc/memory soc/scalar hal kernels/* /firmware /soc/firmware /step
tests/soc/inspect: soc soc/scalar /. /soc
tests/soc/mistakes: base config core num/* soc soc/scalar hal kernels/* /soc /step
tests/soc/races: core num/* soc hal /soc/firmware
tests/soc/time: base config core num/* soc hal /soc/firmware
tests/soc/firmware: hal lib kernels/*
tests/waves: waves
END

# Calls that make a ring, and may: USER USED. Firmware stores by functions that are compiled with the loop they are called
# from most, for the scalar core's time.
cat >"$dir/rings" <<'END'
sw/kernels/attention/vector/attention_merge sw/kernels/attention/vector/attention_vector_plain
sw/kernels/flash/flash_merge sw/kernels/flash/flash_vector
sw/kernels/fp8/fp8_rows sw/kernels/fp8/fp8_vector
END

find model sw tb tests -name '*.[chS]' -o -name '*.cpp' -o -name '*.def' >"$dir/files"
find rtl tb model -name '*.v' -o -name '*.sv' >"$dir/verilog"
xargs grep -EHo '^ *# *include "[^"]+' <"$dir/files" | tr -d ' ' >"$dir/includes"
xargs grep -EHo '^ *(module [a-z_0-9]+|[a-z][a-z_0-9]* (#\(|[a-z][a-z_0-9]* \())' <"$dir/verilog" >"$dir/modules"
(cd "$2" && find model sw -name '*.c.o' -o -name '*.cpp.o' | xargs -r nm -A -g) >"$dir/symbols"

awk -v dir="$dir" '
  function without(file, what) { sub(what, "", file); return file }
  function folder_of(file) {   # "soc/cores", "soc/."
    file = without(without(file, "/[^/]*$"), "^(model|sw)/")
    return file ~ "/" ? file : file "/."
  }
  function room_of(folder) { return without(folder, "/.*") }
  function unit_of(file) { return without(file, "\\.[^/]*$") }   # its name, of source, header and object
  function is_header(file) { return file ~ /\.(h|def)$/ }
  function link(how, user, used) {
    if (user == used) return
    uses_of[user] = uses_of[user] " " used
    if ((user " " used) in cut) found[user " " used]
    else print user, used >(dir "/" how)
  }
  function use(file, used,   from, to, row, inner) {
    from = folder_of(file); to = folder_of(used)
    ++uses
    row = " " table[room_of(from)] " " table[from] " "
    inner = without(to, "^[^/]*")
    if (from != to && !index(row, " " (room_of(from) == room_of(to) ? inner : inner == "/." ? room_of(to) : to) " ") &&
        (room_of(from) == room_of(to) || !index(row, " " room_of(to) "/* "))) {
      print file ": " from " must not use " to " (" used ")"; failed = 1
    }
    if (is_header(file) && is_header(used)) link("header", file, used)
  }
  function leads_to(unit, goal,   next_ones, i, n) {   # by what units use
    if (unit == goal) return 1
    if ((goal, unit) in leads) return leads[goal, unit]
    leads[goal, unit] = 0
    n = split(uses_of[unit], next_ones, " ")
    for (i = 1; i <= n && !leads[goal, unit]; ++i) leads[goal, unit] = leads_to(next_ones[i], goal)
    return leads[goal, unit]
  }
  function resolve(file, name,   folder) {
    folder = without(file, "[^/]*$")
    if ((folder name) in have) return folder name
    if (("model/" name) in have) return "model/" name
    return ("sw/" name) in have ? "sw/" name : by_name[name]
  }
  { kind = without(FILENAME, ".*/") }
  kind == "table" { table[without($1, ":")] = without($0, "[^:]*:") " "; next }
  kind == "rings" { cut[$1 " " $2]; next }
  kind == "files" || kind == "verilog" {
    have[$1]; by_name[without($1, ".*/")] = $1
    if (!is_header($1)) source[unit_of($1)]
    folder = folder_of($1)
    if (!((folder) in table) && !(room_of(folder) in table)) { print $1 ": no row in the table"; failed = 1 }
    next
  }
  { file = without($0, ":.*"); text = without($0, "[^:]*: *") }
  kind == "includes" { if ((used = resolve(file, without(text, ".*\""))) != "") use(file, used); next }
  kind == "modules" && text ~ /^module / {   # of stubs for proofs, the original
    text = without(text, "module ")
    if (!(text in module)) module[text] = file
    next
  }
  kind == "modules" { instance[file " " without(text, " .*")] }
  kind == "symbols" {   # FILE.o:ADDRESS TYPE NAME, or FILE.o: U NAME
    file = without($1, ":.*"); library = ""
    if (match(file, "CMakeFiles/[^/]*/")) {
      if (file ~ /^sw/) library = substr(file, RSTART, RLENGTH)   # a program of its own
      file = substr(file, 1, RSTART - 1) substr(file, RSTART + RLENGTH)
    }
    unit = unit_of(file)
    if (!(unit in source)) next
    if ($2 == "U") calls[unit " " library $3]
    else if ($2 !~ /[VW]/) defines[library $3] = unit
  }
  END {
    for (pair in calls) {
      split(pair, word)
      if (word[2] in defines) { link("call", word[1], defines[word[2]]); ++count }
    }
    for (pair in instance) { split(pair, word); if (word[2] in module) use(word[1], module[word[2]]) }
    for (pair in cut) {
      split(pair, word)
      if (!(pair in found) || !leads_to(word[2], word[1])) { print pair ": listed as a ring, and there is none"; failed = 1 }
    }
    print uses " uses, " count " calls"
    if (uses < 1000 || count < 1000) { print "too few to be all: is it built?"; failed = 1 }
    exit failed
  }
' "$dir/table" "$dir/rings" "$dir/files" "$dir/verilog" "$dir/includes" "$dir/modules" \
  "$dir/symbols" || failed=1

# Each uses only what is below it.
awk -F '[: ]+' '$1 !~ "/" { for (i = 2; i <= NF; ++i) { sub("/.*", "", $i); if ($i != "") print $1, $i } }' "$dir/table" \
  >"$dir/order"
for list in order header call; do
  if ! sort -u "$dir/$list" | tsort 2>"$dir/loops" >/dev/null; then
    failed=1
    sed 's/.*a loop:/these use each other ('$list'):/; s/^tsort: /  /' "$dir/loops"
  fi
done
exit ${failed:-0}
