// One product of the gemm kernel on the SoC, judged bit by bit.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_SOC_GEMM_CASE_H
#define AMALGAM_TESTS_SOC_GEMM_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/gemm/gemm_args.h"
#include "soc/soc.h"

typedef struct gemm_case {
  uint32_t m, n, k;
  uint32_t type;                      // TYPE_BF16 or TYPE_F16
  uint32_t a_pad, b_pad, c_pad;       // elements from a row's end to the next row
  unsigned cores;                     // 0: one AI core, else as many of a die's
  bool timing_only;                   // nothing is computed or compared
  unsigned threads;                   // of the host, 0: 1
  const char *timeline;               // file to write, or NULL
  bool record;                        // result->record
  void (*change)(gemm_args_t *args);  // what the kernel gets instead, or NULL
} gemm_case_t;

typedef struct gemm_outcome {
  soc_status_t status;
  char error[SOC_ERROR_BYTES];
  size_t wrong;  // elements of c, and of the gaps between its rows, that are not as they must be
  uint64_t cycles;
  double use;  // of the cube cores' peak
} gemm_outcome_t;

// Runs it in this process; soc_clear_memory goes before it, if anything has run.  firmware: an .elf, or an .so built
// for the host.  result is the run's books; free it with soc_result_free.
void gemm_case_run(const gemm_case_t *what, const char *firmware, gemm_outcome_t *outcome, soc_result_t *result);

#endif
