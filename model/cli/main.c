// amalgam-sim: the simulator's command line.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cli/attention/run_attention.h"
#include "cli/bench/bench.h"
#include "cli/cli_error.h"
#include "cli/engine/run_engine.h"
#include "cli/half/run_half.h"
#include "cli/lm/run_lm.h"
#include "cli/option/suggest.h"
#include "cli/reference.h"
#include "cli/report/report.h"
#include "cli/synth/synth.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const commands[] = {"run", "report", "commands", "test", "setup", "build",
                                       "bench", "synth", "help"};

static const run_kernel_t *const kernels[] = {&run_amla, &run_base, &run_hfa, &run_fa2, &run_lm,
                                              &run_w4a16, &run_gemm};

static bool is(const char *word, const char *name) { return strcmp(word, name) == 0; }

static bool asks_help(const char *word) {
  return is(word, "--help") || is(word, "-h") || is(word, "help");
}

static int help(void) {
  printf(
      "amalgam " AMALGAM_VERSION ": RTL-in-the-loop simulator of a decoupled attention NPU\n\n"
      "  amalgam run KERNEL [options]     one simulation; KERNEL is amla or base (the SoC), hfa or\n"
      "                                   fa2 (an attention engine), lm (a language model), w4a16\n"
      "                                   or gemm (matrix products)\n"
      "  amalgam report [WHAT...]         tables and figures of the papers, ours beside theirs;\n"
      "                                   without WHAT, a list of them\n"
      "  amalgam bench [options]          speed of the simulator's parts on this host, as ratios\n"
      "  amalgam synth [options]          area and timing of the RTL in a standard-cell library\n"
      "  amalgam commands                 reference of commands, registers, parameters (Markdown)\n"
      "  amalgam test [-L LABEL]          the tests (arguments go to ctest)\n"
      "  amalgam setup | build            installs what is missing | builds what is stale\n\n"
      "`amalgam run KERNEL` works without options. `amalgam run KERNEL --help` and `amalgam report "
      "--help`\nlist all options.\n");
  return CLI_OK;
}

static int no_such_kernel(const char *word) {
  cli_error_t error;
  char hint[64];
  const char *names[COUNT(kernels)];
  for (size_t i = 0; i < COUNT(kernels); ++i) {
    names[i] = kernels[i]->name;
  }
  cli_fail(&error, "run %s: no such kernel; there are amla, base, hfa, fa2, lm, w4a16 and gemm%s", word,
           suggest_text(word, names, COUNT(kernels), "", hint, sizeof hint));
  return cli_report(CLI_BAD_INPUT, &error);
}

static int run_help(void) {
  char *arguments[] = {(char *)"amla", (char *)"--help", NULL};
  const int code = run_main(&run_amla, 2, arguments);
  printf("\nThe attention engines', the language model's and the matrix products' options are "
         "others:\n`amalgam run hfa --help`, `amalgam run fa2 --help`, `amalgam run lm --help`, "
         "`amalgam run w4a16 --help`,\n`amalgam run gemm --help`.\n");
  return code;
}

static int run(int argc, char **argv) {
  cli_error_t error;
  if (argc < 2) {
    cli_fail(&error, "run: name a kernel: amla, base, hfa, fa2, lm, w4a16 or gemm");
    return cli_report(CLI_BAD_INPUT, &error);
  }
  if (asks_help(argv[1])) {
    return run_help();
  }
  for (size_t i = 0; i < COUNT(kernels); ++i) {
    if (is(argv[1], kernels[i]->name)) {
      return run_main(kernels[i], argc - 1, argv + 1);
    }
  }
  return no_such_kernel(argv[1]);
}

static int unknown(const char *word) {
  cli_error_t error;
  char hint[64];
  cli_fail(&error, "%s: no such command%s; see amalgam --help", word,
           suggest_text(word, commands, COUNT(commands), "", hint, sizeof hint));
  return cli_report(CLI_BAD_INPUT, &error);
}

int main(int argc, char **argv) {
  if (argc < 2 || asks_help(argv[1])) {
    return help();
  }
  if (is(argv[1], "--version")) {
    printf("amalgam " AMALGAM_VERSION "\n");
    return CLI_OK;
  }
  if (is(argv[1], "run")) {
    return run(argc - 1, argv + 1);
  }
  if (is(argv[1], "report")) {
    return report(argc - 1, argv + 1);
  }
  if (is(argv[1], "bench")) {
    return bench(argc - 1, argv + 1);
  }
  if (is(argv[1], "synth")) {
    return synth(argc - 1, argv + 1);
  }
  return is(argv[1], "commands") ? reference() : unknown(argv[1]);
}
