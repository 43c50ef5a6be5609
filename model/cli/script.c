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
  base_fail(&error,
            "%s: expected the script ./amalgam in the root of the checkout, which does that",
            manual->name);
  return base_report(BASE_BAD_INPUT, &error);
}

// Returns only if there is no such script.
static int run_firmware(char **argv) {
  char script[SCRIPT_BYTES];
  base_error_t error;
  snprintf(script, sizeof script, "%s/firmware.sh", places_built());
  argv[0] = script;
  execv(script, argv);
  base_fail(&error, "firmware: cannot start %s", script);
  return base_report(BASE_BAD_INPUT, &error);
}

int script_firmware(int argc, char **argv) {
  static const manual_row_t examples[] = {
      {"firmware softmax.c", "softmax.elf and softmax.so"},
      {"firmware -o out/k main.c more.c", "out/k.elf and out/k.so"},
      {NULL, NULL}};
  static const manual_row_t files[] = {
      {"sw/hal/hal.h", "what a kernel includes"},
      {"sw/README.md", "write your own kernel, step by step"},
      {NULL, NULL}};
  const manual_t manual = {
      .name = "firmware",
      .synopsis = "[-o NAME] FILE.c...",
      .about = "builds a kernel of your own, for run custom. The C sources become NAME.elf for the "
               "scalar cores (RV64) and NAME.so for the host, with the flags of the project's own "
               "kernels; warnings are errors. NAME is the first file's, here. Neither is written "
               "if one fails.",
      .notes = MANUAL_EXITS,
      .examples = examples,
      .files = files};
  return asks_page(argc, argv) ? page_of(&manual, argc, argv) : run_firmware(argv);
}

int script_test(int argc, char **argv) {
  static const manual_row_t examples[] = {
      {"test", "everything but the tests labelled slow"},
      {"test -L unit",
       "one label: unit, lint, formal, attention, synth, cli, engine, lm, soc, slow"},
      {"test -R cli/html", "tests by name"},
      {"test --sanitize -L unit", "built with AddressSanitizer and UndefinedBehaviorSanitizer"},
      {NULL, NULL}};
  static const manual_row_t files[] = {{"tests/README.md", "what each level of tests asks"},
                                       {NULL, NULL}};
  const manual_t manual = {.name = "test",
                           .synopsis = "[--sanitize] [ctest's options]",
                           .about = "builds what is stale and runs the tests.",
                           .notes = "exit codes: 0 all passed, 2 the build failed, 8 tests failed",
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
      .about = "installs what is missing. A GROUP is what a command needs: run (which all of them "
               "need, and the default), report, synth, bench, gdb for --gdb, and test, which is all of "
               "these. On Debian, with apt-get, and sudo where you are not root. Each command does "
               "this first, for itself, and says what it installs and how large it is.",
      .examples = examples,
      .files = files};
  return page_of(&manual, argc, argv);
}

int script_build(int argc, char **argv) {
  static const manual_row_t files[] = {{"build/build.log", "what the compilers said, where there is no terminal"},
                                       {"build/amalgam-sim", "the simulator"},
                                       {"build/firmware", "the kernels, .elf and .so"},
                                       {NULL, NULL}};
  const manual_t manual = {
      .name = "build",
      .synopsis = "",
      .about = "builds what is stale: the simulator and its kernels, and the tests once `amalgam test` "
               "has been there. Every command does this first, for what it needs itself; of two at once, one "
               "waits for the other. AMALGAM_BUILD names another folder than build/; where the checkout or "
               "its build/ cannot be written it is one in ~/.cache/amalgam.",
      .files = files};
  return page_of(&manual, argc, argv);
}
