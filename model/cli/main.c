// amalgam-sim: the simulator's command line.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "base/suggest.h"
#include "cli/bench/bench.h"
#include "cli/blame/blame.h"
#include "cli/convert/convert.h"
#include "cli/diff/diff.h"
#include "cli/explain/explain.h"
#include "cli/list/list.h"
#include "cli/option/manual.h"
#include "cli/reference.h"
#include "cli/report.h"
#include "cli/run/dumps.h"
#include "cli/run/run.h"
#include "cli/script.h"
#include "cli/sweep/sweep.h"
#include "cli/synth/synth.h"
#include "host/files.h"
#include "host/interrupt.h"
#include "host/limits.h"
#include "host/version.h"
#include "soc/soc.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int run(int argc, char **argv);
static int help(int argc, char **argv);

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);  // argv[0] is the name; gives the exit code
  const char *synopsis, *about;
} commands[] = {
    {"run", run, "run KERNEL [options]", "one simulation"},
    {"explain", explain, "explain RUN.json", "why a run took as long as it did, and what would help"},
    {"blame", blame, "blame RUN.json", "why an element of a run's result is what it is, and which line is wrong"},
    {"diff", diff, "diff A.json B.json", "what differs between two runs: machine, cycles, traffic, waits, errors"},
    {"report", report_command, "report [WHAT...]",
     "tables and figures of the papers, ours beside theirs; without WHAT, a list of them"},
    {"bench", bench, "bench [options]", "speed of the simulator's parts on this host, as ratios"},
    {"sweep", sweep_command, "sweep STUDY.yaml [options]", "a question asked of many runs: table, plots, page"},
    {"synth", synth, "synth [options]", "area and timing of the RTL in a standard-cell library"},
    {"convert", convert, "convert IN OUT [options]",
     "converts arrays: BF16 keys and FP8 tokens, INT4 words and values"},
    {"list", list, "list [WHAT]", "kernels, machines, systems, reports and studies that there are"},
    {"commands", reference, "commands", "reference of commands, registers, parameters (Markdown)"},
    {"firmware", script_firmware, "firmware FILE.c...", "builds a kernel of your own, for run custom"},
    {"ascend", script_ascend, "ascend KERNEL.cpp", "compiles an Ascend C kernel as it is, for run ascend"},
    {"test", script_test, "test [-L LABEL]", "the tests (arguments go to ctest)"},
    {"fuzz", script_fuzz, "fuzz [--seconds N] [FORMAT...]",
     "gives the readers of files anything, and keeps what they fail on"},
    {"coverage", script_coverage, "coverage", "what the tests reach of RTL, C and C++"},
    {"mutants", script_mutants, "mutants [--count N] [PATH...]", "breaks the sources, and sees whether tests notice"},
    {"setup", script_setup, "setup [GROUP...]", "installs what is missing"},
    {"build", script_build, "build", "builds what is out of date"},
    {"help", help, "help [COMMAND [KERNEL]]", "this page, or a command's"},
};

static bool is(const char *word, const char *name) { return strcmp(word, name) == 0; }

static bool asks_help(const char *word) { return is(word, "--help") || is(word, "-h") || is(word, "help"); }

// --- help -------------------------------------------------------------------------------------

static void print_commands(void) {
  manual_row_t rows[COUNT(commands) + 1] = {{NULL, NULL}};
  for (size_t i = 0; i < COUNT(commands); ++i) {
    rows[i] = (manual_row_t){commands[i].synopsis, commands[i].about};
  }
  manual_rows(stdout, "COMMANDS", rows);
}

// The line of a kernel is what its page has for its NAME.
static void print_kernels(void) {
  manual_heading(stdout, "KERNELS");
  for (size_t i = 0; i < RUN_KERNELS; ++i) {
    const char *about = run_kernels[i].front->about;
    manual_row(stdout, run_kernels[i].name, about, manual_name_length(about));
  }
}

static int overview(void) {
  static const manual_row_t examples[] = {
      {"amalgam run amla", "a first simulation, on real data"},
      {"amalgam help run amla", "everything about it"},
      {"amalgam report table5 fig1 --html", "two results of the AMLA paper, as a page"},
      {NULL, NULL}};
  static const manual_row_t options[] = {{"--help", "this page; also -h, and after a command"},
                                         {"--version", "the version, and the commit that it was built from; also -V"},
                                         {"--list-configs", "machines, as `amalgam list configs`"},
                                         {NULL, NULL}};
  static const manual_row_t exits[] = {
      {"0", "done"},
      {"1", "a result is out of tolerance"},
      {"2", "bad usage or input; one line says what was expected, and no file is written"},
      {"3", "the model stopped the firmware; one line says where"},
      {"130", "interrupted (Ctrl-C); 143 by SIGTERM, 129 by SIGHUP, and quietly 141 when nobody reads what it prints"},
      {NULL, NULL}};
  static const manual_row_t environment[] = {
      {"AMALGAM_BUILD", "the folder to build in, instead of build/ in the checkout"},
      {"XDG_CACHE_HOME",
       "where amalgam/ is made for built things if the checkout cannot be written to "
       "(default ~/.cache)"},
      {"AMALGAM_HOME", "the source tree whose machines and data are used"},
      {"AMALGAM_SYNTH", "the folder for what synthesis makes, instead of build/synth"},
      {NULL, NULL}};
  static const manual_row_t files[] = {
      {"README.md", "what this is, and where to read on"}, {"model/config/*.yaml", "machines"}, {NULL, NULL}};
  printf(
      "NAME\n  amalgam %.*s - RTL-in-the-loop simulator of a decoupled attention NPU\n\n"
      "SYNOPSIS\n  amalgam COMMAND ...\n",
      (int)strcspn(version_text(), " "), version_text());
  print_commands();
  print_kernels();
  manual_rows(stdout, "OPTIONS", options);
  manual_rows(stdout, "EXAMPLES", examples);
  manual_rows(stdout, "EXIT STATUS", exits);
  manual_rows(stdout, "ENVIRONMENT", environment);
  manual_rows(stdout, "FILES", files);
  return BASE_OK;
}

static int run_help(void) {
  printf("NAME\n  amalgam run - one simulation\n\nSYNOPSIS\n  amalgam run KERNEL [options]\n");
  manual_heading(stdout, "DESCRIPTION");
  manual_text(stdout,
              "`amalgam run KERNEL` works without options. Each kernel has its own page "
              "of help with its options, such as `amalgam run amla --help`.");
  print_kernels();
  return BASE_OK;
}

// --- the commands -----------------------------------------------------------------------------

static int no_such_kernel(const char *word) {
  base_error_t error;
  char hint[64];
  char list[128] = "";
  const char *names[RUN_KERNELS];
  for (size_t i = 0; i < RUN_KERNELS; ++i) {
    const size_t used = strlen(list);
    names[i] = run_kernels[i].name;
    snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : i + 1 < RUN_KERNELS ? ", " : " and ", names[i]);
  }
  if (word == NULL) {
    base_fail(&error, "run: name a kernel: %s", list);
  } else {
    base_fail(&error, "run %s: no such kernel; there are %s%s", word, list,
              suggest_text(word, names, RUN_KERNELS, "", hint, sizeof hint));
  }
  return base_report(BASE_BAD_INPUT, &error);
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    return no_such_kernel(NULL);
  }
  if (asks_help(argv[1])) {
    return run_help();
  }
  const run_kernel_t *kernel = run_kernel_find(argv[1]);
  return kernel != NULL ? run_main(kernel, argc - 1, argv + 1) : no_such_kernel(argv[1]);
}

static int unknown(const char *word) {
  base_error_t error;
  char hint[64];
  const char *names[COUNT(commands)];
  for (size_t i = 0; i < COUNT(commands); ++i) {
    names[i] = commands[i].name;
  }
  base_fail(&error, "%s: no such command%s; see amalgam --help", word,
            suggest_text(word, names, COUNT(commands), "", hint, sizeof hint));
  return base_report(BASE_BAD_INPUT, &error);
}

static int dispatch(int argc, char **argv) {
  for (size_t i = 0; i < COUNT(commands); ++i) {
    if (is(argv[0], commands[i].name)) {
      return commands[i].run(argc, argv);
    }
  }
  return unknown(argv[0]);
}

// `help run amla` is `run amla --help`.
static int help(int argc, char **argv) {
  enum { WORDS = 3 };
  char *word[WORDS + 1] = {NULL};
  if (argc < 2 || asks_help(argv[1])) {
    return overview();
  }
  const int words = argc - 1 < WORDS - 1 ? argc - 1 : WORDS - 1;
  memcpy(word, argv + 1, (size_t)words * sizeof *word);
  word[words] = (char *)"--help";
  return dispatch(words + 1, word);
}

static int version(void) {
  printf("amalgam %s\n", version_text());
  return BASE_OK;
}

static int list_configs(void) {
  char *word[] = {(char *)"list", (char *)"configs", NULL};
  return list(2, word);
}

static int start(int argc, char **argv) {
  if (argc < 2) {
    return overview();
  }
  if (is(argv[1], "--version") || is(argv[1], "-V")) {
    return version();
  }
  if (is(argv[1], "--list-configs")) {
    return list_configs();
  }
  return asks_help(argv[1]) ? help(argc - 1, argv + 1) : dispatch(argc - 1, argv + 1);
}

static void remove_begun(void) {
  outputs_remove_begun();
  dump_all_remove_begun();
}

int main(int argc, char **argv) {
  base_error_t error;
  uint64_t kib;
  if (!host_take_stacks(&kib)) {
    base_fail(&error, "stack: limited to %llu KiB; expected at least %d (ulimit -s)", (unsigned long long)kib,
              HOST_LEAST_STACK_KIB);
    return base_report(BASE_BAD_INPUT, &error);
  }
  host_keep_streams();
  host_interrupt_ends(remove_begun);
  json_needs_memory();
  soc_needs_memory();
  const int code = start(argc, argv);
  if (code == BASE_INTERRUPTED) {
    return host_interrupt_code();
  }
  return code != BASE_OK || output_printed(&error) ? code : base_report(BASE_BAD_INPUT, &error);
}
