// ATTN: an attention engine's queries over the keys of a chunk, in C: what its Verilog (rtl/attention) does with them.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "core/commands/command.h"

size_t core_attn_operands(const cmd_attn_t *c, core_operand_t *operand) {
  const uint64_t queries = core_mul(c->queries, (uint64_t)c->dim * 2);
  const core_operand_t triplets = core_rectangle(SPACE_EB, c->final == 0, "triplet", c->triplet, "triplet_pitch",
                                                 c->triplet_pitch, c->queries, core_triplet_bytes(c->dim));
  size_t count = 0;
  operand[count++] = core_run(SPACE_EB, false, "q", c->q, queries);
  operand[count++] = core_kv_rows(false, c->row, c->stride);
  if (c->mask_mode == MASK_BITS) {
    operand[count++] = core_rectangle(SPACE_EB, false, "mask", c->mask, "mask_pitch", c->mask_pitch,
                                      core_ceil_div(c->queries, c->share), core_ceil_div(c->keys, 8));
  }
  if (c->carry != 0) {
    operand[count] = triplets;
    operand[count++].access.write = false;
  }
  if (c->final == 0) {
    operand[count++] = triplets;
  } else {
    operand[count++] = core_run(SPACE_EB, true, "out", c->out, queries);
  }
  return count;
}

// Its result may take the place of its own query or triplet, but of nothing else that is read: the engine reads ahead.
static bool check_apart(const core_checker_t *check, const cmd_attn_t *c) {
  core_operand_t operand[CORE_MAX_ACCESSES];
  const size_t count = core_attn_operands(c, operand);
  if (!core_check_operands(check, operand, count)) {
    return false;
  }
  const core_operand_t *written = &operand[count - 1];
  const uint64_t begin = written->access.base;
  for (size_t i = 0; i + 1 < count; ++i) {
    const core_operand_t *read = &operand[i];
    const uint64_t base = read->access.base;
    const bool in_place =
        strcmp(read->field, written->field) == 0 || (strcmp(read->field, "q") == 0 && c->final != 0 && c->q == c->out);
    if (read->access.space == SPACE_EB && !in_place && base < begin + written->extent && begin < base + read->extent) {
      return core_wrong(check, "%s=0x%llx: overlaps %s=0x%llx, which is read", written->field,
                        (unsigned long long)begin, read->field, (unsigned long long)base);
    }
  }
  return true;
}

bool core_attn_check(const core_checker_t *check, const cmd_attn_t *c) {
  return core_one_or_more(check, "queries", c->queries) && core_check_dim(check, c->dim) &&
         core_expect(check, c->dim % 16 == 0, "dim", c->dim, "a multiple of 16") &&
         core_check_keys(check, c->keys, c->stride) && core_below(check, "mask_mode", c->mask_mode, MASK_MODE_COUNT) &&
         core_one_or_more(check, "share", c->share) && core_below(check, "carry", c->carry, 2) &&
         core_below(check, "final", c->final, 2) && check_apart(check, c);
}

// Rows of a triplet: words.
core_shape_t core_attn_shape(const cmd_attn_t *c, const core_operand_t *operand) {
  if (operand->access.space == SPACE_KV) {
    return (core_shape_t){.type = TYPE_BF16, .layout = CORE_KEYS, .rows = c->keys, .cols = 2 * (uint64_t)c->dim};
  }
  switch (operand->field[0]) {
    case 'm':
      return core_in_rows(CORE_TYPE_BIT, core_ceil_div(c->queries, c->share), c->keys);
    case 't':
      return core_in_rows(CORE_TYPE_U32, c->queries, (uint64_t)c->dim + 2);
    default:
      return core_in_rows(TYPE_BF16, c->queries, c->dim);
  }
}

size_t core_attn_sources(const cmd_attn_t *c, const core_tensor_t *tensors, size_t count, uint64_t row, uint64_t col,
                         core_source_t *source) {
  (void)col;
  for (size_t i = 0; i + 1 < count; ++i) {
    source[i] = core_row_of(i, tensors, tensors[i].field[0] == 'm' ? row / c->share : row);
    if (tensors[i].layout == CORE_KEYS) {
      source[i].row = 0;
      source[i].rows = core_attn_limit(c, row);
    }
  }
  return count - 1;
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
    const num_bf16_t *row = core_kv_at(memory, j / c->stride, c->row + j % c->stride);
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

void core_attn_execute(const core_memory_t *memory, const cmd_attn_t *c) {
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
