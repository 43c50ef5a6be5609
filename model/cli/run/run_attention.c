// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_attention.h"

#include <stdlib.h>

#include "base/npy.h"
#include "cli/run/recording.h"
#include "cli/run/run_soc.h"
#include "kernel/attention/attention_golden.h"
#include "kernel/attention/attention_input.h"
#include "kernel/attention/attention_result.h"
#include "kernel/attention/attention_simulate.h"

typedef struct attention_run {
  attention_settings_t settings;
  attention_problem_t problem;
  attention_result_t result;
} attention_run_t;

// --- before the run ---------------------------------------------------------------------------

// Options that ask for values, or for data to compute them from.
static bool check_timing_only(const options_t *options, base_error_t *error) {
  const struct {
    const char *name;
    bool given;
  } refused[] = {
      {"q", options->q != NULL},         {"kv", options->kv != NULL},
      {"k", options->k != NULL},         {"v", options->v != NULL},
      {"dist", options->dist != NULL},   {"seed", options->seed.given},
      {"out", options->out != NULL},     {"verify", options->verify},
      {"tolerance", options->tolerance.given},
      {"skip-noop", options->skip_noop},
      {"golden", options->golden.value == GOLDEN_FULL || options->golden.value == GOLDEN_SAMPLE},
  };
  for (size_t i = 0; options->timing_only && i < sizeof refused / sizeof *refused; ++i) {
    if (refused[i].given) {
      return base_fail(error, "--%s: needs values, which --timing-only does not compute",
                       refused[i].name);
    }
  }
  return true;
}

static bool prepare(run_t *run) {
  attention_run_t *own = run->own;
  const options_t *options = &run->options;
  if (!check_timing_only(options, &run->error) ||
      !attention_settings_read(&own->settings, run->kernel->name, options, &run->error) ||
      !attention_input(options, &own->problem, &run->error)) {
    return false;
  }
  own->problem.skip_noop = own->settings.skip_noop;
  own->problem.splits = attention_splits(&own->problem, &own->settings);
  own->result.options = options;
  own->result.settings = &own->settings;
  own->result.problem = &own->problem;
  if (!recording_soc(run, &own->settings.soc, &run->error)) {
    return false;
  }
  if (options->timing_only) {
    return true;
  }
  own->result.out = calloc(attention_out_count(&own->problem), own->settings.out_f32 ? 4 : 2);
  return own->result.out != NULL || base_fail(&run->error, "out of memory");
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t compute(run_t *run) {
  attention_run_t *own = run->own;
  run_soc_begin(run, &own->settings.soc, attention_flops(&own->problem));
  const soc_status_t status =
      attention_simulate(&own->problem, &own->settings, own->result.out, &own->result.soc);
  return run_soc_end(run, status, &own->result.soc);
}

static bool judge(run_t *run) {
  attention_run_t *own = run->own;
  return run->options.timing_only || attention_result_judge(&own->result, &run->error);
}

// --- what came of it --------------------------------------------------------------------------

static bool write_out(const run_t *run, FILE *file, base_error_t *error) {
  const attention_run_t *own = run->own;
  const attention_problem_t *problem = &own->problem;
  npy_array_t array = {.type = own->settings.out_f32 ? NPY_F4 : NPY_U2, .data = own->result.out};
  (void)error;
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
  npy_write(file, &array);
  return true;
}

static void fill_json(const run_t *run, cJSON *root) {
  const attention_run_t *own = run->own;
  attention_result_json(&own->result, root);
}

static void print(const run_t *run) {
  const attention_run_t *own = run->own;
  attention_result_text(stdout, &own->result);
}

static base_exit_t verdict(run_t *run) {
  const attention_run_t *own = run->own;
  return attention_result_verdict(&own->result, &run->error);
}

static void release(run_t *run) {
  attention_run_t *own = run->own;
  attention_free(&own->problem);
  attention_result_free(&own->result);
}

// --- the kernels ------------------------------------------------------------------------------

static const manual_row_t files[] = {
    {"model/config/*.yaml", "machines that --config names; every value with its source"},
    {"tests/data/mla_real_*", "the shipped queries and keys"},
    {"sw/hal/REFERENCE.md", "commands, registers, and the parameters that --set takes"},
    {NULL, NULL}};

static const manual_row_t amla_examples[] = {
    {"run amla", "the shipped real data on one AI core"},
    {"run amla --heads 128 --seq-kv 8192 --dist normal:1 --seed 3", "made-up input, repeatable"},
    {"run amla --q q.npy --kv kv.npy --out o.npy --json r.json", "arrays of your own"},
    {"run amla --config ascend910 --seq-q 2 --seq-kv 16384 --batch 96 --timing-only",
     "the whole chip: the same cycles, no values"},
    {"run amla --preload 0 --timeline t.json", "no preload; where the time goes, for Perfetto"},
    {NULL, NULL}};

static const manual_row_t base_examples[] = {
    {"run base", "the shipped real data on one AI core"},
    {"run base --verify", "compared bit for bit with the contract's C loops"},
    {"run base --set gm.l2_latency_us=0.5 --seq-kv 8192 --json r.json", "another machine"},
    {NULL, NULL}};

#define ATTENTION_KERNEL(NAME, COMMAND, EXAMPLES, WHAT)                                         \
  {.name = (NAME), .command = (COMMAND),                                                        \
   .about = "attention, " WHAT ". Without inputs it runs on the shipped real data.",            \
   .notes = "exit codes: 0 done, 1 result out of tolerance, 2 bad usage or input, 3 the model " \
            "stopped the firmware, 130 interrupted",                                            \
   .examples = (EXAMPLES), .files = files,                                                      \
   .own_bytes = sizeof(attention_run_t), .prepare = prepare, .compute = compute, .judge = judge, \
   .write_out = write_out, .fill_json = fill_json, .print = print, .verdict = verdict,          \
   .release = release}

const run_kernel_t run_amla = ATTENTION_KERNEL(
    "amla", CLI_RUN_AMLA, amla_examples,
    "output rescaled in memory by integer adds (AMLA, Algorithm 2)");
const run_kernel_t run_base = ATTENTION_KERNEL(
    "base", CLI_RUN_BASE, base_examples, "output rescaled by the vector cores (Base, Algorithm 1)");
