// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8.h"

#include <math.h>
#include <stdlib.h>

#include "base/npy.h"
#include "kernel/fp8/fp8_input.h"
#include "kernel/fp8/fp8_settings.h"
#include "kernels/fp8/fp8_args.h"

fp8_request_t fp8_request(const kernel_machine_t *machine) {
  return (fp8_request_t){.settings = {.attention = attention_settings("fp8", machine)},
                         .input = {.made_up = made_up_usual(), .scale = NAN, .block = ATTENTION_MAX_BLOCK},
                         .judge = {.tolerance = NAN}};
}

static bool make_room(fp8_run_t *run, bool values, base_error_t *error) {
  const size_t bytes = run->settings.attention.out_f32 ? 4 : 2;
  run->out = values ? calloc(fp8_out_count(&run->problem), bytes) : NULL;
  run->lse = calloc(fp8_rows(&run->problem), sizeof *run->lse);
  return (run->lse != NULL && (!values || run->out != NULL)) || base_fail(error, "out of memory");
}

bool fp8_prepare(const fp8_request_t *request, fp8_run_t *run, base_error_t *error) {
  *run = (fp8_run_t){.kernel = {.ops = &fp8_ops, .machine = &run->settings.attention.machine, .judge = request->judge},
                     .settings = request->settings};
  kernel_machine_t *machine = &run->settings.attention.machine;
  const bool timing_only = machine->soc.timing_only;
  if (!kernel_machine_ready(machine, fp8_firmware(&run->settings), error) ||
      !fp8_settings_check(&run->settings, error) ||
      !fp8_read(&request->input, timing_only, machine->soc.threads, &run->problem, error) ||
      !fp8_settings_fit(run, error)) {
    return false;
  }
  kernel_result_drawn(&run->kernel.result,
                      (request->input.source == KERNEL_MADE_UP && !timing_only) || request->input.page_size != 0 ||
                          request->input.top_k != 0,
                      request->input.made_up.seed);
  return make_room(run, !timing_only, error);
}

// The axes of queries, as many as they were given with.
static npy_array_t rows_array(const fp8_problem_t *problem) {
  npy_array_t array = {.dims = 0};
  if (problem->batch_axis) {
    array.shape[array.dims++] = problem->batch;
  }
  if (problem->token_axis) {
    array.shape[array.dims++] = problem->seq_q;
    array.shape[array.dims++] = problem->heads;
  } else {
    array.shape[array.dims++] = problem->seq_q * problem->heads;
  }
  return array;
}

static uint64_t flops(const kernel_run_t *kernel) { return fp8_flops(&((const fp8_run_t *)kernel)->problem); }

static bool write_out(const kernel_run_t *kernel, FILE *npy, base_error_t *error) {
  const fp8_run_t *run = (const fp8_run_t *)kernel;
  (void)error;
  npy_array_t array = rows_array(&run->problem);
  array.type = run->settings.attention.out_f32 ? NPY_F4 : NPY_U2;
  array.shape[array.dims++] = FP8_VALUES;
  array.data = run->out;
  npy_write(npy, &array);
  return true;
}

static bool write_lse(const kernel_run_t *kernel, FILE *npy, base_error_t *error) {
  const fp8_run_t *run = (const fp8_run_t *)kernel;
  (void)error;
  npy_array_t array = rows_array(&run->problem);
  array.type = NPY_F4;
  array.data = run->lse;
  npy_write(npy, &array);
  return true;
}

static void release(kernel_run_t *kernel) {
  fp8_run_t *run = (fp8_run_t *)kernel;
  fp8_free(&run->problem);
  free(run->out);
  free(run->lse);
}

const kernel_ops_t fp8_ops = {.run_bytes = sizeof(fp8_run_t),
                              .on_soc = true,
                              .simulate = fp8_simulate,
                              .flops = flops,
                              .answer = fp8_answer,
                              .judge = fp8_judge,
                              .verdict = fp8_verdict,
                              .write_out = write_out,
                              .write_lse = write_lse,
                              .json = fp8_json,
                              .release = release};
