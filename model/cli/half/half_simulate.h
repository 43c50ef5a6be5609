// A problem of w4a16 or gemm laid out in global memory and run on the SoC.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_HALF_SIMULATE_H
#define CLI_HALF_SIMULATE_H

#include "cli/half/half_settings.h"

// What a run does one after the other, or all at once.
typedef struct half_phase {
  const char *name;            // "dequantise"
  uint64_t cycles;             // 0: not told apart from the next one
  soc_traffic_t traffic;       // of the arrays that it reads and writes
} half_phase_t;

enum { HALF_PHASES = 3, HALF_ARRAYS = 7 };

// An array's name, size and traffic.
typedef struct half_array {
  const char *name;
  uint64_t bytes;
  soc_traffic_t traffic;
} half_array_t;

typedef struct half_run {
  soc_result_t soc;
  half_array_t array[HALF_ARRAYS];
  size_t arrays;
  half_phase_t phase[HALF_PHASES];
  size_t phases;
} half_run_t;

// out [m][n], FP16 bits or FP32 as settings->out_f32 says; b [k][n] FP16, what the vector cores made
// of the weights, if all of it is in the workspace at the end (sequential phases); either may be NULL.
// run is filled in any case; its status is returned.  Once a process (soc.h).
soc_status_t half_simulate(const half_problem_t *problem, const half_settings_t *settings,
                           void *out, uint16_t *b, half_run_t *run);

// FLOPs over what the cube cores of the machine could do in the same cycles.
double half_fu(const half_problem_t *problem, const config_t *config, uint64_t cycles);

#endif
