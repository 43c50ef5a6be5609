// SPDX-License-Identifier: Apache-2.0
#include "cli/script.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/option/manual.h"
#include "host/places.h"

enum { SCRIPT_BYTES = 4096 };

static bool asks_page(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      return true;
    }
  }
  return false;
}

static int page_of(const manual_t *manual, int argc, char **argv) {
  if (asks_page(argc, argv)) {
    manual_print(stdout, manual);
    return BASE_OK;
  }
  base_error_t error;
  base_fail(&error, "%s: expected the script ./amalgam in the root of a checkout; only that can do it", manual->name);
  return base_report(BASE_BAD_INPUT, &error);
}

// Returns only if there is no such script.
static int run_script(const char *name, char **argv) {
  char script[SCRIPT_BYTES];
  base_error_t error;
  snprintf(script, sizeof script, "%s/%s.sh", places_built(), name);
  argv[0] = script;
  execv(script, argv);
  base_fail(&error, "%s: cannot start %s", name, script);
  return base_report(BASE_BAD_INPUT, &error);
}

int script_firmware(int argc, char **argv) {
  static const manual_row_t examples[] = {
      {"firmware softmax.c", "softmax.elf and softmax.so"},
      {"firmware -o out/k main.c more.c", "out/k.elf and out/k.so"},
      {"firmware --debug softmax.c", "the same for a debugger: every variable and line is there, more cycles"},
      {NULL, NULL}};
  static const manual_row_t files[] = {{"sw/hal/hal.h", "what a kernel includes"},
                                       {"sw/README.md", "write your own kernel, step by step"},
                                       {NULL, NULL}};
  const manual_t manual = {
      .name = "firmware",
      .synopsis = "[-o NAME] [--debug] FILE.c...",
      .about =
          "builds a kernel of your own, for run custom. The C sources become NAME.elf for the "
          "scalar cores (RV64) and NAME.so for the host. They are compiled like the project's "
          "own kernels, and warnings are errors. Without -o, NAME is that of the first file, in "
          "the current folder. If one of the two fails, neither is written. With --debug both are compiled "
          "with -Og: gdb then finds every variable, and the kernel's scalar part takes more cycles.",
      .notes = MANUAL_EXITS,
      .examples = examples,
      .files = files};
  return asks_page(argc, argv) ? page_of(&manual, argc, argv) : run_script("firmware", argv);
}

int script_ascend(int argc, char **argv) {
  static const manual_row_t examples[] = {
      {"ascend softmax.cpp", "softmax.elf, for run ascend"},
      {"ascend -I include -D TILE=64 -o out/k.so k.cpp", "for the host, with a folder of headers and a macro"},
      {"ascend --coverage kernels", "which calls of a folder's sources there are"},
      {NULL, NULL}};
  static const manual_row_t files[] = {{"docs/ascend.md", "from a kernel to a first run, and what is there"},
                                       {"sw/ascend/include/kernel_operator.h", "what a kernel includes"},
                                       {NULL, NULL}};
  const manual_t manual = {
      .name = "ascend",
      .synopsis = "[-o NAME.elf] [-I DIR] [-D X] KERNEL.cpp | --coverage DIR | --calls",
      .about =
          "compiles an Ascend C kernel as it is, with Amalgam's own headers, for run ascend: NAME.elf for the scalar "
          "cores (RV64), or NAME.so for the host. Errors are the compiler's; names that the headers lack are listed "
          "behind them. --auto-sync off leaves scalar accesses and pipes unordered where the source does, --debug "
          "compiles for a debugger. With --coverage it compiles nothing, and counts the calls of all sources in a "
          "folder, and "
          "those of them that there are. With --calls it lists all that there are.",
      .notes = MANUAL_EXITS,
      .examples = examples,
      .files = files};
  return asks_page(argc, argv) ? page_of(&manual, argc, argv) : run_script("ascend", argv);
}

int script_test(int argc, char **argv) {
  static const manual_row_t examples[] = {
      {"test", "everything but the tests labelled slow"},
      {"test -L unit",
       "one label: unit, lint, formal, attention, cli, engine, faults, flash, fp8, fuzz, kernel, lm, soc, step, sweep, "
       "synth, slow"},
      {"test -R cli/html", "tests by name"},
      {"test --sanitize -L unit", "built with AddressSanitizer and UndefinedBehaviorSanitizer"},
      {"test --sanitize thread", "built with ThreadSanitizer"},
      {NULL, NULL}};
  static const manual_row_t files[] = {{"tests/README.md", "what each level of tests asks"}, {NULL, NULL}};
  const manual_t manual = {.name = "test",
                           .synopsis = "[--sanitize [thread]] [ctest's options]",
                           .about = "builds what is out of date and runs the tests.",
                           .notes = "exit codes: 0 all passed, 2 the build failed, 8 tests failed",
                           .examples = examples,
                           .files = files};
  return page_of(&manual, argc, argv);
}

int script_fuzz(int argc, char **argv) {
  static const manual_row_t examples[] = {{"fuzz", "all formats, a minute each"},
                                          {"fuzz --seconds 600 elf dwarf", "ten minutes each of two"},
                                          {NULL, NULL}};
  static const manual_row_t files[] = {
      {"tests/fuzz/corpus", "where it begins: `amalgam test` gives these to the same readers"},
      {"build-fuzz/inputs/FORMAT", "what it has come to, for the next time"},
      {"build-fuzz/findings/FORMAT", "inputs that failed; each belongs into the corpus, once mended"},
      {NULL, NULL}};
  const manual_t manual = {
      .name = "fuzz",
      .synopsis = "[--seconds N] [FORMAT...]",
      .about =
          "gives the readers of files, packets and commands inputs that nobody would write (libFuzzer, with "
          "AddressSanitizer and UndefinedBehaviorSanitizer), one format after the other, N seconds each. The "
          "formats are command, config, dwarf, elf, gdb, json, liberty, lm, npy, npz, races, safetensors, study and "
          "vectors. "
          "This is "
          "built by clang, in build-fuzz.",
      .notes = "exit codes: 0 nothing failed, 1 there are findings, 2 bad usage, or the build failed",
      .examples = examples,
      .files = files};
  return page_of(&manual, argc, argv);
}

int script_coverage(int argc, char **argv) {
  static const manual_row_t examples[] = {{"coverage", "of all fast tests, but those of scripts and netlists"},
                                          {"coverage -L unit", "of one label's tests"},
                                          {NULL, NULL}};
  static const manual_row_t files[] = {
      {"tests/coverage/toggles.txt", "what no test toggles, and why"},
      {"build-coverage/coverage/rtl.txt", "RTL: what was not reached"},
      {"build-coverage/coverage/c.html", "C and C++: every line, and how often it was reached"},
      {NULL, NULL}};
  const manual_t manual = {
      .name = "coverage",
      .synopsis = "[ctest's options]",
      .about =
          "counts what the fast tests reach: lines, branches and toggles of the RTL (Verilator), lines of C and C++ "
          "by folder (gcov). Everything is built once more for this, in build-coverage.",
      .notes =
          "exit codes: 0 all of the RTL was reached or is explained and 92 of a hundred lines of C and C++ were "
          "reached, "
          "1 less was reached or a test failed, 2 the build failed",
      .examples = examples,
      .files = files};
  return page_of(&manual, argc, argv);
}

int script_mutants(int argc, char **argv) {
  static const manual_row_t examples[] = {
      {"mutants --count 300 rtl", "300 mutants of the RTL"},
      {"mutants --count 20 --seed 3 model/soc/memory", "20 of one folder, others than the first time"},
      {NULL, NULL}};
  static const manual_row_t files[] = {{"tests/mutants/checks.txt", "which tests are asked, by file"},
                                       {"tests/mutants/explained.txt", "mutants that may survive, and why"},
                                       {"build-mutants/results", "a line for each mutant"},
                                       {NULL, NULL}};
  const manual_t manual = {
      .name = "mutants",
      .synopsis = "[--count N] [--seed N] [--resume] [PATH...]",
      .about =
          "draws N (100) single-line mutants of the files in PATHs: an operator, a constant, a condition or a "
          "statement is "
          "changed. It builds each and asks the fast tests that cover the file whether they notice. Without a PATH, it "
          "takes rtl, model/core, model/soc, sw/kernels and sw/lib. Mutants that survive are listed; of RTL, "
          "those that Yosys proves to be the same are set apart. This happens in two copies of the tree, in "
          "build-mutants. With --resume it goes on where a run was interrupted, and asks tests again about survivors.",
      .notes = "exit codes: 0 at least 95 of a hundred were killed, 1 fewer, 2 bad usage, or the build failed",
      .examples = examples,
      .files = files};
  return page_of(&manual, argc, argv);
}

int script_setup(int argc, char **argv) {
  static const manual_row_t examples[] = {{"setup", "what a simulation needs"},
                                          {"setup test", "what everything needs"},
                                          {"setup report synth", "what all reports need"},
                                          {NULL, NULL}};
  static const manual_row_t files[] = {{"build/setup.log", "what apt-get said"}, {NULL, NULL}};
  const manual_t manual = {
      .name = "setup",
      .synopsis = "[GROUP...]",
      .about =
          "installs missing packages. A GROUP names what a command needs: run, the default, "
          "which all commands need; report, synth and bench; gdb, for --gdb; test, for all of these; fuzz; and "
          "coverage. "
          "This is for Debian; it uses apt-get, with sudo if you are not root. Every other command "
          "first installs what it needs itself, and says what and how large before it begins.",
      .examples = examples,
      .files = files};
  return page_of(&manual, argc, argv);
}

int script_build(int argc, char **argv) {
  static const manual_row_t files[] = {{"build/build.log", "what the compilers said, if there is no terminal"},
                                       {"build/amalgam-sim", "the simulator"},
                                       {"build/firmware", "the kernels, .elf and .so"},
                                       {NULL, NULL}};
  const manual_t manual = {
      .name = "build",
      .synopsis = "",
      .about =
          "builds what is out of date. That is the simulator and its kernels, and the tests if "
          "`amalgam test` has been run before. Every other command first builds what it needs itself. If "
          "two commands have to build, one waits for the other. Built things are in build/, or in the "
          "folder that AMALGAM_BUILD names; if the checkout cannot be written to, in ~/.cache/amalgam.",
      .files = files};
  return page_of(&manual, argc, argv);
}
