// The settings of a simulation of attention, besides its problem: the machine, and the kernel's
// variants.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ATTENTION_ATTENTION_SETTINGS_H
#define AMALGAM_KERNEL_ATTENTION_ATTENTION_SETTINGS_H

#include "kernel/input.h"
#include "kernel/machine.h"
#include "kernels/attention/attention_tiling.h"
#include "num/golden/num_attention.h"

enum { ATTENTION_SPLITS_AUTO = 255 };

typedef struct attention_settings {
  const char *kernel;  // "amla"
  kernel_machine_t machine;
#define SETTING(field, option, type, arg, commands, start, low, high, help) kernel_##type##_t field;
#include "kernels/attention/attention_settings.def"
#undef SETTING
  num_row_sum_t row_sum;  // of P in a block
  unsigned group_rows;    // a multiple of 16; 0: as many as the kernels take
  unsigned splits;        // of the keys, 0: one; or ATTENTION_SPLITS_AUTO: one for each AI core
                          // that a group of rows has
  bool out_f32;
} attention_settings_t;

// The name of what is built for the kernel with these settings.
const char *attention_firmware(const attention_settings_t *settings);

// The usual ones.
attention_settings_t attention_settings(const char *kernel, const kernel_machine_t *machine);

// Do they go together, and do the buffers fit into the machine?
bool attention_settings_check(const attention_settings_t *settings, base_error_t *error);

// Can the vector cores of an AI core take a group of that many rows?
bool attention_settings_rows(const attention_settings_t *settings, size_t rows, base_error_t *error);

#endif
