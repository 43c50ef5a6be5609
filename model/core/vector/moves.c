// Instructions of the vector pipe that move lanes, or choose them.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/instruction.h"

static bool is_wide(uint32_t type) { return type == TYPE_F32 || type == TYPE_S32 || type == TYPE_U32; }

#define FILL(name, type)                                         \
  NUM_CLONES static void name(type *dst, type value, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                             \
      dst[i] = value;                                            \
    }                                                            \
  }
FILL(fill_words, uint32_t)
FILL(fill_halves, uint16_t)

void core_vi_duplicate(const core_lanes_t *t) {
  if (is_wide(t->type)) {
    fill_words(t->dst, t->scalar, t->n);
  } else {
    fill_halves(t->dst, (uint16_t)t->scalar, t->n);
  }
}

void core_vi_copy(const core_lanes_t *t) { memmove(t->dst, t->a, t->n * (is_wide(t->type) ? 4 : 2)); }

void core_vi_brcb(const core_lanes_t *t) {
  for (size_t i = 0; i < 8; ++i) {
    if (is_wide(t->type)) {
      fill_words((uint32_t *)t->dst + 8 * i, ((const uint32_t *)t->a)[i], 8);
    } else {
      fill_halves((uint16_t *)t->dst + 16 * i, ((const uint16_t *)t->a)[i], 16);
    }
  }
}

// b's lanes, or its one value.
#define CHOOSE(name, type)                                                                                \
  NUM_CLONES                                                                                              \
  static void name(type *dst, const type *a, const type *b, size_t step, const uint8_t *bits, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                                                                      \
      dst[i] = (bits[i / 8] >> i % 8 & 1) != 0 ? a[i] : b[i * step];                                      \
    }                                                                                                     \
  }
CHOOSE(choose_words, uint32_t)
CHOOSE(choose_halves, uint16_t)

static void choose(const core_lanes_t *t, const void *b, size_t step) {
  if (is_wide(t->type)) {
    choose_words(t->dst, t->a, b, step, t->bits, t->n);
  } else {
    choose_halves(t->dst, t->a, b, step, t->bits, t->n);
  }
}

void core_vi_select(const core_lanes_t *t) { choose(t, t->b, 1); }

void core_vi_selects(const core_lanes_t *t) {
  const uint16_t half = (uint16_t)t->scalar;
  choose(t, is_wide(t->type) ? (const void *)&t->scalar : (const void *)&half, 0);
}

// Elements at byte offsets in a table; 0 for an offset that leaves it.
#define GATHER(name, type)                                                                               \
  static void name(type *dst, const uint32_t *offsets, const uint8_t *table, uint32_t bytes, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                                                                     \
      dst[i] = 0;                                                                                        \
      if ((uint64_t)offsets[i] + sizeof *dst <= bytes) {                                                 \
        memcpy(dst + i, table + offsets[i], sizeof *dst);                                                \
      }                                                                                                  \
    }                                                                                                    \
  }
GATHER(gather_words, uint32_t)
GATHER(gather_halves, uint16_t)

void core_vi_gather(const core_lanes_t *t) {
  if (is_wide(t->type)) {
    gather_words(t->dst, t->a, t->b, t->scalar, t->n);
  } else {
    gather_halves(t->dst, t->a, t->b, t->scalar, t->n);
  }
}

// In the order of bits as sign and magnitude, which is that of numbers, with +0 before -0 and NaNs beyond infinities.
static int32_t order_of(uint32_t type, uint32_t bits) {
  const uint32_t wide = type == TYPE_F16 ? bits << 16 : bits;
  return (int32_t)((wide >> 31) != 0 ? wide ^ 0x7fffffffu : wide);
}

// Descending; those of one order stay in it.
void core_vi_sort32(const core_lanes_t *t) {
  uint32_t *dst = t->dst;
  for (uint32_t n = 0; n < CORE_SORTED; ++n) {
    const uint32_t score = t->type == TYPE_F16 ? ((const uint16_t *)t->a)[n] : ((const uint32_t *)t->a)[n];
    uint32_t place = n;
    for (; place > 0 && order_of(t->type, dst[2 * place - 2]) < order_of(t->type, score); --place) {
      memcpy(dst + 2 * place, dst + 2 * place - 2, 2 * sizeof *dst);
    }
    dst[2 * place] = score;
    dst[2 * place + 1] = ((const uint32_t *)t->b)[n];
  }
}

#define TURN(name, type)                                 \
  static void name(type *dst, const type *a, size_t n) { \
    for (size_t i = 0; i < n * n; ++i) {                 \
      dst[i] = a[i % n * n + i / n];                     \
    }                                                    \
  }
TURN(turn_words, uint32_t)
TURN(turn_halves, uint16_t)

void core_vi_transpose(const core_lanes_t *t) {
  if (is_wide(t->type)) {
    turn_words(t->dst, t->a, CORE_VECTOR_BLOCK / 4);
  } else {
    turn_halves(t->dst, t->a, CORE_VECTOR_BLOCK / 2);
  }
}

void core_vi_gather_mask(const core_lanes_t *t) {
  const cmd_vinst_t *c = t->command;
  const size_t bytes = core_type_bits(c->type) / 8, step = (size_t)(c->a_step & 0xffff) * CORE_VECTOR_BLOCK;
  const uint8_t *a = t->ub + c->a;
  uint8_t *dst = t->dst;
  for (size_t i = 0; i < c->count; ++i) {
    if (core_takes(c, t->ub + c->b, i)) {
      const size_t byte = i * bytes;
      memcpy(dst, a + byte / CORE_VECTOR_BLOCK * step + byte % CORE_VECTOR_BLOCK, bytes);
      dst += bytes;
    }
  }
}

// What is left of a repeat's lists.
typedef struct lists {
  uint32_t type, left[CORE_LISTS];
  const uint8_t *head[CORE_LISTS];
} lists_t;

static int32_t order_at(const lists_t *l, unsigned list) {
  uint32_t score;
  memcpy(&score, l->head[list], sizeof score);
  return order_of(l->type, score);
}

// The list whose head comes next, or CORE_LISTS.
static unsigned next_list(const lists_t *l) {
  unsigned best = CORE_LISTS;
  for (unsigned i = 0; i < CORE_LISTS; ++i) {
    if (l->left[i] > 0 && (best == CORE_LISTS || order_at(l, i) > order_at(l, best))) {
      best = i;
    }
  }
  return best;
}

// Returns what is behind the pairs that it has written.
static uint8_t *merge(lists_t *l, bool to_end, uint8_t *dst) {
  for (unsigned list = next_list(l); list < CORE_LISTS; list = next_list(l)) {
    memcpy(dst, l->head[list], CORE_PAIR);
    dst += CORE_PAIR;
    l->head[list] += CORE_PAIR;
    if (--l->left[list] == 0 && to_end) {
      break;
    }
  }
  return dst;
}

void core_vi_mrg_sort4(const core_lanes_t *t) {
  const cmd_vinst_t *c = t->command;
  uint8_t *dst = t->dst;
  for (uint32_t r = 0; r < c->repeats; ++r) {
    lists_t l = {.type = c->type};
    for (unsigned i = 0; i < CORE_LISTS; ++i) {
      l.left[i] = core_list_pairs(c, i);
      l.head[i] = t->ub + core_list_at(c, i) + (size_t)r * CORE_LISTS * l.left[i] * CORE_PAIR;
    }
    dst = merge(&l, c->mode == MERGE_TO_END, dst);
  }
}
