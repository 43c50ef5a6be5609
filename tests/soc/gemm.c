// One product of the gemm kernel:
//   gemm FIRMWARE M N K [f16] [cores=N] [pad=N] [timing] [timeline=FILE]
// pad: elements between rows, of each array.  Prints cycles, the use of the cube cores' peak and
// what the pipes of the first cube core did; compares every bit, unless for timing.
// Exit code: 0, 1 wrong bits, or that of the run (2 bad input, 3 stopped).
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm_case.h"
#include "hal/command.h"

static bool read_option(gemm_case_t *what, const char *text) {
  if (strcmp(text, "f16") == 0) {
    what->type = TYPE_F16;
  } else if (strcmp(text, "timing") == 0) {
    what->timing_only = true;
  } else if (strncmp(text, "cores=", 6) == 0) {
    what->cores = (unsigned)strtoul(text + 6, NULL, 10);
  } else if (strncmp(text, "timeline=", 9) == 0) {
    what->timeline = text + 9;
  } else if (strncmp(text, "pad=", 4) == 0) {
    what->a_pad = what->b_pad = what->c_pad = (uint32_t)strtoul(text + 4, NULL, 10);
  } else {
    return false;
  }
  return true;
}

static void print_pipes(const soc_result_t *result) {
  for (size_t i = 0; i < result->pipe_count; ++i) {
    const soc_pipe_t *pipe = &result->pipes[i];
    if (strcmp(pipe->core, "cube0") == 0) {
      printf("  %-5s %6llu commands, busy %5.1f %%", pipe->pipe, (unsigned long long)pipe->commands,
             100.0 * (double)pipe->busy / (double)result->cycles);
      for (size_t j = 0; j < pipe->stalls; ++j) {
        printf(", %s %.1f", pipe->stall[j].reason, 100.0 * (double)pipe->stall[j].cycles / (double)result->cycles);
      }
      printf("\n");
    }
  }
}

int main(int argc, char **argv) {
  gemm_case_t what = {.type = TYPE_BF16, .threads = 2};
  bool right = argc >= 5;
  for (int i = 5; i < argc; ++i) {
    right = right && read_option(&what, argv[i]);
  }
  if (!right) {
    fprintf(stderr, "usage: gemm FIRMWARE M N K [f16] [cores=N] [pad=N] [timing] [timeline=FILE]\n");
    return 2;
  }
  what.m = (uint32_t)strtoul(argv[2], NULL, 10);
  what.n = (uint32_t)strtoul(argv[3], NULL, 10);
  what.k = (uint32_t)strtoul(argv[4], NULL, 10);
  gemm_outcome_t outcome;
  soc_result_t result;
  gemm_case_run(&what, argv[1], &outcome, &result);
  if (outcome.status != SOC_DONE) {
    fprintf(stderr, "%s\n", outcome.error);
    return (int)outcome.status;
  }
  printf("%u x %u x %u: %llu cycles, use %.1f %%, %zu wrong\n", what.m, what.n, what.k,
         (unsigned long long)outcome.cycles, 100 * outcome.use, outcome.wrong);
  print_pipes(&result);
  soc_result_free(&result);
  fflush(stdout);
  if (outcome.wrong > 0) {
    fprintf(stderr, "%zu wrong elements\n", outcome.wrong);
  }
  return outcome.wrong > 0 ? 1 : 0;
}
