// SPDX-License-Identifier: Apache-2.0
#include "kernel/flash/flash.h"

#include <math.h>
#include <stdlib.h>

#include "base/npy.h"
#include "kernels/flash/flash_args.h"

flash_request_t flash_request(const kernel_machine_t *machine) {
  return (flash_request_t){.settings = {.machine = *machine, .preload = FLASH_PRELOAD, .group_rows = FLASH_GROUP},
                           .input = {.source = KERNEL_MADE_UP, .made_up = made_up_usual(), .scale = NAN},
                           .judge = {.tolerance = NAN}};
}

static bool check_machine(const flash_settings_t *settings, base_error_t *error) {
  const kernel_buffers_t need = {.l1 = FLASH_L1_KB,
                                 .l0a = 2 * ATTENTION_L0_KB,
                                 .l0b = 2 * ATTENTION_L0_KB,
                                 .l0c = 2 * ATTENTION_L0C_KB,
                                 .ub = ATTENTION_UB_KB};
  const config_uint_t subs = settings->machine.soc.config.soc.vector_cores;
  return kernel_machine_holds(&settings->machine, &need, error) &&
         (settings->group_rows <= subs * (FLASH_GROUP / 2) ||
          base_fail(error,
                    "soc.vector_cores = %u: %u rows of a group are too many, %d for each vector "
                    "core; --group-rows %u cuts them",
                    (unsigned)subs, settings->group_rows, FLASH_GROUP / 2, (unsigned)(subs * (FLASH_GROUP / 2))));
}

bool flash_prepare(const flash_request_t *request, flash_run_t *run, base_error_t *error) {
  const flash_input_t *input = &request->input;
  *run = (flash_run_t){.kernel = {.ops = &flash_ops, .machine = &run->settings.machine, .judge = request->judge},
                       .settings = request->settings};
  const soc_options_t *soc = &run->settings.machine.soc;
  const bool draws = input->source == KERNEL_MADE_UP || input->paged || made_up_asked(input->sinks);
  kernel_result_drawn(&run->kernel.result, draws && !soc->timing_only, input->made_up.seed);
  const size_t block = input->block;
  if (run->settings.group_rows % FLASH_STRIP != 0) {
    return base_fail(error, "--group-rows %u: expected a multiple of %d", run->settings.group_rows, FLASH_STRIP);
  }
  if (block % 16 != 0) {
    return base_fail(error, "--kv-block %zu: expected a multiple of 16", block);
  }
  if (input->paged && block % FLASH_PAGE != 0) {
    return base_fail(error, "--kv-block %zu: expected a multiple of %d, with --paged", block, FLASH_PAGE);
  }
  const bool more = input->sinks != NULL || input->cap != 0 || input->paged;
  if (!kernel_machine_ready(&run->settings.machine, more ? "flash_more" : "flash", error) ||
      !check_machine(&run->settings, error) ||
      !flash_read(input, soc->timing_only, soc->threads, &run->problem, error)) {
    return false;
  }
  flash_choose(run, block);
  run->out = soc->timing_only ? NULL : calloc(flash_out_count(&run->problem), run->settings.out_f32 ? 4 : 2);
  return soc->timing_only || run->out != NULL || base_fail(error, "out of memory");
}

static uint64_t flops(const kernel_run_t *kernel) { return flash_flops(&((const flash_run_t *)kernel)->problem); }

static bool write_out(const kernel_run_t *kernel, FILE *npy, base_error_t *error) {
  const flash_run_t *run = (const flash_run_t *)kernel;
  (void)error;
  const flash_problem_t *problem = &run->problem;
  const size_t shape[] = {problem->batch, problem->heads, problem->seq_q, problem->dv};
  npy_array_t array = {.type = run->settings.out_f32 ? NPY_F4
                               : problem->fp16       ? NPY_F2
                                                     : NPY_U2,
                       .dims = problem->axes,
                       .data = run->out};
  for (size_t i = 0; i < problem->axes; ++i) {
    array.shape[i] = shape[4 - problem->axes + i];
  }
  npy_write(npy, &array);
  return true;
}

static void release(kernel_run_t *kernel) {
  flash_run_t *run = (flash_run_t *)kernel;
  flash_free(&run->problem);
  free(run->out);
}

const kernel_ops_t flash_ops = {.run_bytes = sizeof(flash_run_t),
                                .on_soc = true,
                                .simulate = flash_simulate,
                                .flops = flops,
                                .answer = flash_answer,
                                .write_out = write_out,
                                .json = flash_json,
                                .release = release};
