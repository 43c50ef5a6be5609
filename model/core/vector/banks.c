// Banks of UB: 16 groups of banks of 4 KB.  The blocks of 32 bytes go round the groups, 64 KB around are a bank of
// each. A group reads a block a cycle, for one operand; and while one of its banks writes a block, the group reads none
// of that bank's.  Results come out of the pipeline when it has been filled, so that they meet reads of later repeats.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/instruction.h"

enum { GROUPS = 16, BANK_SPAN = GROUPS * 4096, LAYERS = 16 };

// A repeat's blocks: how many of each group, and which groups of each bank.
typedef struct blocks {
  uint8_t of_group[GROUPS];
  uint16_t in_bank[LAYERS];
} blocks_t;

static void add_operand(blocks_t *blocks, const core_lanes_operand_t *o, uint64_t bytes, uint64_t repeat) {
  const uint64_t count = o->block == 0 ? 1 : core_ceil_div(bytes, CORE_VECTOR_BLOCK);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = o->base + repeat * o->repeat + i * o->block, group = at / CORE_VECTOR_BLOCK % GROUPS;
    ++blocks->of_group[group];
    blocks->in_bank[at / BANK_SPAN % LAYERS] |= (uint16_t)(1u << group);
  }
}

static blocks_t blocks_of(const core_lanes_operand_t *operand, size_t count, uint32_t lanes, uint64_t repeat,
                          bool write) {
  blocks_t blocks = {{0}, {0}};
  for (size_t i = 0; i < count; ++i) {
    if (operand[i].reach == REACH_LANES && operand[i].write == write) {
      add_operand(&blocks, &operand[i], (uint64_t)lanes * core_type_bits(operand[i].type) / 8, repeat);
    }
  }
  return blocks;
}

static unsigned most_of_a_group(const blocks_t *blocks) {
  unsigned most = 0;
  for (unsigned i = 0; i < GROUPS; ++i) {
    most = blocks->of_group[i] > most ? blocks->of_group[i] : most;
  }
  return most;
}

static bool meet(const blocks_t *reads, const blocks_t *writes) {
  bool met = false;
  for (unsigned i = 0; i < LAYERS; ++i) {
    met = met || (reads->in_bank[i] & writes->in_bank[i]) != 0;
  }
  return met;
}

double core_vinst_bank_cycles(const core_lanes_operand_t *operand, size_t count, uint32_t lanes, uint64_t repeats,
                              const core_bank_rates_t *rates) {
  double cycles = 0;
  for (uint64_t r = 0; r < repeats; ++r) {
    const blocks_t reads = blocks_of(operand, count, lanes, r, false);
    const double needed = most_of_a_group(&reads) * rates->block, own = needed > rates->repeat ? needed : rates->repeat;
    const uint64_t behind = (uint64_t)ceil(rates->drain / own);
    cycles += own;
    if (r >= behind) {
      const blocks_t writes = blocks_of(operand, count, lanes, r - behind, true);
      cycles += meet(&reads, &writes) ? rates->block : 0;
    }
  }
  return cycles;
}
