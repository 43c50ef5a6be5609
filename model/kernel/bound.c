// SPDX-License-Identifier: Apache-2.0
#include "kernel/bound.h"

#include <string.h>

static size_t kind_length(const soc_pipe_t *pipe) { return strcspn(pipe->core, "0123456789"); }

static bool is_kind(const soc_pipe_t *pipe, const char *core, size_t length) {
  return kind_length(pipe) == length && memcmp(pipe->core, core, length) == 0;
}

static double mean_busy(const soc_result_t *soc, const char *core, size_t length, const char *pipe) {
  double busy = 0;
  size_t pipes = 0;
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    if (is_kind(&soc->pipes[i], core, length) && strcmp(soc->pipes[i].pipe, pipe) == 0) {
      busy += (double)soc->pipes[i].busy;
      ++pipes;
    }
  }
  return pipes == 0 ? 0 : busy / (double)pipes;
}

double kernel_busy(const soc_result_t *soc, const char *core, const char *pipe) {
  return mean_busy(soc, core, strlen(core), pipe);
}

kernel_bound_t kernel_bound(const soc_result_t *soc) {
  kernel_bound_t bound = {.pipe = NULL};
  for (size_t i = 0; soc->cycles > 0 && i < soc->pipe_count; ++i) {
    const soc_pipe_t *pipe = &soc->pipes[i];
    const double busy = mean_busy(soc, pipe->core, kind_length(pipe), pipe->pipe) / (double)soc->cycles;
    if (busy > bound.busy) {
      memset(bound.core, 0, sizeof bound.core);
      memcpy(bound.core, pipe->core, kind_length(pipe));
      bound.pipe = pipe->pipe;
      bound.busy = busy;
    }
  }
  return bound;
}
