// What a simulation of w4a16 or gemm needs besides its problem: machine, firmware, memory model, and
// how the kernel goes about it.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_GEMM_SETTINGS_H
#define KERNEL_GEMM_SETTINGS_H

#include "cli/run/settings.h"
#include "kernel/gemm/gemm_problem.h"
#include "soc/soc.h"

typedef struct gemm_settings {
  const char *kernel;              // "w4a16" or "gemm"
  soc_options_t soc;               // firmware_file points to `firmware` below
  char firmware[SETTINGS_PATH_BYTES];
  bool out_f32;
  unsigned splits, tile_n;  // auto resolved by gemm_plan; gemm: 0, as the kernel likes
  // w4a16
  enum w4a16_phases phases;
  bool splitk;                     // else data-parallel
} gemm_settings_t;

// Do vector cores add up slices' sums? One slice needs no adding, and the cube core casts its own.
static inline bool gemm_reduces(const gemm_settings_t *settings) { return settings->splits > 1; }

// Everything for `run KERNEL` on this problem, but the recordings' paths.
bool gemm_settings_read(gemm_settings_t *settings, const char *kernel, const options_t *options,
                        const gemm_problem_t *problem, base_error_t *error);

#endif
