// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_engine.h"

#include <stdlib.h>

#include "base/npy.h"
#include "cli/run/recording.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "kernel/engine/engine_result.h"

enum { MESSAGE_BYTES = 1024 };

typedef struct engine_run {
  engine_settings_t settings;
  engine_input_t input;
  engine_result_t result;
} engine_run_t;

static bool prepare(run_t *run) {
  engine_run_t *own = run->own;
  const options_t *options = &run->options;
  const attention_problem_t *problem = &own->input.problem;
  if (options->trace != NULL && options->impl.value != 0) {
    return base_fail(&run->error, "--trace: needs --impl rtl; the C model has no waveforms");
  }
  if (!engine_input(options, &own->input, &run->error) ||
      !engine_settings_read(&own->settings, run->kernel->name, options, problem->keys, problem->dk,
                            &run->error)) {
    return false;
  }
  own->result.options = options;
  own->result.settings = &own->settings;
  own->result.input = &own->input;
  own->result.out = calloc(problem->rows * problem->dv, sizeof *own->result.out);
  return own->result.out != NULL || base_fail(&run->error, "out of memory");
}

// --- the run ----------------------------------------------------------------------------------

static bool attend(run_t *run, engine_t *engine) {
  engine_run_t *own = run->own;
  char message[MESSAGE_BYTES] = "";
  const engine_job_t job = engine_input_job(&own->input, own->result.out);
  progress_note(&run->progress, "running ...");
  const double start = host_seconds();
  const bool good =
      engine_attention(engine, &job, &own->result.cycles, message, sizeof message);
  own->result.seconds = host_seconds() - start;
  return good || base_fail(&run->error, "%s: %s", run->kernel->name, message);
}

static base_exit_t compute(run_t *run) {
  const engine_run_t *own = run->own;
  engine_waves_t waves;
  if (!recording_engine(run, &waves, &run->error)) {
    return BASE_BAD_INPUT;
  }
  host_hold_interrupts();
  engine_t *engine = engine_settings_open(
      &own->settings, waves.waves == NULL ? NULL : &waves, run_building, &run->error);
  if (engine == NULL) {
    waves_delete(waves.waves);
    host_release_interrupts();
    return BASE_BAD_INPUT;
  }
  const bool good = attend(run, engine);
  engine_close(engine);
  base_error_t ignored;
  const bool written = recording_end(&waves, !good, good ? &run->error : &ignored);
  host_release_interrupts();
  if (good && !written) {
    return BASE_BAD_INPUT;
  }
  return good ? BASE_OK : host_interrupted() ? BASE_INTERRUPTED : BASE_STOPPED;
}

static bool judge(run_t *run) {
  engine_run_t *own = run->own;
  return engine_result_judge(&own->result, &run->error);
}

// --- what came of it --------------------------------------------------------------------------

static bool write_out(const run_t *run, FILE *file, base_error_t *error) {
  const engine_run_t *own = run->own;
  const attention_problem_t *problem = &own->input.problem;
  const size_t count = problem->rows * problem->dv;
  npy_array_t array = {.type = NPY_U2, .dims = 2, .shape = {problem->rows, problem->dv},
                       .data = own->result.out};
  if (!run->options.engine_out_f32) {
    npy_write(file, &array);
    return true;
  }
  float *values = malloc(count * sizeof *values);
  if (values == NULL) {
    return base_fail(error, "out of memory");
  }
  num_bf16_to_f32_n(own->result.out, values, count);
  array.type = NPY_F4;
  array.data = values;
  npy_write(file, &array);
  free(values);
  return true;
}

static void fill_json(const run_t *run, cJSON *root) {
  const engine_run_t *own = run->own;
  engine_result_json(&own->result, root);
}

static void print(const run_t *run) {
  const engine_run_t *own = run->own;
  engine_result_text(stdout, &own->result);
}

static base_exit_t verdict(run_t *run) {
  const engine_run_t *own = run->own;
  return engine_result_verdict(&own->result, &run->error);
}

static void release(run_t *run) {
  engine_run_t *own = run->own;
  engine_input_free(&own->input);
  engine_result_free(&own->result);
}

// --- the kernels ------------------------------------------------------------------------------

static const manual_row_t files[] = {
    {"build/units", "engines built from the Verilog, by their parameters; made when first asked for"},
    {"tests/data/kjv_*", "the shipped language model and text"},
    {"rtl/README.md", "units, ports, latency"},
    {NULL, NULL}};

static const manual_row_t hfa_examples[] = {
    {"run hfa", "a head of the shipped language model"},
    {"run hfa --lns corrected --verify", "better additions; bits and cycles against the C model"},
    {"run hfa --q q.npy --k k.npy --v v.npy --mask m.npy --out o.npy", "arrays of your own"},
    {"run hfa --seq-q 4 --seq-kv 256 --trace w.fst", "waveforms"},
    {NULL, NULL}};

static const manual_row_t fa2_examples[] = {
    {"run fa2", "a head of the shipped language model"},
    {"run fa2 --seq-q 64 --seq-kv 4096 --head-dim 128 --impl c", "made-up input, by the C model"},
    {NULL, NULL}};

#define ENGINE_KERNEL(NAME, COMMAND, EXAMPLES, WHAT)                                              \
  {.name = (NAME), .command = (COMMAND),                                                          \
   .about = "attention by the " WHAT ". "                                                         \
            "Without inputs it runs on a head of the shipped language model.",                    \
   .notes = "Rows that attend to an infinity or NaN become NaN and are left out of the error, "   \
            "for which there is no tolerance. exit codes: 0 done, 1 --verify found a difference " \
            "or NaN came from finite inputs, 2 bad usage or input, 3 the engine did not answer, " \
            "130 interrupted",                                                                    \
   .examples = (EXAMPLES), .files = files,                                                        \
   .own_bytes = sizeof(engine_run_t), .prepare = prepare, .compute = compute, .judge = judge,     \
   .write_out = write_out, .fill_json = fill_json, .print = print, .verdict = verdict,            \
   .release = release}

const run_kernel_t run_hfa = ENGINE_KERNEL(
    "hfa", CLI_RUN_HFA, hfa_examples,
    "H-FA engine, whose arithmetic behind the scores is logarithmic fixed point");
const run_kernel_t run_fa2 = ENGINE_KERNEL(
    "fa2", CLI_RUN_FA2, fa2_examples, "FA-2 engine, H-FA's twin in BF16 floating point");
