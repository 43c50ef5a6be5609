// Waveforms of everything in one FST file: signals of Verilated units and of the machine around them.
//
//   declare every signal --> waves_begin --> waves_at(cycle), changes, waves_at(next cycle) ... --> waves_end
//
//   change --> [ log of words ] --blocks--> writer's thread --> FST          trace everything
//                               --ring of blocks, the last N cycles--> FST   only if the run ends badly
//
// Cycles may not go back.  A change holds from the begin of its cycle, which for a unit is the rising
// edge of its clock; the clock falls half a cycle later.  Signals that no scope glob matches, and
// cycles outside of the window, cost next to nothing.
//
// One thread at a time.  Errors are one line in message.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_WAVES_H
#define AMALGAM_WAVES_WAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waves/waves_port.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WAVES_MESSAGE_BYTES = 256 };

typedef struct waves_options {
  const char *path;
  const char *unit;           // of the file's time: "1ps"
  double per_cycle;           // units of a cycle, 2 or more
  const char *const *scopes;  // globs: what is traced; none: everything
  size_t scope_count;
  uint64_t keep;  // 0: all is written; else the last so many cycles, if it ends badly
} waves_options_t;

typedef struct waves waves_t;

// options' strings must outlive it.  NULL: out of memory.
waves_t *waves_new(const waves_options_t *options);

// For a Verilated unit: how it declares its signals and writes their changes.
const waves_port_t *waves_port(waves_t *waves);

// A signal of 1 to 64 bits by its full name, "cube0.m.state".  labels: names of its values 0, 1, ...,
// ending with NULL; or NULL.  Returns its number, 0 if it is not traced.
uint32_t waves_signal(waves_t *waves, const char *name, unsigned bits, const char *const *labels);
// A signal whose values are real numbers.
uint32_t waves_real(waves_t *waves, const char *name);

// All is declared.  False: a glob matches nothing, or the file cannot be written.
bool waves_begin(waves_t *waves, char message[WAVES_MESSAGE_BYTES]);

// The window: changes outside of it are not taken.  Open at first.
void waves_open_window(waves_t *waves, bool open);
static inline bool waves_is_open(const waves_t *waves);

// Time moves on to a cycle.
void waves_at(waves_t *waves, uint64_t cycle);
void waves_set(waves_t *waves, uint32_t signal, uint64_t value);
void waves_set_real(waves_t *waves, uint32_t signal, double value);

// Writes what there is and closes the file.  badly: with options.keep there is a file only then.
// False: it could not be written, errno says why.
bool waves_end(waves_t *waves, bool badly);
void waves_delete(waves_t *waves);

// Internal: what comes first in a waves_t.
struct waves_head {
  bool open;
};
static inline bool waves_is_open(const waves_t *waves) { return ((const struct waves_head *)waves)->open; }

#ifdef __cplusplus
}
#endif

#endif
