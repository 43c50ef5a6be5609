// CACHE: latents normalised, keys' last columns rotated, both to BF16; then, for an FP8 cache, to codes and scales.
//
//   slot: x [n][latent] | rotary [n][rope] | angles [n][2][rope] | key [n][latent + rope] BF16 | codes | scales
//   V's own: work [n][latent] | swapped [n][rope] | mask | weights, a row of infinities | one FP32 a row or a group
//
// A scale stands at every 32 bytes: four stores of one each give a token's.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "kernels/step/vector/step_vector.h"

enum {
  TOKENS_MAX = 8,                  // of a tile
  COLS_MAX = 1024,                 // latent + rope
  GROUPS = FP8_CODES / FP8_GROUP,  // of a token
  GROUP_PITCH = 4 * FP8_GROUP,
  MASK_PITCH = 32,
  SCALE_PITCH = 32,
  COLUMN = 4 * GROUPS * TOKENS_MAX,  // one FP32 a group; also one a token
  SLOTS = 2,
  WEIGHT_EVENT = 8,
};

typedef struct cache {
  const step_cache_args_t *args;
  bool fp8;
  uint32_t latent_pitch, rope_pitch, key_pitch;  // FP32, FP32, BF16
  uint32_t tile;
  uint32_t rotary, angles, key, codes, scales;  // in a slot
  uint32_t work, swapped, mask, weights, infinities, ones, sums, largest, zeros;
  slots_t slots;
} cache_t;

// Bytes in UB for a token, in a slot and beside it.
static uint32_t slot_bytes(const cache_t *c) {
  return c->latent_pitch + 3 * c->rope_pitch + c->key_pitch + (c->fp8 ? FP8_CODES + GROUPS * SCALE_PITCH : 0);
}
static uint32_t own_bytes(const cache_t *c) {
  return c->latent_pitch + c->rope_pitch + (c->fp8 ? GROUPS * MASK_PITCH : 0);
}

static void lay_out(cache_t *c) {
  const uint32_t n = c->tile;
  c->rotary = n * c->latent_pitch;
  c->angles = c->rotary + n * c->rope_pitch;
  c->key = c->angles + n * 2 * c->rope_pitch;
  c->codes = c->key + n * c->key_pitch;
  c->scales = c->codes + n * FP8_CODES;
  c->work = 0;
  c->swapped = n * c->latent_pitch;
  c->mask = c->swapped + n * c->rope_pitch;
  c->weights = n * own_bytes(c);
  c->infinities = c->weights + c->latent_pitch;
  c->ones = c->infinities + GROUP_PITCH;
  c->sums = c->ones + COLUMN;
  c->largest = c->sums + COLUMN;
  c->zeros = c->largest + COLUMN;
  c->slots = slots_at(c->zeros + MASK_PITCH, n * slot_bytes(c), SLOTS);
}

static void open(cache_t *c, const step_cache_args_t *args) {
  require(args->tokens >= 1 && args->tokens_of_entry >= 1 && args->latent >= 16 && args->latent % 16 == 0 &&
              args->rope >= 16 && args->rope % 16 == 0 && args->latent + args->rope <= COLS_MAX &&
              args->kind <= STEP_CACHE_FP8_UE8M0,
          PANIC_ARGUMENTS);
  c->args = args;
  c->fp8 = args->kind != STEP_CACHE_BF16;
  require(!c->fp8 || (args->latent == FP8_CODES && args->rope == FP8_DK - FP8_CODES), PANIC_ARGUMENTS);
  c->latent_pitch = 4 * args->latent;
  c->rope_pitch = 4 * args->rope;
  c->key_pitch = 2 * (args->latent + args->rope);
  const uint32_t fixed = c->latent_pitch + GROUP_PITCH + 3 * COLUMN + MASK_PITCH;
  c->tile = min_u32(TOKENS_MAX, (UB_BYTES - fixed) / (SLOTS * slot_bytes(c) + own_bytes(c)));
  lay_out(c);
  require(c->tile >= 1, PANIC_ARGUMENTS);
}

static void load_weights(const cache_t *c) {
  data_copy_gm_to_ub(.gm = c->args->weight, .gm_pitch = c->latent_pitch, .ub = c->weights, .ub_pitch = c->latent_pitch,
                     .rows = 1, .row_bytes = c->latent_pitch);
  set_flag(PIPE_MTE2, PIPE_V, WEIGHT_EVENT);
  wait_flag(PIPE_MTE2, PIPE_V, WEIGHT_EVENT);
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = FP8_GROUP, .dst = c->infinities, .dst_pitch = GROUP_PITCH,
            by_scalar(F32_INF));
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = COLUMN / 4, .dst = c->ones, .dst_pitch = COLUMN,
            by_scalar(F32_ONE));
}

static void load(const cache_t *c, uint32_t token, uint32_t tokens, uint32_t use) {
  const step_cache_args_t *args = c->args;
  const uint32_t slot = ring_slot(&c->slots.in, use);
  const uint64_t kv = args->kv + (uint64_t)token * args->kv_pitch;
  ring_wait_free(&c->slots.back, use);
  data_copy_gm_to_ub(.gm = kv, .gm_pitch = args->kv_pitch, .ub = slot, .ub_pitch = c->latent_pitch, .rows = tokens,
                     .row_bytes = c->latent_pitch);
  data_copy_gm_to_ub(.gm = kv + c->latent_pitch, .gm_pitch = args->kv_pitch, .ub = slot + c->rotary,
                     .ub_pitch = c->rope_pitch, .rows = tokens, .row_bytes = c->rope_pitch);
  data_copy_gm_to_ub(.gm = args->angles + (uint64_t)token * 2 * c->rope_pitch, .gm_pitch = 2 * c->rope_pitch,
                     .ub = slot + c->angles, .ub_pitch = 2 * c->rope_pitch, .rows = tokens,
                     .row_bytes = 2 * c->rope_pitch);
  ring_set_full(&c->slots.in, use);
}

// One FP32 a token, each operation on all of them: sums of squares to 1 / sqrt(mean + eps).
static void invert(const cache_t *c, uint32_t n) {
  vector_op(.op = VOP_DIV, .rows = 1, .cols = n, .dst = c->sums, .dst_pitch = COLUMN, .a = c->sums, .a_pitch = COLUMN,
            by_scalar(f32_of(c->args->latent)));
  vector_op(.op = VOP_ADD, .rows = 1, .cols = n, .dst = c->sums, .dst_pitch = COLUMN, .a = c->sums, .a_pitch = COLUMN,
            by_scalar(c->args->eps));
  vector_op(.op = VOP_SQRT, .rows = 1, .cols = n, .dst = c->sums, .dst_pitch = COLUMN, .a = c->sums, .a_pitch = COLUMN);
  vector_op(.op = VOP_DIV, .rows = 1, .cols = n, .dst = c->sums, .dst_pitch = COLUMN, .a = c->ones, .a_pitch = COLUMN,
            .b = c->sums, .b_pitch = COLUMN);
}

static void normalise(const cache_t *c, uint32_t n, uint32_t slot) {
  const uint32_t cols = c->args->latent, pitch = c->latent_pitch;
  vector_op(.op = VOP_MUL, .rows = n, .cols = cols, .dst = c->work, .dst_pitch = pitch, .a = slot, .a_pitch = pitch,
            .b = slot, .b_pitch = pitch);
  vector_op(.op = VOP_ROW_TREE, .rows = n, .cols = cols, .dst = c->sums, .a = c->work, .a_pitch = pitch);
  invert(c, n);
  vector_op(.op = VOP_MUL, .rows = n, .cols = cols, .dst = c->work, .dst_pitch = pitch, .a = slot, .a_pitch = pitch,
            by_row(c->sums));
  vector_op(.op = VOP_MUL, .rows = n, .cols = cols, .dst = c->work, .dst_pitch = pitch, .a = c->work, .a_pitch = pitch,
            .b = c->weights, .b_pitch = 0);
  vector_op(.op = VOP_CAST, .rows = n, .cols = cols, .dst = slot + c->key, .dst_pitch = c->key_pitch, .a = c->work,
            .a_pitch = pitch, .from = TYPE_F32, .to = TYPE_BF16);
}

static void rotate(const cache_t *c, uint32_t n, uint32_t slot) {
  const uint32_t cols = c->args->rope, pitch = c->rope_pitch, x = slot + c->rotary, angles = slot + c->angles;
  vector_op(.op = VOP_SWAP, .rows = n, .cols = cols, .dst = c->swapped, .dst_pitch = pitch, .a = x, .a_pitch = pitch);
  vector_op(.op = VOP_MUL, .rows = n, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch, .b = angles,
            .b_pitch = 2 * pitch);
  vector_op(.op = VOP_FMA, .rows = n, .cols = cols, .dst = c->swapped, .dst_pitch = pitch, .a = c->swapped,
            .a_pitch = pitch, .b = angles + pitch, .b_pitch = 2 * pitch, .c = x, .c_pitch = pitch);
  vector_op(.op = VOP_CAST, .rows = n, .cols = cols, .dst = slot + c->key + 2 * c->args->latent,
            .dst_pitch = c->key_pitch, .a = c->swapped, .a_pitch = pitch, .from = TYPE_F32, .to = TYPE_BF16);
}

// Largest magnitudes of groups, of finite values alone: a comparison with infinity leaves out NaNs, too.
static void find_largest(const cache_t *c, uint32_t groups, uint32_t x) {
  vector_op(.op = VOP_AND, .rows = groups, .cols = FP8_GROUP, .dst = c->work, .dst_pitch = GROUP_PITCH, .a = x,
            .a_pitch = GROUP_PITCH, by_scalar(0x7fffffff));
  vector_op(.op = VOP_CMP_GT, .rows = groups, .cols = FP8_GROUP, .dst = c->mask, .dst_pitch = MASK_PITCH,
            .a = c->infinities, .a_pitch = 0, .b = c->work, .b_pitch = GROUP_PITCH);
  vector_op(.op = VOP_SELECT, .rows = groups, .cols = FP8_GROUP, .dst = c->work, .dst_pitch = GROUP_PITCH, .a = c->work,
            .a_pitch = GROUP_PITCH, by_scalar(0), .c = c->mask, .c_pitch = MASK_PITCH);
  vector_op(.op = VOP_ROW_MAX, .rows = groups, .cols = FP8_GROUP, .dst = c->largest, .a = c->work,
            .a_pitch = GROUP_PITCH);
}

// largest / 448, or the power of two that is not below that and 1e-4; 1 for a group of zeros.
static void find_scales(const cache_t *c, uint32_t groups) {
  vector_op(.op = VOP_CMP_EQ, .rows = 1, .cols = groups, .dst = c->zeros, .dst_pitch = MASK_PITCH, .a = c->largest,
            .a_pitch = COLUMN, by_scalar(0));
  vector_op(.op = VOP_DIV, .rows = 1, .cols = groups, .dst = c->sums, .dst_pitch = COLUMN, .a = c->largest,
            .a_pitch = COLUMN, by_scalar(0x43e00000));  // 448
  if (c->args->kind == STEP_CACHE_FP8_UE8M0) {
    vector_op(.op = VOP_MAX, .rows = 1, .cols = groups, .dst = c->sums, .dst_pitch = COLUMN, .a = c->sums,
              .a_pitch = COLUMN, by_scalar(0x38d1b717));  // 1e-4
    vector_op(.op = VOP_ADD_S32, .rows = 1, .cols = groups, .dst = c->sums, .dst_pitch = COLUMN, .a = c->sums,
              .a_pitch = COLUMN, by_scalar(0x007fffff));
    vector_op(.op = VOP_AND, .rows = 1, .cols = groups, .dst = c->sums, .dst_pitch = COLUMN, .a = c->sums,
              .a_pitch = COLUMN, by_scalar(0x7f800000));
  }
  vector_op(.op = VOP_SELECT, .rows = 1, .cols = groups, .dst = c->sums, .dst_pitch = COLUMN, .a = c->ones,
            .a_pitch = COLUMN, .b = c->sums, .b_pitch = COLUMN, .c = c->zeros, .c_pitch = MASK_PITCH);
}

// From the BF16 values, which x gets once more in FP32.
static void quantise(const cache_t *c, uint32_t n, uint32_t slot) {
  const uint32_t groups = n * GROUPS;
  vector_op(.op = VOP_CAST, .rows = n, .cols = FP8_CODES, .dst = slot, .dst_pitch = c->latent_pitch, .a = slot + c->key,
            .a_pitch = c->key_pitch, .from = TYPE_BF16, .to = TYPE_F32);
  find_largest(c, groups, slot);
  find_scales(c, groups);
  vector_op(.op = VOP_DIV, .rows = groups, .cols = FP8_GROUP, .dst = slot, .dst_pitch = GROUP_PITCH, .a = slot,
            .a_pitch = GROUP_PITCH, by_row(c->sums));
  vector_op(.op = VOP_CAST, .rows = n, .cols = FP8_CODES, .dst = slot + c->codes, .dst_pitch = FP8_CODES, .a = slot,
            .a_pitch = c->latent_pitch, .from = TYPE_F32, .to = TYPE_E4M3);
  vector_op(.op = VOP_BROADCAST, .rows = groups, .cols = SCALE_PITCH / 4, .dst = slot + c->scales,
            .dst_pitch = SCALE_PITCH, by_row(c->sums));
}

static void compute(const cache_t *c, uint32_t n, uint32_t use) {
  const uint32_t slot = ring_slot(&c->slots.in, use);
  ring_wait_full(&c->slots.in, use);
  normalise(c, n, slot);
  rotate(c, n, slot);
  if (c->fp8) {
    quantise(c, n, slot);
  }
  ring_set_full(&c->slots.out, use);
}

// Tokens at .. at + n - 1 of the slot, to places that lie `pitch` apart.
static void store_run(const cache_t *c, uint32_t slot, uint32_t at, uint32_t n, uint64_t gm, uint32_t pitch) {
  const uint32_t key = slot + c->key + at * c->key_pitch;
  if (!c->fp8) {
    data_copy_ub_to_gm(.ub = key, .ub_pitch = c->key_pitch, .gm = gm, .gm_pitch = pitch, .rows = n,
                       .row_bytes = c->key_pitch, .op = GM_STORE);
    return;
  }
  data_copy_ub_to_gm(.ub = slot + c->codes + at * FP8_CODES, .ub_pitch = FP8_CODES, .gm = gm, .gm_pitch = pitch,
                     .rows = n, .row_bytes = FP8_CODES, .op = GM_STORE);
  for (uint32_t g = 0; g < GROUPS; ++g) {
    data_copy_ub_to_gm(.ub = slot + c->scales + (at * GROUPS + g) * SCALE_PITCH, .ub_pitch = GROUPS * SCALE_PITCH,
                       .gm = gm + FP8_SCALES_AT + 4 * g, .gm_pitch = pitch, .rows = n, .row_bytes = 4, .op = GM_STORE);
  }
  data_copy_ub_to_gm(.ub = key + 2 * FP8_CODES, .ub_pitch = c->key_pitch, .gm = gm + FP8_ROPE_AT, .gm_pitch = pitch,
                     .rows = n, .row_bytes = c->key_pitch - 2 * FP8_CODES, .op = GM_STORE);
}

// A run is of one entry; or, of one token each, of several.
static void store(const cache_t *c, uint32_t token, uint32_t tokens, uint32_t use) {
  const step_cache_args_t *args = c->args;
  const uint32_t of_entry = args->tokens_of_entry, slot = ring_slot(&c->slots.in, use);
  const bool apart = of_entry == 1 && args->batch_bytes <= UINT32_MAX;
  ring_wait_full(&c->slots.out, use);
  for (uint32_t at = 0; at < tokens;) {
    const uint32_t entry = (token + at) / of_entry, in_entry = (token + at) % of_entry;
    const uint32_t n = apart ? tokens : min_u32(tokens - at, of_entry - in_entry);
    store_run(c, slot, at, n,
              args->cache + entry * args->batch_bytes + (uint64_t)(args->past + in_entry) * args->place_bytes,
              apart ? (uint32_t)args->batch_bytes : args->place_bytes);
    at += n;
  }
  ring_set_free(&c->slots.back, use);
}

void step_cache_vector(const step_cache_args_t *args) {
  cache_t c;
  open(&c, args);
  const share_t share = share_of(args->tokens);
  if (share.first == share.end) {
    return;
  }
  uint32_t next = share.first, loads = 0;
  ring_open(&c.slots.back);
  load_weights(&c);
  for (uint32_t token = share.first, use = 0; token < share.end; token += c.tile, ++use) {
    for (; next < share.end && loads < use + SLOTS; next += c.tile, ++loads) {
      load(&c, next, min_u32(c.tile, share.end - next), loads);
    }
    const uint32_t tokens = min_u32(c.tile, share.end - token);
    compute(&c, tokens, use);
    store(&c, token, tokens, use);
  }
  ring_drain(&c.slots.back);
}
