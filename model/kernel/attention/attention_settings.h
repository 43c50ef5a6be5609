// What a simulation of attention needs besides its problem: machine, firmware, memory model, and
// how the kernel goes about it.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_ATTENTION_SETTINGS_H
#define KERNEL_ATTENTION_SETTINGS_H

#include "cli/run/settings.h"
#include "kernels/attention/attention_tiling.h"
#include "soc/soc.h"

enum { ATTENTION_SPLITS_AUTO = 255 };

typedef struct attention_settings {
  const char *kernel;              // "amla"
  soc_options_t soc;               // firmware_file points to `firmware` below
  char firmware[SETTINGS_PATH_BYTES];
  unsigned preload;
  enum attention_rescale rescale;
  bool skip_noop;
  unsigned group_rows;             // 0: as many as the kernels take
  unsigned splits;                 // of the keys, 0: one; or ATTENTION_SPLITS_AUTO, see
                                   // attention_splits
  enum attention_cut tiling;
  unsigned kv_buffers;             // 0: the tiling's own
  enum attention_qp_buffers qp_buffers;
  bool out_f32;
} attention_settings_t;

// Everything for `run KERNEL`, but the timeline's path.
bool attention_settings_read(attention_settings_t *settings, const char *kernel,
                             const options_t *options, base_error_t *error);

#endif
