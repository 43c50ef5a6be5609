// What a simulation of w4a16 or gemm needs besides its problem: machine, firmware, memory model, and
// how the kernel goes about it.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_HALF_SETTINGS_H
#define CLI_HALF_SETTINGS_H

#include "cli/half/half_problem.h"
#include "cli/run/settings.h"
#include "soc/soc.h"

typedef struct half_settings {
  const char *kernel;              // "w4a16" or "gemm"
  soc_options_t soc;               // firmware_file points to `firmware` below
  char firmware[SETTINGS_PATH_BYTES];
  bool out_f32;
  unsigned splits, tile_n;         // auto resolved by half_plan; gemm: 0, as the kernel likes
  // w4a16
  enum w4a16_phases phases;
  bool splitk;                     // else data-parallel
} half_settings_t;

// Do vector cores add up slices' sums? One slice needs no adding, and the cube core casts its own.
static inline bool half_reduces(const half_settings_t *settings) { return settings->splits > 1; }

// Everything for `run KERNEL` on this problem, but the recordings' paths.
bool half_settings_read(half_settings_t *settings, const char *kernel, const options_t *options,
                        const half_problem_t *problem, cli_error_t *error);

#endif
