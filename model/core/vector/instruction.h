// Instructions of the vector pipe (command VINST, hal/vector_instructions.def): their operands, and a function for each
// that computes lanes of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_VECTOR_INSTRUCTION_H
#define AMALGAM_CORE_VECTOR_INSTRUCTION_H

#include <string.h>

#include "base/size.h"
#include "core/core_internal.h"
#include "num/num_isa.h"

enum {
  CORE_REPEAT = 256,
  CORE_VECTOR_BLOCK = 32,
  CORE_LANES_MOST = 128,
  CORE_VINST_OPERANDS = 6,
  CORE_SORTED = 32,
  CORE_ONCE = 128 << 10,  // bytes of the result of an instruction that has no repeats
  CORE_LISTS = 4,
  CORE_PAIR = 8
};

// Which elements of an operand a repeat has: its lanes, or one for each group of so many neighbouring lanes of which
// one takes part; a few whenever a lane takes part; a bit for every lane of the repeat, in bytes; some of a table; or
// whole blocks.
typedef enum core_lanes_reach {
  REACH_LANES,
  REACH_GROUPS,
  REACH_FIRST,
  REACH_BITS,
  REACH_TABLE,
  REACH_TILE
} core_lanes_reach_t;

// Where an operand is.  dst is the last; if it is read as well it is there twice.
typedef struct core_lanes_operand {
  const char *field;
  bool write;
  uint32_t type;
  uint64_t base, block, repeat;  // bytes, from block to block and from repeat to repeat
  core_lanes_reach_t reach;
  uint32_t group;  // REACH_GROUPS: lanes; REACH_FIRST: elements; REACH_BITS, REACH_TABLE: bytes; REACH_TILE: blocks
  uint32_t align;  // of base
} core_lanes_operand_t;

// Lanes of a repeat, 128 at most; of an instruction whose types are some that it has.
static inline bool core_vinst_widens(const cmd_vinst_t *c) {
  return c->op == VI_MUL_ADD_DST_WIDE || c->op == VI_AXPY_WIDE;
}
static inline uint32_t core_vinst_lanes(const cmd_vinst_t *c) {
  const unsigned from = core_type_bits(c->type);
  const unsigned to = c->op == VI_CAST ? core_type_bits(c->to) : core_vinst_widens(c) ? 32 : 0;
  const unsigned wider = from > to ? from : to;
  return CORE_REPEAT * 8 / (wider > 16 ? wider : 16);
}

// Repeats of which the lanes of a mask take part, or all, and lanes of a last one, or 0.
static inline uint64_t core_vinst_repeats(const cmd_vinst_t *c) {
  return c->count > 0 ? c->count / core_vinst_lanes(c) : c->repeats;
}
static inline uint32_t core_vinst_rest(const cmd_vinst_t *c) { return c->count % core_vinst_lanes(c); }

// The lanes of a mask, 128 bits.
typedef struct core_lane_mask {
  uint64_t bits[2];
} core_lane_mask_t;

static inline bool core_lane(const core_lane_mask_t *mask, uint32_t lane) {
  return (mask->bits[lane / 64] >> lane % 64 & 1) != 0;
}
// The first count lanes.
static inline core_lane_mask_t core_first_lanes(uint32_t count) {
  return (core_lane_mask_t){{count >= 64 ? UINT64_MAX : (1ull << count) - 1, count >= 128 ? UINT64_MAX
                                                                             : count <= 64
                                                                                 ? 0
                                                                                 : (1ull << (count - 64)) - 1}};
}
// From the first lane on, those behind the last that takes part.
static inline uint32_t core_lanes_used(const core_lane_mask_t *mask) {
  return mask->bits[1] != 0   ? 128 - (uint32_t)__builtin_clzll(mask->bits[1])
         : mask->bits[0] != 0 ? 64 - (uint32_t)__builtin_clzll(mask->bits[0])
                              : 0;
}
static inline bool core_is_prefix(const core_lane_mask_t *mask) {
  const core_lane_mask_t prefix = core_first_lanes(core_lanes_used(mask));
  return prefix.bits[0] == mask->bits[0] && prefix.bits[1] == mask->bits[1];
}

// Do all of its lanes take part, whatever its mask?
static inline bool core_vinst_whole(const cmd_vinst_t *c) {
  return c->op == VI_BRCB || c->op == VI_SORT32 || c->op == VI_TRANSPOSE || c->op == VI_MRG_SORT4;
}
// Is it carried out once, whatever its repeats?
static inline bool core_vinst_once(const cmd_vinst_t *c) { return c->op == VI_GATHER_MASK || c->op == VI_MRG_SORT4; }

// Pairs of a list of MRG_SORT4.
static inline uint32_t core_list_pairs(const cmd_vinst_t *c, unsigned list) {
  return (uint32_t)(c->mask >> 16 * list & 0xffff);
}
static inline uint32_t core_list_at(const cmd_vinst_t *c, unsigned list) {
  const uint32_t at[CORE_LISTS] = {c->a, c->b, c->c, c->scalar};
  return c->repeats > 1 ? c->a + list * core_list_pairs(c, 0) * CORE_PAIR : at[list];
}

// Does GATHER_MASK take element i?  bits: those of b; NULL, where it goes by a pattern.
static inline bool core_takes(const cmd_vinst_t *c, const uint8_t *bits, uint64_t i) {
  static const uint8_t patterns[GATHER_COUNT] = {
      [GATHER_EVEN] = 0x55,       [GATHER_ODD] = 0xaa,         [GATHER_FIRST_OF_4] = 0x11, [GATHER_SECOND_OF_4] = 0x22,
      [GATHER_THIRD_OF_4] = 0x44, [GATHER_FOURTH_OF_4] = 0x88, [GATHER_ALL] = 0xff};
  const uint64_t at = c->mode == GATHER_SAME ? i % core_vinst_lanes(c) : i;
  const bool has_bits = c->mode == GATHER_BITS || c->mode == GATHER_SAME;
  return ((bits != NULL && has_bits ? bits[at / 8] : patterns[c->mode]) >> at % 8 & 1) != 0;
}

// The lanes of c's full repeats.
static inline core_lane_mask_t core_vinst_mask(const cmd_vinst_t *c) {
  return c->count > 0 || core_vinst_whole(c) ? core_first_lanes(core_vinst_lanes(c))
                                             : (core_lane_mask_t){{c->mask, c->mask_high}};
}

// The elements of an operand that belong to these lanes.
static inline core_lane_mask_t core_reached(const core_lanes_operand_t *o, const core_lane_mask_t *lanes) {
  core_lane_mask_t mask = {{0, 0}};
  switch (o->reach) {
    case REACH_LANES:
      return *lanes;
    case REACH_GROUPS:
      for (uint32_t i = 0; i < core_lanes_used(lanes); ++i) {
        mask.bits[0] |= (uint64_t)core_lane(lanes, i) << i / o->group;
      }
      return mask;
    case REACH_FIRST:
    case REACH_BITS:
    case REACH_TABLE:
    case REACH_TILE:
      break;
  }
  return core_first_lanes(core_lanes_used(lanes) > 0 ? o->group : 0);
}

// n lanes, side by side.  dst may be a or b, and else has no byte of them; instructions that read it find there what it
// was.  What has no lanes (reductions, bits) is computed for one repeat.
typedef struct core_lanes {
  uint32_t type, to, mode, scalar;
  size_t n;
  void *dst;
  const void *a, *b;
  const uint8_t *bits;           // of a selection
  const core_lane_mask_t *mask;  // of one repeat
  const cmd_vinst_t *command;    // of those that are carried out once, ...
  const uint8_t *ub;             // ... and what its addresses are in
} core_lanes_t;

#define VI(NAME, name, cost, form, types, value, follow, text) void core_vi_##name(const core_lanes_t *t);
#include "hal/vector_instructions.def"

// Lanes of the fullest repeat.
static inline core_lane_mask_t core_vinst_fullest(const cmd_vinst_t *c) {
  return c->count > 0 && c->count < core_vinst_lanes(c) ? core_first_lanes(c->count) : core_vinst_mask(c);
}

// Cycles of a repeat that no conflict holds up, of a block that a group reads or writes, and from a repeat's reads to
// its writes.
typedef struct core_bank_rates {
  double repeat, block, drain;
} core_bank_rates_t;

// Cycles of so many repeats of so many lanes: of operands in lanes, with the conflicts of UB's banks (banks.c).
double core_vinst_bank_cycles(const core_lanes_operand_t *operand, size_t count, uint32_t lanes, uint64_t repeats,
                              const core_bank_rates_t *rates);

// Carries it out on a vector core's UB.
void core_vinst_run(uint8_t *ub, const cmd_vinst_t *c, const core_lanes_operand_t *operand, size_t count,
                    void (*compute)(const core_lanes_t *t));

#endif
