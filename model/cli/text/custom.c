// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

static void print_expected(FILE *file, const custom_run_t *run) {
  if (run->want.data == NULL) {
    return;
  }
  fprintf(file, "expected %zu of %zu elements are off", run->difference.count, npy_count(&run->out));
  if (run->out.type == NPY_F4) {
    fprintf(file, " by more than %g; the largest difference is %.3g", run->tolerance, run->difference.largest);
  }
  fputc('\n', file);
}

static void print_lost(FILE *file, const custom_run_t *run) {
  char text[CUSTOM_LOST_BYTES];
  if (run->lost.count > 0) {
    fprintf(file, "overflow %s%s%s\n", custom_lost_text(run, text), run->out.type == NPY_U2 ? ", if it is BF16" : "",
            run->allow_overflow ? " (--allow-overflow)" : "");
  }
}

static void print_flags_left(FILE *file, const soc_result_t *soc) {
  if (soc->flags_left > 0) {
    fprintf(file, "warning  %llu flag%s left up: %s\n", (unsigned long long)soc->flags_left,
            soc->flags_left == 1 ? "" : "s", soc->first_flag_left);
  }
}

void text_custom(FILE *file, const kernel_run_t *kernel) {
  const custom_run_t *run = (const custom_run_t *)kernel;
  const config_t *config = &run->machine.soc.config;
  const soc_result_t *soc = &run->kernel.result.soc;
  char shape[NPY_SHAPE_BYTES];
  fprintf(file, "kernel   %s on %s\n", run->firmware, run->machine.config);
  for (size_t i = 0; i < run->inputs; ++i) {
    fprintf(file, "%s %s %s\n", i == 0 ? "in      " : "        ", run->in_path[i],
            npy_shape_text(run->in[i].shape, run->in[i].dims, shape));
  }
  fprintf(file, "out      %s\n", npy_shape_text(run->out.shape, run->out.dims, shape));
  print_expected(file, run);
  print_lost(file, run);
  print_flags_left(file, soc);
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz\n", (unsigned long long)soc->cycles,
          run->kernel.result.time_us, config->soc.clock_mhz);
  text_launches(file, &run->kernel.result);
  text_traffic(file, config, soc);
  text_pipes(file, soc, config->soc.ai_cores > 1);
}
