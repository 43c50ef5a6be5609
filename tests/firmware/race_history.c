// SPDX-License-Identifier: Apache-2.0
#include "race_history.h"

#include <stdlib.h>

uint64_t race_end(const core_access_t *access) {
  return access->base + (access->rows - 1) * access->pitch + access->row_bytes;
}

// Does the run of bytes first .. end-1 meet the rectangle?
static bool run_meets(uint64_t first, uint64_t end, const core_access_t *rect) {
  if (end <= rect->base || first >= race_end(rect)) {
    return false;
  }
  if (rect->rows == 1 || rect->pitch <= rect->row_bytes) {
    return true;
  }
  const uint64_t row = first <= rect->base ? 0 : (first - rect->base) / rect->pitch;
  const uint64_t begin = rect->base + row * rect->pitch;
  return first < begin + rect->row_bytes ? end > begin : row + 1 < rect->rows && end > begin + rect->pitch;
}

static bool overlap(const core_access_t *a, const core_access_t *b) {
  if (race_end(a) <= b->base || race_end(b) <= a->base) {
    return false;
  }
  for (uint64_t row = 0; row < a->rows; ++row) {
    const uint64_t first = a->base + row * a->pitch;
    if (run_meets(first, first + a->row_bytes, b)) {
      return true;
    }
  }
  return false;
}

// Forgets what every agent has seen.
static void prune(race_clocks_t *clocks, unsigned agents, race_history_t *history) {
  size_t kept = 0;
  for (size_t i = 0; i < history->count; ++i) {
    const race_record_t *old = &history->records[i];
    bool seen = true;
    for (unsigned agent = 0; agent < agents && seen; ++agent) {
      seen = clocks[agent][old->agent] >= old->time;
    }
    if (!seen) {
      history->records[kept++] = *old;
    }
  }
  history->count = kept;
  history->prune_at = kept < 32 ? 64 : 2 * kept;
}

const race_record_t *race_note(race_clocks_t *clocks, unsigned agents, race_history_t *history, unsigned agent,
                               const core_access_t *access, const command_t *command) {
  const uint32_t *clock = clocks[agent];
  for (size_t i = 0; i < history->count; ++i) {
    const race_record_t *old = &history->records[i];
    if (old->agent != agent && old->time > clock[old->agent] && (old->access.write || access->write) &&
        overlap(&old->access, access)) {
      return old;
    }
  }
  if (history->count == history->capacity) {
    history->capacity = history->capacity == 0 ? 64 : 2 * history->capacity;
    history->records = realloc(history->records, history->capacity * sizeof *history->records);
    if (history->records == NULL) {
      abort();
    }
  }
  history->records[history->count++] = (race_record_t){*access, agent, clock[agent], command};
  if (history->count >= history->prune_at) {
    prune(clocks, agents, history);
  }
  return NULL;
}
