// A problem of w4a16 or gemm laid out in global memory and run on the SoC.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_GEMM_SIMULATE_H
#define KERNEL_GEMM_SIMULATE_H

#include "kernel/gemm/gemm_settings.h"

// What a run does one after the other, or all at once.
typedef struct gemm_phase {
  const char *name;            // "dequantise"
  uint64_t cycles;             // 0: not told apart from the next one
  soc_traffic_t traffic;       // of the arrays that it reads and writes
} gemm_phase_t;

enum { GEMM_PHASES = 3, GEMM_ARRAYS = 7 };

// An array's name, size and traffic.
typedef struct gemm_array {
  const char *name;
  uint64_t bytes;
  soc_traffic_t traffic;
} gemm_array_t;

typedef struct gemm_run {
  soc_result_t soc;
  gemm_array_t array[GEMM_ARRAYS];
  size_t arrays;
  gemm_phase_t phase[GEMM_PHASES];
  size_t phases;
} gemm_run_t;

// out [m][n], FP16 bits or FP32 as settings->out_f32 says; b [k][n] FP16, what the vector cores made
// of the weights, if all of it is in the workspace at the end (sequential phases); either may be NULL.
// run is filled in any case; its status is returned.  Once a process (soc.h).
soc_status_t gemm_simulate(const gemm_problem_t *problem, const gemm_settings_t *settings,
                           void *out, uint16_t *b, gemm_run_t *run);

// FLOPs over what the cube cores of the machine could do in the same cycles.
double gemm_fu(const gemm_problem_t *problem, const config_t *config, uint64_t cycles);

#endif
