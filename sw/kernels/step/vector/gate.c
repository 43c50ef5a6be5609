// GATE: scores of experts, the best of them one after the other, and their weights (NUMERICS section 8).
//
//   slot: logits, then scores [n][experts] | chosen [n][16] | weights [n][16]
//   V's own: choice, work [n][experts] | mask | rows of bias, negative numbers, -inf, 1 | masks of places | one FP32 a
//   token
//
// The best is a row's maximum, its number the largest negative number where that stands. Experts of groups that do not
// count lose their choice before: groups are scored one after the other, on rows where the others are -inf.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "kernels/step/vector/step_vector.h"

enum {
  TILE = 16 * 1024,  // of logits
  TOKENS_MAX = 64,
  SLOTS = 2,
  TOP_PITCH = 4 * STEP_MAX_TOP,
  CHOSEN = TILE,  // in a slot
  WEIGHTS = CHOSEN + TOKENS_MAX * TOP_PITCH,
  SLOT = WEIGHTS + TOKENS_MAX * TOP_PITCH,
  CHOICE = SLOTS * SLOT,
  WORK = CHOICE + TILE,
  MASK = WORK + TILE,
  MASK_BYTES = 4 * 1024,  // 64 tokens of 512 experts; with fewer experts rows of at least 32
  ROW = 4 * STEP_MAX_EXPERTS,
  BIAS = MASK + MASK_BYTES,
  NUMBERS = BIAS + ROW,
  LEAST = NUMBERS + ROW,
  ONES = LEAST + ROW,
  PLACES = ONES + ROW,  // of each place, which come before it: a mask
  PLACE_PITCH = 32,
  BEST = PLACES + STEP_MAX_TOP * PLACE_PITCH,
  SCORE = BEST + 4 * TOKENS_MAX,
  GROUPS = SCORE + 4 * TOKENS_MAX,             // [n][16]: scores of groups
  GROUP_OF = GROUPS + TOKENS_MAX * TOP_PITCH,  // of each expert its group's number, negative
  BELOW = GROUP_OF + ROW,                      // of each group, which experts stand before it: a mask
  BELOW_PITCH = STEP_MAX_EXPERTS / 8,
  KEPT = BELOW + (STEP_MAX_GROUPS + 1) * BELOW_PITCH,  // as CHOICE
  UB_TOP = KEPT + TILE,
  BIAS_EVENT = 8,
  TINY = 0x1e3ce508,  // 1e-20
};
_Static_assert((int)UB_TOP <= UB_BYTES, "UB is too small");

typedef struct gate {
  const step_gate_args_t *args;
  uint32_t pitch, mask_pitch, tile;
  slots_t slots;
} gate_t;

static void open(gate_t *g, const step_gate_args_t *args) {
  require(args->tokens >= 1 && args->experts >= 1 && args->experts <= STEP_MAX_EXPERTS && args->top >= 1 &&
              args->top <= STEP_MAX_TOP && args->top <= args->experts && args->scoring <= STEP_SIGMOID &&
              args->groups <= STEP_MAX_GROUPS && args->kept <= args->groups && args->groups >= 1 &&
              args->experts % args->groups == 0,
          PANIC_ARGUMENTS);
  g->args = args;
  g->pitch = round_up(4 * args->experts, UB_ALIGN);
  g->mask_pitch = round_up(ceil_div(args->experts, 8), UB_ALIGN);
  g->tile = min_u32(min_u32(TOKENS_MAX, TILE / g->pitch), MASK_BYTES / g->mask_pitch);
  g->slots = slots_at(0, SLOT, SLOTS);
}

static void make_constants(const gate_t *g) {
  const step_gate_args_t *args = g->args;
  if (args->bias != 0) {
    data_copy_gm_to_ub(.gm = args->bias, .gm_pitch = 4 * args->experts, .ub = BIAS, .ub_pitch = ROW, .rows = 1,
                       .row_bytes = 4 * args->experts);
    set_flag(PIPE_MTE2, PIPE_V, BIAS_EVENT);
    wait_flag(PIPE_MTE2, PIPE_V, BIAS_EVENT);
  }
  const uint32_t cols = max_u32(args->experts, STEP_MAX_TOP);
  vector_op(.op = VOP_COLUMN, .rows = 1, .cols = cols, .dst = NUMBERS, .dst_pitch = ROW);
  vector_op(.op = VOP_MUL, .rows = 1, .cols = cols, .dst = NUMBERS, .dst_pitch = ROW, .a = NUMBERS, .a_pitch = ROW,
            by_scalar(F32_MINUS_ONE));
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = args->experts, .dst = LEAST, .dst_pitch = ROW,
            by_scalar(F32_MINUS_INF));
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = args->experts, .dst = ONES, .dst_pitch = ROW, by_scalar(F32_ONE));
  for (uint32_t j = 1; j < max_u32(args->top, args->groups); ++j) {
    vector_op(.op = VOP_CMP_GT, .rows = 1, .cols = STEP_MAX_TOP, .dst = PLACES + j * PLACE_PITCH,
              .dst_pitch = PLACE_PITCH, .a = NUMBERS, .a_pitch = ROW, by_scalar(f32_of(j) | 0x80000000u));
  }
}

// Numbers of groups are written from the last one's down, each to all experts before its end.
static void make_groups(const gate_t *g) {
  const uint32_t size = g->args->experts / g->args->groups;
  for (uint32_t group = g->args->groups; group-- > 0;) {
    vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = (group + 1) * size, .dst = GROUP_OF, .dst_pitch = ROW,
              by_scalar(f32_of(group) | 0x80000000u));
    vector_op(.op = VOP_CMP_GT, .rows = 1, .cols = g->args->experts, .dst = BELOW + (group + 1) * BELOW_PITCH,
              .dst_pitch = BELOW_PITCH, .a = NUMBERS, .a_pitch = ROW,
              by_scalar(f32_of((group + 1) * size) | 0x80000000u));
  }
}

static void load(const gate_t *g, uint32_t token, uint32_t tokens, uint32_t use) {
  const step_gate_args_t *args = g->args;
  ring_wait_free(&g->slots.back, use);
  data_copy_gm_to_ub(.gm = args->logits + (uint64_t)token * args->logits_pitch, .gm_pitch = args->logits_pitch,
                     .ub = ring_slot(&g->slots.in, use), .ub_pitch = g->pitch, .rows = tokens,
                     .row_bytes = 4 * args->experts);
  ring_set_full(&g->slots.in, use);
}

static void softmax(const gate_t *g, uint32_t n, uint32_t x) {
  const uint32_t cols = g->args->experts, pitch = g->pitch;
  vector_op(.op = VOP_ROW_MAX, .rows = n, .cols = cols, .dst = BEST, .a = x, .a_pitch = pitch);
  vector_op(.op = VOP_SUB, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            by_row(BEST));
  vector_op(.op = VOP_EXP, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch);
  vector_op(.op = VOP_ROW_TREE, .rows = n, .cols = cols, .dst = BEST, .a = x, .a_pitch = pitch);
  vector_op(.op = VOP_DIV, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            by_row(BEST));
}

static void sigmoid(const gate_t *g, uint32_t n, uint32_t x) {
  const uint32_t cols = g->args->experts, pitch = g->pitch;
  vector_op(.op = VOP_MUL, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            by_scalar(F32_MINUS_ONE));
  vector_op(.op = VOP_EXP, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch);
  vector_op(.op = VOP_ADD, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            by_scalar(F32_ONE));
  vector_op(.op = VOP_DIV, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = ONES, .a_pitch = 0, .b = x,
            .b_pitch = pitch);
}

// Scores with the bias, or as they are: the larger of a score and itself.
static void make_choice(const gate_t *g, uint32_t n, uint32_t x) {
  const bool biased = g->args->bias != 0;
  vector_op(.op = biased ? VOP_ADD : VOP_MAX, .rows = n, .cols = g->args->experts, .dst = CHOICE, .dst_pitch = g->pitch,
            .a = x, .a_pitch = g->pitch, .b = biased ? BIAS : x, .b_pitch = biased ? 0 : g->pitch);
}

// BEST: the negative number of the largest of each row at `rows`, whose value is in `value`. MASK: where it stands.
// Work is where numbers are selected.
static void find_largest(const gate_t *g, uint32_t n, uint32_t cols, uint32_t rows, uint32_t pitch, uint32_t value,
                         uint32_t work) {
  const uint32_t mask = g->mask_pitch;
  vector_op(.op = VOP_ROW_MAX, .rows = n, .cols = cols, .dst = value, .a = rows, .a_pitch = pitch);
  vector_op(.op = VOP_CMP_EQ, .rows = n, .cols = cols, .dst = MASK, .dst_pitch = mask, .a = rows, .a_pitch = pitch,
            by_row(value));
  vector_op(.op = VOP_SELECT, .rows = n, .cols = cols, .dst = work, .dst_pitch = pitch, .a = NUMBERS, .a_pitch = 0,
            by_scalar(F32_MINUS_INF), .c = MASK, .c_pitch = mask);
  vector_op(.op = VOP_ROW_MAX, .rows = n, .cols = cols, .dst = BEST, .a = work, .a_pitch = pitch);
  vector_op(.op = VOP_CMP_EQ, .rows = n, .cols = cols, .dst = MASK, .dst_pitch = mask, .a = NUMBERS, .a_pitch = 0,
            by_row(BEST));
}

// What stands at MASK is no longer the largest.
static void remove_largest(const gate_t *g, uint32_t n, uint32_t cols, uint32_t rows, uint32_t pitch) {
  vector_op(.op = VOP_SELECT, .rows = n, .cols = cols, .dst = rows, .dst_pitch = pitch, .a = LEAST, .a_pitch = 0,
            .b = rows, .b_pitch = pitch, .c = MASK, .c_pitch = g->mask_pitch);
}

// BEST: the negative number of the best. MASK: where it stands. SCORE: its score.
static void find_best(const gate_t *g, uint32_t n, uint32_t x) {
  const uint32_t cols = g->args->experts, pitch = g->pitch, mask = g->mask_pitch;
  find_largest(g, n, cols, CHOICE, pitch, BEST, WORK);
  vector_op(.op = VOP_SELECT, .rows = n, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            by_scalar(F32_MINUS_INF), .c = MASK, .c_pitch = mask);
  vector_op(.op = VOP_ROW_MAX, .rows = n, .cols = cols, .dst = SCORE, .a = WORK, .a_pitch = pitch);
}

// A value a token to places j .. top - 1.
static void put(uint32_t n, uint32_t top, uint32_t j, uint32_t values, uint32_t to) {
  if (j == 0) {
    vector_op(.op = VOP_BROADCAST, .rows = n, .cols = top, .dst = to, .dst_pitch = TOP_PITCH, by_row(values));
  } else {
    vector_op(.op = VOP_SELECT, .rows = n, .cols = top, .dst = to, .dst_pitch = TOP_PITCH, .a = to,
              .a_pitch = TOP_PITCH, by_row(values), .c = PLACES + j * PLACE_PITCH, .c_pitch = 0);
  }
}

// SCORE of a group: its largest choice, or the sum of its two largest.
static void score_group(const gate_t *g, uint32_t n, uint32_t group) {
  const uint32_t cols = g->args->experts, pitch = g->pitch;
  vector_op(.op = VOP_SELECT, .rows = n, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = CHOICE, .a_pitch = pitch,
            by_scalar(F32_MINUS_INF), .c = BELOW + (group + 1) * BELOW_PITCH, .c_pitch = 0);
  if (group > 0) {
    vector_op(.op = VOP_SELECT, .rows = n, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = LEAST, .a_pitch = 0,
              .b = WORK, .b_pitch = pitch, .c = BELOW + group * BELOW_PITCH, .c_pitch = 0);
  }
  if (g->args->scoring == STEP_SOFTMAX) {
    vector_op(.op = VOP_ROW_MAX, .rows = n, .cols = cols, .dst = SCORE, .a = WORK, .a_pitch = pitch);
    return;
  }
  find_largest(g, n, cols, WORK, pitch, SCORE, KEPT);
  remove_largest(g, n, cols, WORK, pitch);
  vector_op(.op = VOP_ROW_MAX, .rows = n, .cols = cols, .dst = BEST, .a = WORK, .a_pitch = pitch);
  vector_op(.op = VOP_ADD, .rows = 1, .cols = n, .dst = SCORE, .dst_pitch = 4 * TOKENS_MAX, .a = SCORE,
            .a_pitch = 4 * TOKENS_MAX, .b = BEST, .b_pitch = 4 * TOKENS_MAX);
}

// Experts of groups that are not among the best lose their choice.
static void limit_groups(const gate_t *g, uint32_t n) {
  const uint32_t cols = g->args->experts, pitch = g->pitch, groups = g->args->groups;
  for (uint32_t group = 0; group < groups; ++group) {
    score_group(g, n, group);
    put(n, groups, group, SCORE, GROUPS);
  }
  vector_op(.op = VOP_BROADCAST, .rows = n, .cols = cols, .dst = KEPT, .dst_pitch = pitch, by_scalar(F32_MINUS_INF));
  for (uint32_t i = 0; i < g->args->kept; ++i) {
    find_largest(g, n, groups, GROUPS, TOP_PITCH, BEST, WORK);
    remove_largest(g, n, groups, GROUPS, TOP_PITCH);
    vector_op(.op = VOP_CMP_EQ, .rows = n, .cols = cols, .dst = MASK, .dst_pitch = g->mask_pitch, .a = GROUP_OF,
              .a_pitch = 0, by_row(BEST));
    vector_op(.op = VOP_SELECT, .rows = n, .cols = cols, .dst = KEPT, .dst_pitch = pitch, .a = CHOICE, .a_pitch = pitch,
              .b = KEPT, .b_pitch = pitch, .c = MASK, .c_pitch = g->mask_pitch);
  }
  vector_op(.op = VOP_MAX, .rows = n, .cols = cols, .dst = CHOICE, .dst_pitch = pitch, .a = KEPT, .a_pitch = pitch,
            .b = KEPT, .b_pitch = pitch);
}

static void choose(const gate_t *g, uint32_t n, uint32_t slot) {
  for (uint32_t j = 0; j < g->args->top; ++j) {
    find_best(g, n, slot);
    put(n, g->args->top, j, BEST, slot + CHOSEN);
    put(n, g->args->top, j, SCORE, slot + WEIGHTS);
    if (j + 1 < g->args->top) {
      remove_largest(g, n, g->args->experts, CHOICE, g->pitch);
    }
  }
}

// Negative numbers to numbers, scores to weights.
static void finish(const gate_t *g, uint32_t n, uint32_t slot) {
  const step_gate_args_t *args = g->args;
  const uint32_t chosen = slot + CHOSEN, weights = slot + WEIGHTS;
  vector_op(.op = VOP_MUL, .rows = n, .cols = args->top, .dst = chosen, .dst_pitch = TOP_PITCH, .a = chosen,
            .a_pitch = TOP_PITCH, by_scalar(F32_MINUS_ONE));
  vector_op(.op = VOP_CAST, .rows = n, .cols = args->top, .dst = chosen, .dst_pitch = TOP_PITCH, .a = chosen,
            .a_pitch = TOP_PITCH, .from = TYPE_F32, .to = TYPE_S32);
  if (args->normalise) {
    vector_op(.op = VOP_ROW_TREE, .rows = n, .cols = args->top, .dst = SCORE, .a = weights, .a_pitch = TOP_PITCH);
    vector_op(.op = VOP_ADD, .rows = 1, .cols = n, .dst = SCORE, .dst_pitch = 4 * TOKENS_MAX, .a = SCORE,
              .a_pitch = 4 * TOKENS_MAX, by_scalar(TINY));
    vector_op(.op = VOP_DIV, .rows = n, .cols = args->top, .dst = weights, .dst_pitch = TOP_PITCH, .a = weights,
              .a_pitch = TOP_PITCH, by_row(SCORE));
  }
  vector_op(.op = VOP_MUL, .rows = n, .cols = args->top, .dst = weights, .dst_pitch = TOP_PITCH, .a = weights,
            .a_pitch = TOP_PITCH, by_scalar(args->scale));
}

static void compute(const gate_t *g, uint32_t n, uint32_t use) {
  const uint32_t slot = ring_slot(&g->slots.in, use);
  ring_wait_full(&g->slots.in, use);
  if (g->args->scoring == STEP_SOFTMAX) {
    softmax(g, n, slot);
  } else {
    sigmoid(g, n, slot);
  }
  make_choice(g, n, slot);
  if (g->args->kept < g->args->groups) {
    limit_groups(g, n);
  }
  choose(g, n, slot);
  finish(g, n, slot);
  ring_set_full(&g->slots.out, use);
}

static void store(const gate_t *g, uint32_t token, uint32_t n, uint32_t use) {
  const uint32_t slot = ring_slot(&g->slots.in, use), bytes = 4 * g->args->top;
  const uint64_t first = (uint64_t)token * bytes;
  ring_wait_full(&g->slots.out, use);
  data_copy_ub_to_gm(.ub = slot + CHOSEN, .ub_pitch = TOP_PITCH, .gm = g->args->chosen + first, .gm_pitch = bytes,
                     .rows = n, .row_bytes = bytes, .op = GM_STORE);
  data_copy_ub_to_gm(.ub = slot + WEIGHTS, .ub_pitch = TOP_PITCH, .gm = g->args->weights + first, .gm_pitch = bytes,
                     .rows = n, .row_bytes = bytes, .op = GM_STORE);
  ring_set_free(&g->slots.back, use);
}

void step_gate_vector(const step_gate_args_t *args) {
  gate_t g;
  open(&g, args);
  const share_t share = share_of(args->tokens);
  if (share.first == share.end) {
    return;
  }
  uint32_t next = share.first, loads = 0;
  ring_open(&g.slots.back);
  make_constants(&g);
  if (args->kept < args->groups) {
    make_groups(&g);
  }
  for (uint32_t token = share.first, use = 0; token < share.end; token += g.tile, ++use) {
    for (; next < share.end && loads < use + SLOTS; next += g.tile, ++loads) {
      load(&g, next, min_u32(g.tile, share.end - next), loads);
    }
    const uint32_t tokens = min_u32(g.tile, share.end - token);
    compute(&g, tokens, use);
    store(&g, token, tokens, use);
  }
  ring_drain(&g.slots.back);
}
