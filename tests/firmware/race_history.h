// The history of accesses: finds accesses that no flag orders, in whichever order they came.  Written apart
// from the simulator's own race detector, which it is to be compared with.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_FIRMWARE_RACE_HISTORY_H
#define AMALGAM_TESTS_FIRMWARE_RACE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

enum { RACE_AGENTS = 128 };  // pipes of the machine

// An agent's vector clock: how much it has seen of every other.
typedef uint32_t race_clocks_t[RACE_AGENTS];

typedef struct record {
  core_access_t access;
  unsigned agent;
  uint32_t time;
  const command_t *command;
} race_record_t;

typedef struct history {
  race_record_t *records;
  size_t count, capacity, prune_at;
} race_history_t;

// The first byte after an access.
uint64_t race_end(const core_access_t *access);

// Notes an access of one memory; the earlier one it races with, or NULL.  clocks: of all agents.
const race_record_t *race_note(race_clocks_t *clocks, unsigned agents, race_history_t *history, unsigned agent,
                               const core_access_t *access, const command_t *command);

#endif
