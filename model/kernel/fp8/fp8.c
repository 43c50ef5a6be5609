// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8.h"

#include <math.h>
#include <stdlib.h>

#include "base/npy.h"
#include "kernel/fp8/fp8_input.h"
#include "kernel/fp8/fp8_settings.h"
#include "kernels/fp8/fp8_args.h"

enum { USUAL_BLOCK = 512 };

fp8_request_t fp8_request(const kernel_machine_t *machine) {
  return (fp8_request_t){.settings = {.attention = attention_settings("fp8", machine)},
                         .input = {.made_up = made_up_usual(), .scale = NAN, .block = USUAL_BLOCK},
                         .judge = {.tolerance = NAN}};
}

static bool make_room(fp8_run_t *run, bool values, base_error_t *error) {
  const size_t bytes = run->settings.attention.out_f32 ? 4 : 2;
  run->out = values ? calloc(fp8_out_count(&run->problem), bytes) : NULL;
  run->lse = calloc(fp8_rows(&run->problem), sizeof *run->lse);
  return (run->lse != NULL && (!values || run->out != NULL)) || base_fail(error, "out of memory");
}

bool fp8_prepare(const fp8_request_t *request, fp8_run_t *run, base_error_t *error) {
  *run = (fp8_run_t){.settings = request->settings, .judge = request->judge};
  kernel_machine_t *machine = &run->settings.attention.machine;
  const bool timing_only = machine->soc.timing_only;
  if (!kernel_machine_ready(machine, fp8_firmware(&run->settings), error) ||
      !fp8_settings_check(&run->settings, error) ||
      !fp8_read(&request->input, timing_only, machine->soc.threads, &run->problem, error) ||
      !fp8_settings_fit(run, error)) {
    return false;
  }
  kernel_result_drawn(&run->result,
                      (request->input.source == KERNEL_MADE_UP && !timing_only) || request->input.page_size != 0 ||
                          request->input.top_k != 0,
                      request->input.made_up.seed);
  run->problem.skip_noop = run->settings.attention.skip_noop;
  run->problem.row_sum = run->settings.attention.row_sum;
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

void fp8_write_out(const fp8_run_t *run, FILE *npy) {
  npy_array_t array = rows_array(&run->problem);
  array.type = run->settings.attention.out_f32 ? NPY_F4 : NPY_U2;
  array.shape[array.dims++] = FP8_VALUES;
  array.data = run->out;
  npy_write(npy, &array);
}

void fp8_write_lse(const fp8_run_t *run, FILE *npy) {
  npy_array_t array = rows_array(&run->problem);
  array.type = NPY_F4;
  array.data = run->lse;
  npy_write(npy, &array);
}

void fp8_release(fp8_run_t *run) {
  fp8_free(&run->problem);
  free(run->out);
  free(run->lse);
  kernel_result_free(&run->result);
}

// --- by the token -------------------------------------------------------------------------------

double fp8_cycles_per_token(const fp8_run_t *run) {
  const uint32_t groups =
      fp8_groups((uint32_t)fp8_list_rows(&run->problem), run->settings.attention.group_rows, run->crossover);
  const double cores = run->settings.attention.machine.soc.config.soc.ai_cores;
  return fp8_per_token(&run->problem, run->result.soc.cycles) * cores / (double)groups;
}

double fp8_per_token(const fp8_problem_t *problem, uint64_t counter) {
  const uint64_t tokens = fp8_attended(problem);
  return tokens == 0 ? 0 : (double)counter / (double)tokens;
}
