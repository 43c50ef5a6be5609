// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "hal/command.h"
#include "kernel/gemm/gemm_settings.h"

gemm_request_t gemm_request(const char *kernel, const kernel_machine_t *machine) {
  return (gemm_request_t){.settings = {.kernel = kernel, .machine = *machine},
                          .input = {.made_up = made_up_usual(), .zeros = GEMM_ZEROS_INTEGER},
                          .judge = {.tolerance = NAN}};
}

static bool make_room(gemm_run_t *run, base_error_t *error) {
  const gemm_problem_t *p = &run->problem;
  const bool takes_b = p->quantised && run->kernel.judge.verify && run->settings.phases == W4A16_SEQUENTIAL;
  run->out = calloc(p->m * p->n, gemm_result_bytes(p, &run->settings));
  run->b = takes_b ? malloc(p->k * p->n * sizeof *run->b) : NULL;
  return (run->out != NULL && (!takes_b || run->b != NULL)) || base_fail(error, "out of memory");
}

bool gemm_prepare(const gemm_request_t *request, gemm_run_t *run, base_error_t *error) {
  *run = (gemm_run_t){.kernel = {.ops = &gemm_ops, .machine = &run->settings.machine, .judge = request->judge},
                      .settings = request->settings};
  gemm_settings_t *settings = &run->settings;
  const bool timing_only = settings->machine.soc.timing_only;
  kernel_result_drawn(&run->kernel.result, request->input.source == KERNEL_MADE_UP && !timing_only,
                      request->input.made_up.seed);
  return gemm_read(&request->input, settings->kernel, timing_only, &run->problem, error) &&
         kernel_machine_ready(&settings->machine, gemm_firmware(settings, &run->problem), error) &&
         gemm_settings_fit(settings, &run->problem, error) && (timing_only || make_room(run, error));
}

static uint64_t flops(const kernel_run_t *kernel) { return gemm_flops(&((const gemm_run_t *)kernel)->problem); }

static bool write_out(const kernel_run_t *kernel, FILE *npy, base_error_t *error) {
  const gemm_run_t *run = (const gemm_run_t *)kernel;
  (void)error;
  static const npy_type_t types[] = {
      [TYPE_F32] = NPY_F4, [TYPE_BF16] = NPY_U2, [TYPE_F16] = NPY_F2, [TYPE_S32] = NPY_I4};
  const npy_array_t array = {.type = types[gemm_result_type(&run->problem, &run->settings)],
                             .dims = 2,
                             .shape = {run->problem.m, run->problem.n},
                             .data = run->out};
  npy_write(npy, &array);
  return true;
}

static void release(kernel_run_t *kernel) {
  gemm_run_t *run = (gemm_run_t *)kernel;
  gemm_free(&run->problem);
  free(run->out);
  free(run->b);
}

const kernel_ops_t gemm_ops = {.run_bytes = sizeof(gemm_run_t),
                               .on_soc = true,
                               .simulate = gemm_simulate,
                               .flops = flops,
                               .answer = gemm_answer,
                               .judge = gemm_judge,
                               .verdict = gemm_verdict,
                               .write_out = write_out,
                               .json = gemm_json,
                               .release = release};
