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
  } else if (argument->from != NULL) {
    fprintf(file, ", at first %s of a launch before", argument->from->param->name);
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

static void print_race(FILE *file, size_t number, const soc_race_t *race) {
  fprintf(file, "race %-3zu in %s%s\n", number, race->space, race->count > 1 ? ", more than once" : "");
  fprintf(file, "  first  %s\n  then   %s\n", race->first, race->then);
  fprintf(file, "  there  %s\n", race->between[0] != '\0' ? race->between : "no flag between them");
  fprintf(file, "  needed %s%s\n", race->needed,
          race->compiler ? "; users' compilers put it there, unless told not to (--auto-sync off)" : "");
}

static void print_sync(FILE *file, const ascend_run_t *run) {
  const soc_result_t *soc = &run->kernel.result.soc;
  for (size_t i = 0; i < soc->race_count; ++i) {
    print_race(file, i + 1, &soc->races[i]);
  }
  if (run->machine.soc.list_races && soc->race_count == 0) {
    fprintf(file, "sync     flags order all accesses\n");
  }
}

static void print_variant(FILE *file, const ascend_variant_t *variant) {
  char index[NPY_SHAPE_BYTES];
  if (variant->stopped[0] != '\0') {
    fprintf(file, "  %s: stopped: %s\n", variant->change, variant->stopped);
  } else if (variant->argument != NULL) {
    fprintf(file, "  %s: other bits, first in %s%s\n", variant->change, variant->argument->param->name,
            npy_index_text(&variant->argument->array, variant->first, index));
  }
}

static void print_vary(FILE *file, const ascend_run_t *run) {
  if (run->variants == 0) {
    return;
  }
  uint64_t least = UINT64_MAX, most = 0;
  for (size_t i = 0; i < run->variants; ++i) {
    const uint64_t cycles = run->variant[i].cycles;
    least = cycles < least ? cycles : least;
    most = cycles > most ? cycles : most;
  }
  fprintf(file, "vary     %zu machines, %llu to %llu cycles: %zu leave other bits, or stop\n", run->variants,
          (unsigned long long)least, (unsigned long long)most, run->differing);
  for (size_t i = 0; i < run->variants; ++i) {
    print_variant(file, &run->variant[i]);
  }
}

// All launches so far.
static void print_together(FILE *file, const ascend_run_t *run) {
  unsigned launches = 0;
  uint64_t cycles = 0;
  double time_us = 0;
  for (const ascend_run_t *each = run; each != NULL; each = each->earlier) {
    launches += 1;
    cycles += each->kernel.result.soc.cycles;
    time_us += each->kernel.result.time_us;
  }
  if (launches > 1) {
    fprintf(file, "together %u launches, %llu cycles = %.1f us\n", launches, (unsigned long long)cycles, time_us);
  }
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
  print_sync(file, run);
  print_vary(file, run);
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz\n", (unsigned long long)soc->cycles,
          run->kernel.result.time_us, config->soc.clock_mhz);
  print_together(file, run);
  text_launches(file, &run->kernel.result);
  text_traffic(file, config, soc);
  text_pipes(file, soc, config->soc.ai_cores > 1);
}
