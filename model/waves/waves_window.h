// A window of time as the command line names it: A:B, where A and B are a cycle, or a command's begin
// (A) and end (B), or left out.
//
//   1000:2000   mmad#10:mmad#20   cube1.mmad#3:   :vector0_1.mte2.wait_flag#5
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_WAVES_WINDOW_H
#define AMALGAM_WAVES_WAVES_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A cycle; or, if command is not "", the number-th command (from 1) of that name.
typedef struct waves_mark {
  uint64_t cycle;
  char core[16];     // "cube0", or "": the first core that can push it
  char pipe[8];      // "mte2", or "": the only pipe that takes it
  char command[16];  // "mmad"
  uint64_t number;
} waves_mark_t;

typedef struct waves_window {
  waves_mark_t from, to;  // both are in it; all zeros: the run's begin, its end
} waves_window_t;

// False: the text is not such a window, or has no room for a cycle.
bool waves_window_parse(const char *text, waves_window_t *window);

#ifdef __cplusplus
}
#endif

#endif
