// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench.h"

#include <stdio.h>

#include "base/json.h"
#include "base/output.h"
#include "cli/bench/bench_section.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "host/interrupt.h"

static bench_section_fn *const sections[] = {bench_matmul, bench_functions, bench_engine, bench_simulator};

// Seconds for one runner of a race: sizes of --size.
static const double budgets[] = {0.25, 0.005};

static void help(void) {
  static const manual_row_t examples[] = {
      {"bench", "all of it, a minute"}, {"bench --size quick --json b.json", "only to try it"}, {NULL, NULL}};
  const manual_t manual = {
      .name = "bench",
      .synopsis = "[options]",
      .about =
          "how fast the simulator's own parts are on this host, as ratios. All are measured in one "
          "run: matrix products against OpenBLAS, exponentials and random numbers against libm "
          "(runners take turns and each one's best turn counts), attention engines as RTL and as C "
          "models, and simulations: of the whole chip with its arithmetic and of its timing only, of memory "
          "units in Verilog and in C, and of one AI core.",
      .command = CLI_BENCH,
      .examples = examples};
  manual_print(stdout, &manual);
}

static bool run_sections(const bench_t *bench, base_error_t *error) {
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i) {
    if (!sections[i](bench, error) || host_interrupted()) {
      return false;
    }
  }
  return true;
}

static bool write_json(const bench_t *bench, outputs_t *outputs, size_t index, base_error_t *error) {
  FILE *file = outputs_open(outputs, index, error);
  json_add_amalgam(bench->root);
  return file != NULL && json_print(file, bench->root, error) && outputs_commit(outputs, error);
}

static bool measure(const options_t *options, outputs_t *outputs, base_error_t *error) {
  size_t json = 0;
  if (options->words > 0) {
    return base_fail(error, "bench: unexpected argument '%s'", options->word[0]);
  }
  if (options->json != NULL && !outputs_add(outputs, options->json, &json, error)) {
    return false;
  }
  bench_t bench = {.quiet = options->quiet,
                   .quick = options->size.value != 0,
                   .budget = budgets[options->size.value],
                   .root = cJSON_CreateObject()};
  const bool good = (bench.root != NULL || base_fail(error, "out of memory")) && run_sections(&bench, error) &&
                    (options->json == NULL || write_json(&bench, outputs, json, error));
  cJSON_Delete(bench.root);
  return good;
}

int bench(int argc, char **argv) {
  options_t options;
  outputs_t outputs = {.count = 0};
  base_error_t error;
  int code = BASE_OK;
  if (!options_parse(&options, CLI_BENCH, argc, argv, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  } else if (options.help) {
    help();
  } else if (!measure(&options, &outputs, &error)) {
    if (host_interrupted()) {
      base_fail(&error, "interrupted");
    }
    code = base_report(host_interrupted() ? BASE_INTERRUPTED : BASE_BAD_INPUT, &error);
  }
  outputs_discard(&outputs);
  return code;
}
