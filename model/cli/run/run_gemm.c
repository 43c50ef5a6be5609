// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_gemm.h"

#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "cli/run/recording.h"
#include "cli/run/run_soc.h"
#include "kernel/gemm/gemm_result.h"

typedef struct gemm_own {
  gemm_settings_t settings;
  gemm_problem_t problem;
  gemm_result_t result;
} gemm_own_t;

// Options that ask for values, or for data to compute them from.
static bool check_timing_only(const options_t *options, base_error_t *error) {
  const struct {
    const char *name;
    bool given;
  } refused[] = {
      {"a", options->gemm_a != NULL},
      {"w", options->gemm_w4 != NULL || options->gemm_w != NULL},
      {"scale", options->gemm_scale != NULL},
      {"zero", options->gemm_zero != NULL},
      {"dist", options->dist != NULL},
      {"seed", options->seed.given},
      {"out", options->out != NULL},
      {"verify", options->verify},
      {"tolerance", options->tolerance.given},
  };
  for (size_t i = 0; options->timing_only && i < sizeof refused / sizeof *refused; ++i) {
    if (refused[i].given) {
      return base_fail(error, "--%s: needs values, which --timing-only does not compute",
                       refused[i].name);
    }
  }
  return true;
}

static bool make_room(const run_t *run, gemm_own_t *own, base_error_t *error) {
  const gemm_problem_t *p = &own->problem;
  if (run->options.timing_only) {
    return true;
  }
  own->result.out = calloc(p->m * p->n, own->settings.out_f32 ? 4 : 2);
  if (p->quantised && run->options.verify && own->settings.phases == W4A16_SEQUENTIAL) {
    own->result.b = malloc(p->k * p->n * sizeof *own->result.b);
    if (own->result.b == NULL) {
      return base_fail(error, "out of memory");
    }
  }
  return own->result.out != NULL || base_fail(error, "out of memory");
}

static bool prepare(run_t *run) {
  gemm_own_t *own = run->own;
  const options_t *options = &run->options;
  const bool quantised = run->kernel->command == CLI_RUN_W4A16;
  if (!check_timing_only(options, &run->error) ||
      !gemm_input(options, quantised, &own->problem, &run->error) ||
      !gemm_settings_read(&own->settings, run->kernel->name, options, &own->problem, &run->error)) {
    return false;
  }
  own->result.options = options;
  own->result.settings = &own->settings;
  own->result.problem = &own->problem;
  return recording_soc(run, &own->settings.soc, &run->error) && make_room(run, own, &run->error);
}

static base_exit_t compute(run_t *run) {
  gemm_own_t *own = run->own;
  run_soc_begin(run, &own->settings.soc, gemm_flops(&own->problem));
  const soc_status_t status = gemm_simulate(&own->problem, &own->settings, own->result.out,
                                            own->result.b, &own->result.run);
  return run_soc_end(run, status, &own->result.run.soc);
}

static bool judge(run_t *run) {
  gemm_own_t *own = run->own;
  return run->options.timing_only || gemm_result_judge(&own->result, &run->error);
}

static bool write_out(const run_t *run, FILE *file, base_error_t *error) {
  const gemm_own_t *own = run->own;
  const npy_array_t array = {.type = own->settings.out_f32 ? NPY_F4 : NPY_F2,
                             .dims = 2,
                             .shape = {own->problem.m, own->problem.n},
                             .data = own->result.out};
  (void)error;
  npy_write(file, &array);
  return true;
}

static void fill_json(const run_t *run, cJSON *root) {
  const gemm_own_t *own = run->own;
  gemm_result_json(&own->result, root);
}

static void print(const run_t *run) {
  const gemm_own_t *own = run->own;
  gemm_result_text(stdout, &own->result);
}

static base_exit_t verdict(run_t *run) {
  const gemm_own_t *own = run->own;
  return gemm_result_verdict(&own->result, &run->error);
}

static void release(run_t *run) {
  gemm_own_t *own = run->own;
  gemm_free(&own->problem);
  gemm_result_free(&own->result);
}

static const manual_row_t files[] = {
    {"tests/data/w4a16_real_*", "the shipped weights, scales and activations"},
    {"sw/kernels/README.md", "how the kernels go about it"},
    {NULL, NULL}};

static const manual_row_t w4a16_examples[] = {
    {"run w4a16", "the shipped real data"},
    {"run w4a16 --a a.npy --w w.npy --scale s.npy --out c.npy", "arrays of your own"},
    {NULL, NULL}};

static const manual_row_t gemm_examples[] = {
    {"run gemm", "the shipped real data"},
    {"run gemm --a a.npy --w w.npy --out c.npy", "arrays of your own"},
    {NULL, NULL}};

#define GEMM_KERNEL(NAME, COMMAND, EXAMPLES, WHAT)                                               \
  {                                                                                              \
    .name = (NAME), .command = (COMMAND),                                                        \
    .about = WHAT ". Without inputs it runs on the shipped real data.",                          \
    .notes =                                                                                     \
        "exit codes: 0 done, 1 result out of tolerance, 2 bad usage or input, 3 the model "      \
        "stopped the\nfirmware, 130 interrupted",                                                \
    .examples = (EXAMPLES), .files = files, .own_bytes = sizeof(gemm_own_t), .prepare = prepare, \
    .compute = compute, .judge = judge, .write_out = write_out, .fill_json = fill_json,          \
    .print = print, .verdict = verdict, .release = release                                       \
  }

const run_kernel_t run_w4a16 =
    GEMM_KERNEL("w4a16", CLI_RUN_W4A16, w4a16_examples,
                "FP16 activations times 4-bit weights, dequantised by vector cores");
const run_kernel_t run_gemm = GEMM_KERNEL("gemm", CLI_RUN_GEMM, gemm_examples,
                                          "FP16 activations times FP16 weights, on cube cores");
