// The attention engine's commands, in C: what its Verilog (rtl/attention) does with them.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "core_internal.h"
#include "num/num_bf16.h"
#include "num/num_format.h"

// --- loads and stores -------------------------------------------------------------------------

// The key of block b's row; its value follows it.
static num_bf16_t *kv_at(const core_memory_t *memory, size_t block, size_t row) {
  const size_t rows = memory->bytes[SPACE_KV];
  return (num_bf16_t *)(void *)memory->base[SPACE_KV] + (block * rows + row) * 2 * memory->engine->d;
}

void core_load_kv(const core_memory_t *memory, const cmd_load_kv_t *c) {
  const size_t bytes = (size_t)c->dim * sizeof(num_bf16_t);
  for (size_t j = 0; j < c->keys; ++j) {
    num_bf16_t *row = kv_at(memory, j / c->stride, c->row + j % c->stride);
    memcpy(row, core_at(memory, SPACE_GM, c->k_gm) + j * c->k_pitch, bytes);
    memcpy(row + c->dim, core_at(memory, SPACE_GM, c->v_gm) + j * c->v_pitch, bytes);
  }
}

void core_load_eb(const core_memory_t *memory, const cmd_load_eb_t *c) {
  for (size_t r = 0; r < c->rows; ++r) {
    uint8_t *to = core_at(memory, SPACE_EB, c->eb) + r * c->eb_pitch;
    memcpy(to, core_at(memory, SPACE_GM, c->gm) + r * c->gm_pitch, c->row_bytes);
    num_bf16_t *values = (num_bf16_t *)(void *)to;
    for (size_t i = 0; c->scale != 0 && i < c->row_bytes / sizeof *values; ++i) {
      values[i] = num_bf16_scale(values[i], num_f32_from_bits(c->scale));
    }
  }
}

void core_store_eb(const core_memory_t *memory, const cmd_store_eb_t *c) {
  for (size_t r = 0; r < c->rows; ++r) {
    memcpy(core_at(memory, SPACE_GM, c->gm) + r * c->gm_pitch, core_at(memory, SPACE_EB, c->eb) + r * c->eb_pitch,
           c->row_bytes);
  }
}

// --- triplets in EB ---------------------------------------------------------------------------

enum { POISON = 0x10000 };

void core_triplet_get(const core_memory_t *memory, const cmd_attn_t *c, size_t query, num_triplet_t *triplet) {
  const uint8_t *at = core_at(memory, SPACE_EB, c->triplet) + query * c->triplet_pitch;
  uint32_t head;
  memcpy(&head, at, sizeof head);
  triplet->m = (num_bf16_t)head;
  triplet->poison = (head & POISON) != 0;
  memcpy(triplet->o, at + sizeof head, ((size_t)c->dim + 1) * sizeof *triplet->o);
}

void core_triplet_put(const core_memory_t *memory, const cmd_attn_t *c, size_t query, const num_triplet_t *triplet) {
  uint8_t *at = core_at(memory, SPACE_EB, c->triplet) + query * c->triplet_pitch;
  const uint32_t head = triplet->m | (triplet->poison ? (uint32_t)POISON : 0);
  memcpy(at, &head, sizeof head);
  memcpy(at + sizeof head, triplet->o, ((size_t)c->dim + 1) * sizeof *triplet->o);
}

// --- which keys take part ---------------------------------------------------------------------

uint32_t core_attn_limit(const cmd_attn_t *c, size_t query) {
  if (c->mask_mode != MASK_LIMIT) {
    return c->keys;
  }
  const int64_t limit = (int64_t)(int32_t)c->limit + (int64_t)(query / c->share);
  return limit < 0 ? 0 : limit < c->keys ? (uint32_t)limit : c->keys;
}

bool core_attn_key(const core_memory_t *memory, const cmd_attn_t *c, size_t query, size_t key) {
  if (key >= core_attn_limit(c, query)) {
    return false;
  }
  const uint8_t *bits = core_at(memory, SPACE_EB, c->mask) + query / c->share * (size_t)c->mask_pitch;
  return c->mask_mode != MASK_BITS || (bits[key / 8] >> key % 8 & 1) != 0;
}

uint32_t core_attn_rows(const cmd_attn_t *c, size_t first, size_t queries) {
  uint32_t rows = 1;
  for (size_t i = first; i < c->queries && i < first + queries; ++i) {
    const uint32_t limit = core_attn_limit(c, i);
    const uint32_t needed = limit < c->stride ? limit : c->stride;
    rows = needed > rows ? needed : rows;
  }
  return rows;
}

// --- attention --------------------------------------------------------------------------------

// A chunk's keys, values [keys][d], and room for one query.
typedef struct work {
  num_bf16_t *k, *v;
  uint8_t *valid;                  // [keys]
  num_element_t *carry, *scratch;  // [d + 1] each
} work_t;

static void gather(const core_memory_t *memory, const cmd_attn_t *c, const work_t *work) {
  const size_t bytes = (size_t)c->dim * sizeof(num_bf16_t);
  for (size_t j = 0; j < c->keys; ++j) {
    const num_bf16_t *row = kv_at(memory, j / c->stride, c->row + j % c->stride);
    memcpy(work->k + j * c->dim, row, bytes);
    memcpy(work->v + j * c->dim, row + c->dim, bytes);
  }
}

// One query; blocks are those of the command (num_engine_chunk cuts keys evenly).
static void attend(const core_memory_t *memory, const cmd_attn_t *c, const work_t *work, size_t i) {
  const num_engine_t *engine = memory->engine;
  const num_bf16_t *q = (const num_bf16_t *)(const void *)core_at(memory, SPACE_EB, c->q) + i * c->dim;
  num_triplet_t carry = {.o = work->carry};
  if (c->carry != 0) {
    core_triplet_get(memory, c, i, &carry);
  } else {
    num_engine_clear(engine, &carry);
  }
  for (size_t j = 0; j < c->keys; ++j) {
    work->valid[j] = core_attn_key(memory, c, i, j);
  }
  num_triplet_t part = {.o = work->scratch};
  for (size_t b = 0; b < engine->blocks; ++b) {
    const size_t first = b * c->stride < c->keys ? b * c->stride : c->keys;
    const size_t n = c->keys - first < c->stride ? c->keys - first : c->stride;
    num_triplet_t *triplet = b == 0 ? &carry : &part;
    if (b > 0) {
      num_engine_clear(engine, triplet);
    }
    num_engine_fau(engine, q, work->k + first * c->dim, work->v + first * c->dim, work->valid + first, n, triplet);
    if (b > 0) {
      num_engine_acc(engine, &carry, triplet);
    }
  }
  if (c->final != 0) {
    num_engine_divide(engine, &carry, (num_bf16_t *)(void *)core_at(memory, SPACE_EB, c->out) + i * c->dim);
  } else {
    core_triplet_put(memory, c, i, &carry);
  }
}

void core_attn(const core_memory_t *memory, const cmd_attn_t *c) {
  const size_t elements = (size_t)c->keys * c->dim;
  uint8_t *room =
      malloc(2 * elements * sizeof(num_bf16_t) + 2 * ((size_t)c->dim + 1) * sizeof(num_element_t) + c->keys);
  if (room == NULL) {
    abort();  // some kilobytes
  }
  work_t work = {.carry = (num_element_t *)(void *)room};
  work.scratch = work.carry + c->dim + 1;
  work.k = (num_bf16_t *)(void *)(work.scratch + c->dim + 1);
  work.v = work.k + elements;
  work.valid = (uint8_t *)(void *)(work.v + elements);
  gather(memory, c, &work);
  for (size_t i = 0; i < c->queries; ++i) {
    attend(memory, c, &work, i);
  }
  free(room);
}
