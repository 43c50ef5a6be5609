// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

static void print_argument(FILE *file, const ascend_argument_t *argument) {
  char shape[NPY_SHAPE_BYTES];
  char index[NPY_SHAPE_BYTES];
  if (argument->bytes == 0) {
    return;
  }
  fprintf(file, "%-8s %s %s %s", ascend_role_name(argument->role), argument->param->name, ascend_type_name(argument),
          npy_shape_text(argument->array.shape, argument->array.dims, shape));
  if (argument->path != NULL) {
    fprintf(file, " %s", argument->path);
  }
  if (argument->want.data != NULL) {
    fprintf(file, ": %zu of %zu elements are off; the largest difference is %.3g", argument->off,
            npy_count(&argument->array), argument->largest);
  }
  if (argument->lost > 0) {
    fprintf(file, ": %zu elements are not finite, first %s", argument->lost,
            npy_index_text(&argument->array, argument->lost_at, index));
  }
  fputc('\n', file);
}

void text_ascend(FILE *file, const kernel_run_t *kernel) {
  const ascend_run_t *run = (const ascend_run_t *)kernel;
  const config_t *config = &run->machine.soc.config;
  const soc_result_t *soc = &run->kernel.result.soc;
  fprintf(file, "kernel   %s of %s on %s, %u block%s\n", run->entry.name, run->source, run->machine.config,
          run->args.blocks, plural(run->args.blocks));
  for (size_t i = 0; i < run->arguments; ++i) {
    print_argument(file, &run->argument[i]);
  }
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz\n", (unsigned long long)soc->cycles,
          run->kernel.result.time_us, config->soc.clock_mhz);
  text_launches(file, &run->kernel.result);
  text_traffic(file, config, soc);
  text_pipes(file, soc, config->soc.ai_cores > 1);
}
