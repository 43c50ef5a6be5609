// What several kernels' settings begin with: the machine's parameters, firmware, host threads.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/option/options.h"
#include "config/config.h"
#include "soc/soc.h"

enum { SETTINGS_PATH_BYTES = 1024 };

// --config and --set.
bool settings_config(const char *name, const option_list_t *set, config_t *config,
                     base_error_t *error);

// The file of a kernel's firmware as it was built here, for the instruction set simulator or
// native. False: it is not there.
bool settings_firmware(char file[SETTINGS_PATH_BYTES], const char *kernel, bool native,
                       base_error_t *error);

// Is there such a file?
bool settings_readable(const char *path, base_error_t *error);

// Host threads that the options ask for: --threads, else all processors.
unsigned settings_threads(const options_t *options);

// Machine, memory model, firmware of a `run KERNEL`: all of soc but the recordings' paths and the
// progress.  firmware: where the file's name is kept, which soc points to.  --cores N below the
// config's keeps the first cores of each die, as many of each: N rounded up to a multiple of the dies;
// with fewer cores than dies, N dies of one core.
bool settings_soc(soc_options_t *soc, char firmware[SETTINGS_PATH_BYTES], const char *kernel,
                  const options_t *options, base_error_t *error);

#endif
