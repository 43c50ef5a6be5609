// SPDX-License-Identifier: Apache-2.0
#include "cli/attention/run_attention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attention/attention_golden.h"
#include "cli/attention/attention_input.h"
#include "cli/attention/attention_result.h"
#include "cli/attention/attention_simulate.h"
#include "cli/file/npy.h"
#include "cli/file/output.h"
#include "cli/run/progress.h"

// Everything of one run; indices of outputs are valid where the option was given.
typedef struct run {
  options_t options;
  settings_t settings;
  attention_problem_t problem;
  result_t result;
  outputs_t outputs;
  size_t out, json, timeline, trace;
  progress_t progress;
  cli_error_t error;
} run_t;

static void print_help(const char *kernel) {
  printf("amalgam run %s [options]: attention, %s\n", kernel,
         strcmp(kernel, "amla") == 0
             ? "output rescaled in memory by integer adds (AMLA, Algorithm 2)"
             : "output rescaled by the vector cores (Base, Algorithm 1)");
  printf("Without inputs it runs on the shipped real data.\n");
  options_help(stdout, strcmp(kernel, "amla") == 0 ? CLI_RUN_AMLA : CLI_RUN_BASE);
  printf(
      "\nexit codes: 0 done, 1 result out of tolerance, 2 bad usage or input, 3 the model stopped "
      "the\nfirmware, 130 interrupted\n");
}

static bool add_output(run_t *run, const char *path, size_t *index) {
  return path == NULL || outputs_add(&run->outputs, path, index, &run->error);
}

// Options that ask for values, or for data to compute them from.
static bool check_timing_only(const options_t *options, cli_error_t *error) {
  const struct {
    const char *name;
    bool given;
  } refused[] = {
      {"q", options->q != NULL},         {"kv", options->kv != NULL},
      {"k", options->k != NULL},         {"v", options->v != NULL},
      {"dist", options->dist != NULL},   {"seed", options->seed.given},
      {"out", options->out != NULL},     {"verify", options->verify},
      {"trace", options->trace != NULL}, {"tolerance", options->tolerance.given},
      {"skip-noop", options->skip_noop},
      {"golden", options->golden.value == GOLDEN_FULL || options->golden.value == GOLDEN_SAMPLE},
  };
  for (size_t i = 0; options->timing_only && i < sizeof refused / sizeof *refused; ++i) {
    if (refused[i].given) {
      return cli_fail(error, "--%s: needs values, which --timing-only does not compute",
                      refused[i].name);
    }
  }
  return true;
}

static bool prepare(run_t *run, const char *kernel) {
  const options_t *options = &run->options;
  if (options->words > 0) {
    return cli_fail(&run->error, "run %s: unexpected argument '%s'", kernel, options->word[0]);
  }
  if (!check_timing_only(options, &run->error) ||
      !settings_read(&run->settings, kernel, options, &run->error) ||
      !add_output(run, options->out, &run->out) || !add_output(run, options->json, &run->json) ||
      !add_output(run, options->timeline, &run->timeline) ||
      !add_output(run, options->trace, &run->trace) ||
      !attention_input(options, &run->problem, &run->error)) {
    return false;
  }
  run->problem.skip_noop = run->settings.skip_noop;
  run->problem.splits = attention_splits(&run->problem, &run->settings);
  if (options->trace != NULL && run->settings.soc.gm != SOC_GM_RTL) {
    return cli_fail(&run->error, "--trace: needs --gm rtl; the C model has no waveforms");
  }
  if (options->trace != NULL) {
    run->settings.soc.trace = outputs_path(&run->outputs, run->trace);
  }
  if (options->timeline != NULL) {
    run->settings.soc.timeline = outputs_path(&run->outputs, run->timeline);
  }
  if (options->timing_only) {
    return true;
  }
  run->result.out = calloc(attention_out_count(&run->problem), run->settings.out_f32 ? 4 : 2);
  return run->result.out != NULL || cli_fail(&run->error, "out of memory");
}

// --- the output array -------------------------------------------------------------------------

static npy_array_t out_array(const run_t *run) {
  const attention_problem_t *problem = &run->problem;
  npy_array_t array = {.type = run->settings.out_f32 ? NPY_F4 : NPY_U2, .data = run->result.out};
  if (problem->batch > 1) {
    array.shape[array.dims++] = problem->batch;
  }
  if (problem->token_axis) {
    array.shape[array.dims++] = problem->seq_q;
    array.shape[array.dims++] = problem->heads;
  } else {
    array.shape[array.dims++] = problem->rows;
  }
  array.shape[array.dims++] = problem->dv;
  return array;
}

static bool write_array(run_t *run) {
  FILE *file = outputs_open(&run->outputs, run->out, &run->error);
  if (file == NULL) {
    return false;
  }
  const npy_array_t array = out_array(run);
  npy_write(file, &array);
  return true;
}

static bool write_json(run_t *run) {
  FILE *file = outputs_open(&run->outputs, run->json, &run->error);
  return file != NULL && result_json(file, &run->result, &run->error);
}

// The files that the simulation itself has written.
static void take_written(run_t *run) {
  const struct {
    const char *option;
    size_t index;
  } files[] = {{run->options.timeline, run->timeline}, {run->options.trace, run->trace}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    if (files[i].option != NULL && access(outputs_path(&run->outputs, files[i].index), F_OK) == 0) {
      outputs_written(&run->outputs, files[i].index);
    }
  }
}

static bool write_all(run_t *run) {
  take_written(run);
  return (run->options.out == NULL || write_array(run)) &&
         (run->options.json == NULL || write_json(run)) &&
         outputs_commit(&run->outputs, &run->error);
}

// --- one run ----------------------------------------------------------------------------------

static int stopped(run_t *run, soc_status_t status) {
  // What was recorded of a stopped run shows why it stopped.
  if (status != SOC_BAD_INPUT) {
    cli_error_t ignored;
    take_written(run);
    outputs_commit(&run->outputs, &ignored);
  }
  cli_fail(&run->error, "%s",
           run->result.soc.error[0] != '\0' ? run->result.soc.error : "interrupted");
  return cli_report((cli_exit_t)status, &run->error);
}

static int finish(run_t *run) {
  progress_note(&run->progress, "comparing ...");
  const bool judged = run->options.timing_only || result_judge(&run->result, &run->error);
  const bool good = judged && write_all(run);
  progress_note(&run->progress, "");
  if (!good) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  if (!run->options.quiet) {
    result_text(stdout, &run->result);
  }
  if (!output_printed(&run->error)) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  const cli_exit_t verdict = result_verdict(&run->result, &run->error);
  return verdict == CLI_OK ? (int)CLI_OK : cli_report(verdict, &run->error);
}

static int simulate(run_t *run, const char *kernel) {
  if (!prepare(run, kernel)) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  progress_start(&run->progress, run->options.quiet, attention_flops(&run->problem),
                 run->settings.soc.config.soc.clock_mhz);
  run->settings.soc.progress = progress_update;
  run->settings.soc.progress_context = &run->progress;
  progress_note(&run->progress, "simulating ...");
  const soc_status_t status = attention_simulate(&run->problem, &run->settings, run->result.out,
                                                 &run->result.soc);
  if (status != SOC_DONE) {
    progress_note(&run->progress, "");
    return stopped(run, status);
  }
  return finish(run);
}

int run_attention(const char *kernel, int argc, char **argv) {
  run_t *run = calloc(1, sizeof *run);
  if (run == NULL) {
    return CLI_BAD_INPUT;
  }
  run->result.options = &run->options;
  run->result.settings = &run->settings;
  run->result.problem = &run->problem;
  const unsigned command = strcmp(kernel, "amla") == 0 ? CLI_RUN_AMLA : CLI_RUN_BASE;
  int code = CLI_OK;
  if (!options_parse(&run->options, command, argc, argv, &run->error)) {
    code = cli_report(CLI_BAD_INPUT, &run->error);
  } else if (run->options.help) {
    print_help(kernel);
  } else {
    code = simulate(run, kernel);
  }
  outputs_discard(&run->outputs);
  attention_free(&run->problem);
  result_free(&run->result);
  free(run);
  return code;
}
