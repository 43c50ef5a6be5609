// What several kernels' settings begin with: the machine's parameters, firmware, host threads.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/option/options.h"
#include "config/config.h"

enum { SETTINGS_PATH_BYTES = 1024 };

// --config and --set.
bool settings_config(const char *name, const option_list_t *set, config_t *config,
                     cli_error_t *error);

// The file of a kernel's firmware as it was built here, for the instruction set simulator or
// native. False: it is not there.
bool settings_firmware(char file[SETTINGS_PATH_BYTES], const char *kernel, bool native,
                       cli_error_t *error);

// The same of a user's own: a file .elf, or .so, which is native. False: it is neither, or not
// there.
bool settings_own_firmware(char file[SETTINGS_PATH_BYTES], const char *given, bool *native,
                           cli_error_t *error);

// Is there such a file?
bool settings_readable(const char *path, cli_error_t *error);

// Host threads that the options ask for: --threads, else all processors.
unsigned settings_threads(const options_t *options);

#endif
