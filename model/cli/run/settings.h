// What a simulation needs besides its problem: machine, firmware, memory model.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/option/options.h"
#include "kernels/attention_tiling.h"
#include "soc/soc.h"

enum { SETTINGS_PATH_BYTES = 1024, SETTINGS_SPLITS_AUTO = 255 };

typedef struct settings {
  const char *kernel;              // "amla"
  soc_options_t soc;               // firmware_file points to `firmware` below
  char firmware[SETTINGS_PATH_BYTES];
  unsigned preload;
  enum attention_rescale rescale;
  bool skip_noop;
  unsigned group_rows;             // 0: as many as the kernels take
  unsigned splits;                 // of the keys, 0: one; or SETTINGS_SPLITS_AUTO, see
                                   // attention_splits
  enum attention_cut tiling;
  unsigned kv_buffers;             // 0: the tiling's own
  enum attention_qp_buffers qp_buffers;
  bool out_f32;
} settings_t;

// --config and --set.
bool settings_config(const char *name, const option_list_t *set, config_t *config,
                     cli_error_t *error);

// The file of a kernel's firmware: "riscv", "native" or a file of the user's.
bool settings_firmware(settings_t *settings, const char *choice, cli_error_t *error);

// Host threads that the options ask for: --threads, else all processors.
unsigned settings_threads(const options_t *options);

// Everything for `run KERNEL`, but the timeline's path.  --cores N below the config's keeps the
// first cores of each die, as many of each: N rounded up to a multiple of the dies; with fewer
// cores than dies, N dies of one core.
bool settings_read(settings_t *settings, const char *kernel, const options_t *options,
                   cli_error_t *error);

#endif
