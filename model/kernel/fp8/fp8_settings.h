// Internal: what was asked for against the machine and the problem.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FP8_FP8_SETTINGS_H
#define AMALGAM_KERNEL_FP8_FP8_SETTINGS_H

#include "kernel/fp8/fp8.h"

// The kernel's firmware.
const char *fp8_firmware(const fp8_settings_t *settings);

// Checks the settings that do not depend on the problem.
bool fp8_settings_check(const fp8_settings_t *settings, base_error_t *error);

// Crossover and how rows are cut, for run->problem.
bool fp8_settings_fit(fp8_run_t *run, base_error_t *error);

#endif
