// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention.h"

#include <math.h>
#include <stdlib.h>

#include "base/npy.h"

enum { USUAL_BLOCK = 512 };

attention_request_t attention_request(const char *kernel, const kernel_machine_t *machine) {
  return (attention_request_t){.settings = attention_settings(kernel, machine),
                               .input = {.made_up = made_up_usual(), .scale = NAN, .block = USUAL_BLOCK},
                               .judge = {.tolerance = NAN}};
}

bool attention_prepare(const attention_request_t *request, attention_run_t *run, base_error_t *error) {
  *run = (attention_run_t){.settings = request->settings, .judge = request->judge};
  attention_settings_t *settings = &run->settings;
  attention_problem_t *problem = &run->problem;
  const soc_options_t *soc = &settings->machine.soc;
  if (!kernel_machine_ready(&settings->machine, attention_firmware(settings), error) ||
      !attention_settings_check(settings, error) ||
      !attention_read(&request->input, soc->timing_only, problem, error) ||
      !attention_settings_rows(settings, attention_group_rows(problem, settings), error)) {
    return false;
  }
  kernel_result_drawn(&run->result, request->input.source == KERNEL_MADE_UP && !soc->timing_only,
                      request->input.made_up.seed);
  // Not where that would take long, or make inputs up that the simulation needs later.
  run->judge_beside = request->judge.golden == GOLDEN_AUTO && request->input.source != KERNEL_MADE_UP &&
                      !soc->timing_only && soc->threads > 1;
  problem->skip_noop = settings->skip_noop;
  problem->row_sum = settings->row_sum;
  problem->splits = attention_splits(problem, settings);
  run->out = soc->timing_only ? NULL : calloc(attention_out_count(problem), settings->out_f32 ? 4 : 2);
  return soc->timing_only || run->out != NULL || base_fail(error, "out of memory");
}

void attention_write_out(const attention_run_t *run, FILE *npy) {
  const attention_problem_t *problem = &run->problem;
  npy_array_t array = {.type = run->settings.out_f32 ? NPY_F4 : NPY_U2, .data = run->out};
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
  npy_write(npy, &array);
}

void attention_release(attention_run_t *run) {
  if (run->golden != NULL) {
    parallel_end(&run->judging);
    free(run->golden);
  }
  attention_free(&run->problem);
  free(run->out);
  free(run->per_token);
  kernel_result_free(&run->result);
}
