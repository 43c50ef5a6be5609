// Internal: what was asked for against the machine and the problem.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_GEMM_GEMM_SETTINGS_H
#define AMALGAM_KERNEL_GEMM_GEMM_SETTINGS_H

#include "kernel/gemm/gemm.h"

// The kernel's firmware.
const char *gemm_firmware(const gemm_settings_t *settings, const gemm_problem_t *problem);

// For that problem; splits and tile_n are decided.
bool gemm_settings_fit(gemm_settings_t *settings, const gemm_problem_t *problem, base_error_t *error);

#endif
