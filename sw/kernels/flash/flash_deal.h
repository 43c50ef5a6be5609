// The division of work: groups of rows, their order, and the keys that they see (flash_args.h).  Shared by
// firmware and host, which chooses the number of groups.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_DEAL_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_DEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/flash/flash_args.h"

typedef struct flash_deal {
  uint32_t rows, seq_q;  // of an entry; of these, a head's
  uint32_t span, spans;  // rows of a span; spans of all entries
  uint32_t groups;       // of a span
  uint32_t splits, cores;
  bool causal;
} flash_deal_t;

typedef struct flash_group {
  uint32_t entry, first_row, rows;  // first_row: of the entry
} flash_group_t;

static inline uint32_t flash_ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

// entries: heads of keys of all batch entries.  group_rows: of a group, at most.
static inline flash_deal_t flash_deal(uint32_t entries, uint32_t rows, uint32_t seq_q, bool causal,
                                      uint32_t group_rows) {
  const uint32_t span = causal && seq_q >= group_rows ? seq_q : rows;
  return (flash_deal_t){
      .rows = rows, .seq_q = seq_q, .span = span, .spans = entries * (rows / span), .causal = causal, .splits = 1};
}

// Strips are cut evenly, so the largest group has:
static inline uint32_t flash_group_rows(const flash_deal_t *deal) {
  const uint32_t strips = flash_ceil_div(deal->span, FLASH_STRIP);
  const uint32_t rows = flash_ceil_div(strips, deal->groups) * FLASH_STRIP;
  return rows < deal->rows ? rows : deal->rows;
}

static inline uint32_t flash_items(const flash_deal_t *deal) { return deal->spans * deal->groups; }

// Units that a core may ask for, index core, core + cores, ..: the last ones may not be there.
static inline uint32_t flash_units(const flash_deal_t *deal) {
  return deal->splits == 1 ? flash_ceil_div(flash_items(deal), deal->cores) * deal->cores
                           : flash_items(deal) * deal->splits;
}

// The number of a unit, splits of an item one after the other; items from flash_items on are not there.
static inline uint32_t flash_number(const flash_deal_t *deal, uint32_t index) {
  const uint32_t turn = index / deal->cores;
  return deal->splits == 1 && turn % 2 == 1 ? (2 * turn + 1) * deal->cores - 1 - index : index;
}

static inline flash_group_t flash_group(const flash_deal_t *deal, uint32_t item) {
  const uint32_t strips = flash_ceil_div(deal->span, FLASH_STRIP);
  const uint32_t of_entry = deal->rows / deal->span;
  const uint32_t group = deal->causal ? deal->groups - 1 - item / deal->spans : item % deal->groups;
  const uint32_t span = deal->causal ? item % deal->spans : item / deal->groups;
  const uint32_t first = (uint32_t)((uint64_t)group * strips / deal->groups) * FLASH_STRIP;
  const uint32_t next = (uint32_t)((uint64_t)(group + 1) * strips / deal->groups) * FLASH_STRIP;
  return (flash_group_t){.entry = span / of_entry,
                         .first_row = span % of_entry * deal->span + first,
                         .rows = (next < deal->span ? next : deal->span) - first};
}

// Keys of the first `length` that some of the rows sees.
static inline uint32_t flash_keys_seen(const flash_deal_t *deal, uint32_t first_row, uint32_t rows, uint32_t length) {
  if (!deal->causal) {
    return length;
  }
  const uint32_t end = first_row % deal->seq_q + rows;
  const uint32_t last = end < deal->seq_q ? end : deal->seq_q;  // token, plus 1
  return length + last > deal->seq_q ? length + last - deal->seq_q : 0;
}

#endif
