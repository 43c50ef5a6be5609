// Attention on the attention engines: prefill and decode, causal or masked, any number of query heads
// to a head of keys, any length.
//
// A unit is a tile of query tokens with all query heads of one head of keys, as many tokens as fit.
// Its queries stay in the engine's buffer while the keys pass in chunks:
//
//   LOAD    Q(u)  KV(u,0)  KV(u,1)  ...            Q(u+1)  KV(u+1,0)  ...
//   ATTN                   u x 0    u x 1    ...           (last one divides)
//   STORE                                    out(u)
//
// Triplets stay in the buffer from one chunk to the next. Queries, results and, if two chunks fit into
// the KV SRAM, keys have two places each: LOAD is a chunk and a unit ahead, so that the next head's
// keys come in while this one's are at work.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "hal/hal.h"
#include "kernels/engine/engine_args.h"
#include "lib/panic.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum { LINE = 32, MAX_DIM = 1024, KV_EVENT = 0, Q_EVENT = 2, OUT_EVENT = 0 };

// The part of the plan that is the same for all units.
typedef struct plan {
  engine_args_t args;
  uint32_t share;        // query heads of a head of keys
  uint32_t token_bytes;  // of a token's queries, or results, in a unit
  uint32_t mask_pitch;   // of a token's mask bits in the buffer, 0 without a mask
  uint32_t triplet_pitch;
  uint32_t tile;  // tokens of a unit
  uint32_t tiles;
  uint32_t blocks;    // of the engine
  uint32_t triplets;  // address
  ring_t kv, q, out;
} plan_t;

// One unit's place.
typedef struct unit {
  uint32_t number;  // among those of this engine
  uint32_t head;    // of keys
  uint32_t token, tokens;
  uint32_t keys;  // that any of its queries sees
} unit_t;

// One chunk's.
typedef struct chunk {
  uint32_t number;  // among those of this engine
  uint32_t first, keys, stride;
  bool last;
} chunk_t;

// --- the plan ---------------------------------------------------------------------------------

static void check(const engine_args_t *args, uint32_t kv_keys) {
  require(args->tokens > 0 && args->keys > 0 && args->kv_heads > 0, PANIC_ARGUMENTS);
  require(args->heads >= args->kv_heads && args->heads % args->kv_heads == 0, PANIC_ARGUMENTS);
  require(args->dim > 0 && args->dim % 16 == 0 && args->dim <= MAX_DIM, PANIC_ARGUMENTS);
  require(args->causal == 0 || (args->tokens <= args->keys && args->visible == 0), PANIC_ARGUMENTS);
  require(args->chunk > 0 && args->chunk <= kv_keys, PANIC_MACHINE);
  require(args->visible == 0 || args->chunk % 8 == 0, PANIC_ARGUMENTS);
}

// Places for two units' queries and masks and results, and one's triplets.
static void place(plan_t *plan, uint32_t buffer) {
  const engine_args_t *args = &plan->args;
  const uint32_t query = plan->token_bytes + plan->mask_pitch;
  const uint32_t triplets = plan->share * plan->triplet_pitch;
  const uint32_t token = 2 * query + 2 * plan->token_bytes + triplets;
  require(token <= buffer, PANIC_MACHINE);
  plan->tile = min_u32(buffer / token, args->tokens);
  plan->tiles = ceil_div(args->tokens, plan->tile);
  plan->q = (ring_t){.producer = PIPE_LOAD,
                     .consumer = PIPE_ATTN,
                     .event = Q_EVENT,
                     .slots = 2,
                     .base = 0,
                     .bytes = plan->tile * query};
  plan->out = (ring_t){.producer = PIPE_ATTN,
                       .consumer = PIPE_STORE,
                       .event = OUT_EVENT,
                       .slots = 2,
                       .base = 2 * plan->q.bytes,
                       .bytes = plan->tile * plan->token_bytes};
  plan->triplets = plan->out.base + 2 * plan->out.bytes;
}

static void make_plan(plan_t *plan) {
  plan->args = *(const engine_args_t *)hal_gm(hal_read(REG_ARGS));
  const engine_args_t *args = &plan->args;
  plan->blocks = (uint32_t)hal_read(REG_ENGINE_BLOCKS);
  const uint32_t rows = (uint32_t)hal_read(REG_ENGINE_ROWS);
  check(args, rows * plan->blocks);
  plan->share = args->heads / args->kv_heads;
  plan->token_bytes = plan->share * args->dim * 2;
  plan->mask_pitch = args->visible == 0 ? 0 : round_up(ceil_div(args->chunk, 8), LINE);
  plan->mask_pitch *= args->visible == 0 ? 0 : ceil_div(args->keys, args->chunk);
  plan->triplet_pitch = round_up(4 * (args->dim + 2), LINE);
  const uint32_t stride = ceil_div(args->chunk, plan->blocks);
  plan->kv = (ring_t){.producer = PIPE_LOAD,
                      .consumer = PIPE_ATTN,
                      .event = KV_EVENT,
                      .slots = 2 * stride <= rows ? 2 : 1,
                      .base = 0,
                      .bytes = stride};
  place(plan, (uint32_t)hal_read(REG_ENGINE_BUFFER));
}

// --- the walk ---------------------------------------------------------------------------------

static unit_t unit_at(const plan_t *plan, uint32_t index, uint32_t number) {
  const engine_args_t *args = &plan->args;
  const uint32_t tile = index / args->kv_heads;
  unit_t unit = {.number = number,
                 .head = index % args->kv_heads,
                 .token = tile * plan->tile,
                 .tokens = tile_length(args->tokens, plan->tile, tile),
                 .keys = args->keys};
  if (args->causal != 0) {
    unit.keys = args->keys - args->tokens + unit.token + unit.tokens;
  }
  return unit;
}

// Chunks are cut from all keys, whoever sees them.
static chunk_t chunk_at(const plan_t *plan, const unit_t *unit, uint32_t index, uint32_t number) {
  const engine_args_t *args = &plan->args;
  chunk_t chunk = {.number = number, .first = index * args->chunk, .keys = tile_length(args->keys, args->chunk, index)};
  chunk.stride = ceil_div(chunk.keys, plan->blocks);
  chunk.last = chunk.first + chunk.keys >= unit->keys;
  return chunk;
}

// --- commands ---------------------------------------------------------------------------------

static void load_queries(const plan_t *plan, const unit_t *unit) {
  const engine_args_t *args = &plan->args;
  const uint32_t slot = ring_slot(&plan->q, unit->number);
  ring_wait_free(&plan->q, unit->number);
  data_copy_gm_to_eb(.gm = args->q + (uint64_t)unit->token * args->q_pitch + (uint64_t)unit->head * plan->token_bytes,
                     .gm_pitch = args->q_pitch, .eb = slot, .eb_pitch = plan->token_bytes, .rows = unit->tokens,
                     .row_bytes = plan->token_bytes, .scale = args->scale);
  if (args->visible != 0) {
    // A chunk's bits begin with a line of their own.
    const uint32_t chunks = ceil_div(args->keys, args->chunk);
    for (uint32_t i = 0; i < chunks; ++i) {
      data_copy_gm_to_eb(.gm = args->visible + (uint64_t)unit->token * args->visible_pitch +
                               (uint64_t)i * args->chunk / 8,
                         .gm_pitch = args->visible_pitch,
                         .eb = slot + plan->tile * plan->token_bytes + i * (plan->mask_pitch / chunks),
                         .eb_pitch = plan->mask_pitch, .rows = unit->tokens,
                         .row_bytes = ceil_div(tile_length(args->keys, args->chunk, i), 8));
    }
  }
  ring_set_full(&plan->q, unit->number);
}

static void load_keys(const plan_t *plan, const unit_t *unit, const chunk_t *chunk) {
  const engine_args_t *args = &plan->args;
  const uint64_t head = (uint64_t)unit->head * args->dim * 2;
  ring_wait_free(&plan->kv, chunk->number);
  load_kv(.k_gm = args->k + (uint64_t)chunk->first * args->k_pitch + head, .k_pitch = args->k_pitch,
          .v_gm = args->v + (uint64_t)chunk->first * args->v_pitch + head, .v_pitch = args->v_pitch,
          .keys = chunk->keys, .row = ring_slot(&plan->kv, chunk->number), .stride = chunk->stride, .dim = args->dim);
  ring_set_full(&plan->kv, chunk->number);
}

// The first chunk waits for the queries, the last one frees them and gives the results.
static void attend(const plan_t *plan, const unit_t *unit, const chunk_t *chunk) {
  const engine_args_t *args = &plan->args;
  const uint32_t q = ring_slot(&plan->q, unit->number);
  const uint32_t past = args->keys - args->tokens + unit->token;  // keys before the unit's first
  const uint32_t mode = args->causal != 0 ? MASK_LIMIT : args->visible != 0 ? MASK_BITS : MASK_NONE;
  if (chunk->first == 0) {
    ring_wait_full(&plan->q, unit->number);
  } else {
    pipe_barrier(PIPE_ATTN);  // for the triplets of the chunk before
  }
  ring_wait_full(&plan->kv, chunk->number);
  if (chunk->last) {
    ring_wait_free(&plan->out, unit->number);
  }
  attention_op(.q = q, .queries = unit->tokens * plan->share, .dim = args->dim,
               .row = ring_slot(&plan->kv, chunk->number), .stride = chunk->stride, .keys = chunk->keys,
               .mask_mode = mode, .limit = past + 1 - chunk->first, .share = plan->share,
               .mask = q + plan->tile * plan->token_bytes +
                       chunk->first / args->chunk * (plan->mask_pitch / ceil_div(args->keys, args->chunk)),
               .mask_pitch = plan->mask_pitch, .carry = chunk->first > 0, .final = chunk->last,
               .triplet = plan->triplets, .triplet_pitch = plan->triplet_pitch,
               .out = ring_slot(&plan->out, unit->number));
  ring_set_free(&plan->kv, chunk->number);
  if (chunk->last) {
    ring_set_free(&plan->q, unit->number);
    ring_set_full(&plan->out, unit->number);
  }
}

static void store(const plan_t *plan, const unit_t *unit) {
  const engine_args_t *args = &plan->args;
  ring_wait_full(&plan->out, unit->number);
  data_copy_eb_to_gm(.eb = ring_slot(&plan->out, unit->number), .eb_pitch = plan->token_bytes,
                     .gm =
                         args->out + (uint64_t)unit->token * args->out_pitch + (uint64_t)unit->head * plan->token_bytes,
                     .gm_pitch = args->out_pitch, .rows = unit->tokens, .row_bytes = plan->token_bytes);
  ring_set_free(&plan->out, unit->number);
}

void engine_main(void) {
  plan_t plan;
  make_plan(&plan);
  ring_open(&plan.kv);
  ring_open(&plan.q);
  ring_open(&plan.out);
  const uint32_t units = plan.args.kv_heads * plan.tiles;
  const uint32_t engines = (uint32_t)hal_read(REG_CORE_COUNT);
  uint32_t unit_number = 0;
  uint32_t chunk_number = 0;
  for (uint32_t i = (uint32_t)hal_read(REG_CORE_INDEX); i < units; i += engines, ++unit_number) {
    const unit_t unit = unit_at(&plan, i, unit_number);
    chunk_t chunk = {.last = false};
    load_queries(&plan, &unit);
    for (uint32_t c = 0; !chunk.last; ++c) {
      chunk = chunk_at(&plan, &unit, c, chunk_number++);
      load_keys(&plan, &unit, &chunk);
      attend(&plan, &unit, &chunk);
    }
    store(&plan, &unit);
  }
  ring_drain(&plan.kv);
  ring_drain(&plan.q);
  ring_drain(&plan.out);
}
