// --dump-all: what every command of a window left, in files.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_DUMP_ALL_H
#define AMALGAM_BLAME_DUMP_ALL_H

#include "base/error.h"
#include "soc/replay.h"

// As many files, and bytes in all, as a window may have: more is a mistake.
enum { DUMP_ALL_FILES = 10000, DUMP_ALL_MBYTES = 1024 };

// Writes into a folder that is there and empty: of each command of soc_options.dump_window that wrote a buffer or an
// array CORE.COMMAND#N_MEMORY.npy, as `--dump CORE.COMMAND#N:MEMORY` does (CORE.PIPE.COMMAND#N where several pipes take
// the command), and index.jsonl, a JSON object a line, in the order of effects. What an engine keeps of keys is left
// out. False: the window has none or too many, which is found before anything is written; or a file cannot be written.
bool blame_dump_all(soc_replay_t *replay, const char *folder, base_error_t *error);

#endif
