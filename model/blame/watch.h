// --watch: every command of a run that wrote some bytes, with their values before and after.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_WATCH_H
#define AMALGAM_BLAME_WATCH_H

#include <stdio.h>

#include "blame/place.h"

// A line a command, in the order in which they took effect:
//   cycle  core.PIPE  COMMAND  element  before -> after  (elements)  source line
// Of a place with several elements the first one whose value changed is shown, and how many of the place's the command
// wrote. Values are decoded by the array's type, or, in a buffer, by the command's; what a command moves without
// knowing its type, by the array's or as bits.
bool blame_watch(soc_replay_t *replay, const char *const *text, size_t count, FILE *file, base_error_t *error);

#endif
