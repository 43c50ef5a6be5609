// --dump-all: what every command of a window left, in files.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_DUMP_ALL_H
#define AMALGAM_BLAME_DUMP_ALL_H

#include "base/error.h"
#include "soc/replay.h"

// As many files, and bytes in all, as a window may have: more is a mistake.
enum { DUMP_ALL_FILES = 10000, DUMP_ALL_MBYTES = 1024 };

// Writes into a folder that is there and empty. Each command of soc_options.dump_window that wrote a buffer or an array
// has a file CORE.COMMAND#N_MEMORY.npy, as `--dump CORE.COMMAND#N:MEMORY` writes it (CORE.PIPE.COMMAND#N if several
// pipes take the command); index.jsonl has a JSON object a line, in order of effects. An engine's keys are left out.
// False: the window has no command or too many, which is found before anything is written; or a file cannot be written.
bool blame_dump_all(soc_replay_t *replay, const char *folder, base_error_t *error);

#endif
