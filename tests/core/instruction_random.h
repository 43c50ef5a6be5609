// Random legal instructions of the vector pipe.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_CORE_INSTRUCTION_RANDOM_H
#define AMALGAM_TESTS_CORE_INSTRUCTION_RANDOM_H

#include "core/tensor.h"
#include "core_test.h"

// The types of each instruction: VI_*, TYPE_BIT_*.
static const struct {
  uint32_t types;
} instruction_rows[VI_COUNT] = {
#define VI(NAME, name, cost, form, types, value, follow, text) [VI_##NAME] = {types},
#include "hal/vector_instructions.def"
};

static inline uint64_t random_bits(num_rng_t *rng, uint32_t lanes) {
  const uint64_t all = lanes >= 64 ? UINT64_MAX : (1ull << lanes) - 1;
  switch (random_below(rng, 4)) {
    case 0:
      return all;
    case 1:
      return all >> random_below(rng, lanes < 64 ? lanes : 64);
    case 2:
      return 0x5555555555555555u & all;
    default:
      return num_rng_u64(rng) & all;
  }
}

// The type of dst.
static inline uint32_t instruction_to(const cmd_vinst_t *c) {
  return c->op == VI_CAST ? c->to : c->op == VI_AXPY_WIDE || c->op == VI_MUL_ADD_DST_WIDE ? TYPE_F32 : c->type;
}

static inline uint32_t instruction_lanes(const cmd_vinst_t *c) {
  const unsigned from = core_type_bits(c->type), to = core_type_bits(instruction_to(c));
  const unsigned wider = from > to ? from : to;
  return wider == 8 ? 128 : 2048 / wider;
}

// Lists that lie apart, or, of several repeats, end to end.
static inline void random_lists(num_rng_t *rng, cmd_vinst_t *c, uint32_t quarter) {
  const uint64_t length = 1 + random_below(rng, 8);
  c->repeats = random_below(rng, 2) ? 1 : 2 + random_below(rng, 3);
  c->mode = c->repeats > 1 ? 0 : random_below(rng, MERGE_COUNT);
  c->mask = length * 0x0001000100010001u;
  for (unsigned i = 0; c->repeats == 1 && i < 4; ++i) {
    c->mask = c->mask << 16 | (i > 0 || c->mask == 0 ? random_below(rng, 20) : 1 + random_below(rng, 20));
  }
  c->mask |= c->mask == 0;
  c->dst = 32 * random_below(rng, 32);
  c->a = quarter + 32 * random_below(rng, 32);
  c->b = quarter + 2048 + 32 * random_below(rng, 32);
  c->c = 2 * quarter + 32 * random_below(rng, 32);
  c->scalar = 3 * quarter + 32 * random_below(rng, 32);
}

// A mask or a count, of at most so many repeats.
static inline void random_lanes(num_rng_t *rng, cmd_vinst_t *c, uint32_t repeats) {
  const uint32_t lanes = instruction_lanes(c);
  if (c->op == VI_BRCB || c->op == VI_SORT32 || c->op == VI_TRANSPOSE) {
    c->repeats = 1 + random_below(rng, repeats);
    return;
  }
  if (c->op == VI_GATHER_MASK) {
    c->count = 4 + random_below(rng, lanes * repeats - 3);
    return;
  }
  if (random_below(rng, 3) == 0) {
    c->count = 1 + random_below(rng, lanes * repeats);
    return;
  }
  c->repeats = 1 + random_below(rng, repeats);
  c->mask = random_bits(rng, lanes);
  c->mask_high = lanes > 64 ? random_bits(rng, lanes - 64) : 0;
  c->mask |= c->mask == 0 && c->mask_high == 0;
}

// Bytes, values that add up, or small ones.
static inline uint32_t random_scalar(num_rng_t *rng, const cmd_vinst_t *c) {
  if (c->op == VI_SHL || c->op == VI_SHR) {
    return random_below(rng, core_type_bits(c->type));
  }
  const uint32_t any = (uint32_t)num_rng_u64(rng);
  return random_below(rng, 2) ? any : c->type == TYPE_F32 ? 0x3fc00000u : c->type == TYPE_F16 ? 0x3e00 : any % 100;
}

// How a conversion rounds, and to what; what a reduction leaves; which bits a selection takes.
static inline void random_mode(num_rng_t *rng, cmd_vinst_t *c) {
  if (c->op == VI_CAST) {
    do {
      c->to = random_below(rng, TYPE_COUNT);
      c->mode = random_below(rng, VECTOR_ROUNDS);
    } while ((instruction_rows[VI_CAST].types >> c->to & 1) == 0 || (c->to == c->type && c->to != TYPE_F32) ||
             (c->mode == VECTOR_ODD &&
              ((c->to != TYPE_F32 && c->to != TYPE_F16 && c->to != TYPE_BF16) || c->to == c->type)));
  } else if (c->op == VI_WHOLE_MAX || c->op == VI_WHOLE_MIN) {
    c->mode = random_below(rng, CHOICE_COUNT);
  } else if (c->op == VI_GATHER_MASK) {
    c->mode = random_below(rng, GATHER_COUNT);
  } else if (c->op == VI_SELECT || c->op == VI_SELECTS) {
    c->mode = random_below(rng, SELECT_COUNT);
  }
}

// op on that type, with operands anywhere in so many bytes of UB, or in its four quarters if they lie apart.
static inline command_t random_instruction_of(num_rng_t *rng, uint32_t op, uint32_t type, uint32_t bytes, bool apart) {
  command_t command = COMMAND_OF(VINST, vinst, V, .op = op, .type = type);
  cmd_vinst_t *c = &command.vinst;
  const uint32_t quarter = bytes / 4, repeats = apart ? 4 : 1 + random_below(rng, 7);
  const uint32_t last = op == VI_TRANSPOSE && core_type_bits(type) == 16 ? 15 : 7;  // block of a repeat
  uint32_t *const place[] = {&c->dst, &c->a, &c->b}, *const step[] = {&c->dst_step, &c->a_step, &c->b_step};
  random_mode(rng, c);
  if (op != VI_MRG_SORT4) {
    random_lanes(rng, c, repeats);
  }
  c->c = 3 * quarter + 32 * random_below(rng, 8);
  for (uint32_t i = 0; i < 3; ++i) {
    // The last block ends within a quarter.
    const uint32_t block = apart ? 1 + random_below(rng, 2) : random_below(rng, 8) < 6 ? 1 : i > 0 ? 0 : 3;
    const uint32_t repeat = apart                  ? (last + 1) * block + random_below(rng, 4)
                            : random_below(rng, 2) ? 8
                                                   : random_below(rng, 12);
    const uint32_t used = 32 * (last * block + 1 + (repeats - 1) * repeat);
    const uint32_t room = apart ? quarter : bytes;
    *step[i] = VECTOR_STEP(block, repeat);
    *place[i] = (apart ? i * quarter : 0) + (used >= room ? 0 : random_below(rng, (room - used) / 32 + 1) * 32);
    if (!apart && i > 0 && random_below(rng, 4) == 0) {
      *place[i] = c->dst;
      *step[i] = c->dst_step;
    }
  }
  c->scalar = random_scalar(rng, c);
  if (c->op == VI_PAIR_SUM) {  // whose units of dst_step are larger
    c->dst = 32 * random_below(rng, 64);
    c->dst_step = VECTOR_STEP(0, apart + random_below(rng, 3));
  }
  if (c->op == VI_GATHER) {
    c->a = quarter + 32 * random_below(rng, 16);
    c->b = 3 * quarter;  // some offsets leave it
    c->scalar = 4 * (1 + random_below(rng, quarter / 4));
  }
  if (c->op == VI_AXPY_WIDE || c->op == VI_MUL_ADD_DST_WIDE) {  // no bits of a NaN are read as FP16
    c->dst = 32 * random_below(rng, 32);
    c->a = quarter + 32 * random_below(rng, 32);
    c->b = 2 * quarter + 32 * random_below(rng, 32);
  }
  if (c->op == VI_GATHER_MASK) {
    c->dst = 32 * random_below(rng, 32);
    c->a = (apart ? quarter : 0) + 32 * random_below(rng, 32);
    c->b = 3 * quarter + 32 * random_below(rng, 8);
  }
  if (c->op == VI_MRG_SORT4) {
    random_lists(rng, c, quarter);
  }
  if (c->op == VI_BRCB) {  // whose a is packed
    c->a = quarter + 32 * random_below(rng, 64);
  }
  if (c->op == VI_SORT32) {
    c->dst = 32 * random_below(rng, 64);
    c->a = quarter + 32 * random_below(rng, 64);
    c->b = (apart ? 2 * quarter : 0) + 32 * random_below(rng, 64);
  }
  return command;
}

static inline command_t random_instruction(num_rng_t *rng, uint32_t bytes, bool apart) {
  const uint32_t op = random_below(rng, VI_COUNT);
  uint32_t type;
  do {
    type = random_below(rng, TYPE_COUNT);
  } while ((instruction_rows[op].types >> type & 1) == 0);
  return random_instruction_of(rng, op, type, bytes, apart);
}

#endif
