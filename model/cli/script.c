// SPDX-License-Identifier: Apache-2.0
#include "cli/script.h"

#include <string.h>

#include "base/error.h"
#include "cli/option/manual.h"

static int page_of(const manual_t *manual, int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      manual_print(stdout, manual);
      return BASE_OK;
    }
  }
  base_error_t error;
  base_fail(&error,
            "%s: expected the script ./amalgam in the root of the checkout, which does that",
            manual->name);
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
  return page_of(&manual, argc, argv);
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
  static const manual_row_t files[] = {{"build/setup.stamp", "what was there the last time"},
                                       {"build/setup.log", "what apt-get said"},
                                       {NULL, NULL}};
  const manual_t manual = {
      .name = "setup",
      .synopsis = "",
      .about = "installs what is missing. On Debian 12, with apt-get, and sudo where you are not "
               "root. Every other command does this first.",
      .files = files};
  return page_of(&manual, argc, argv);
}

int script_build(int argc, char **argv) {
  static const manual_row_t files[] = {{"build/build.log", "what the compilers said"},
                                       {"build/amalgam-sim", "the simulator"},
                                       {"build/firmware", "the kernels, .elf and .so"},
                                       {NULL, NULL}};
  const manual_t manual = {
      .name = "build",
      .synopsis = "",
      .about = "builds what is stale. Every command that needs the simulator does this first.",
      .files = files};
  return page_of(&manual, argc, argv);
}
