// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"

attention_request_t attention_request(const char *kernel, const kernel_machine_t *machine) {
  return (attention_request_t){.settings = attention_settings(kernel, machine),
                               .input = {.made_up = made_up_usual(), .scale = NAN, .block = ATTENTION_MAX_BLOCK},
                               .judge = {.tolerance = NAN}};
}

bool attention_prepare(const attention_request_t *request, attention_run_t *run, base_error_t *error) {
  *run =
      (attention_run_t){.kernel = {.ops = &attention_ops, .machine = &run->settings.machine, .judge = request->judge},
                        .settings = request->settings};
  attention_settings_t *settings = &run->settings;
  attention_problem_t *problem = &run->problem;
  const soc_options_t *soc = &settings->machine.soc;
  if (!kernel_machine_ready(&settings->machine, attention_firmware(settings), error) ||
      !attention_settings_check(settings, error) ||
      !attention_read(&request->input, soc->timing_only, problem, error) ||
      !attention_settings_rows(settings, attention_group_rows(problem, settings), error)) {
    return false;
  }
  kernel_result_drawn(&run->kernel.result, request->input.source == KERNEL_MADE_UP && !soc->timing_only,
                      request->input.made_up.seed);
  // Not where that would take long, or make inputs up that the simulation needs later.
  run->judges_beside = request->judge.golden == GOLDEN_AUTO && request->input.source != KERNEL_MADE_UP &&
                       !soc->timing_only && soc->threads > 1;
  problem->splits = attention_splits(problem, settings);
  run->out = soc->timing_only ? NULL : calloc(attention_out_count(problem), settings->out_f32 ? 4 : 2);
  const bool amla = strcmp(settings->kernel, "amla") == 0;
  run->largest = soc->timing_only || !amla ? NULL : calloc(problem->batch * problem->rows, sizeof *run->largest);
  return soc->timing_only || (run->out != NULL && (!amla || run->largest != NULL)) || base_fail(error, "out of memory");
}

static uint64_t flops(const kernel_run_t *kernel) {
  return attention_flops(&((const attention_run_t *)kernel)->problem);
}

static bool write_out(const kernel_run_t *kernel, FILE *npy, base_error_t *error) {
  const attention_run_t *run = (const attention_run_t *)kernel;
  (void)error;
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
  return true;
}

static void release(kernel_run_t *kernel) {
  attention_run_t *run = (attention_run_t *)kernel;
  attention_free(&run->problem);
  free(run->out);
  free(run->per_token);
  free(run->largest);
}

const kernel_ops_t attention_ops = {.run_bytes = sizeof(attention_run_t),
                                    .on_soc = true,
                                    .simulate = attention_simulate,
                                    .flops = flops,
                                    .answer = attention_answer,
                                    .write_out = write_out,
                                    .json = attention_json,
                                    .release = release};
