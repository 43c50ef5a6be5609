// SPDX-License-Identifier: Apache-2.0
#include "fp8_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/golden/num_attention.h"
#include "num/num_fp8.h"
#include "num/num_rng.h"

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  if (memory == NULL) {
    printf("out of memory: %zu x %zu\n", count, size);
    abort();
  }
  return memory;
}

static fp8_shape_t with_defaults(fp8_shape_t shape) {
  shape.block = shape.block == 0 ? 512 : shape.block;
  shape.group = shape.group != 0 ? shape.group : shape.direct ? FP8_DIRECT_ROWS : 256;
  shape.vector_cores = shape.vector_cores == 0 ? 2 : shape.vector_cores;
  shape.depth = shape.depth == 0 ? 32 : shape.depth;
  if (shape.cores == 0) {
    shape.cores = shape.crossover ? 2 : 1;
  }
  return shape;
}

static uint32_t below(num_rng_t *rng, uint32_t limit) { return (uint32_t)(num_rng_u64(rng) % limit); }

static void *input(fp8_case_t *problem, int which, const char *name, uint64_t bytes) {
  problem->array[which] = (fp8_array_t){.name = name, .bytes = bytes, .data = allocate(bytes, 1)};
  return problem->array[which].data;
}

static void output(fp8_case_t *problem, int which, const char *name, uint64_t bytes) {
  problem->array[which] = (fp8_array_t){.name = name, .bytes = bytes};
}

static uint32_t pages_of(const fp8_shape_t *s) { return (s->tokens + s->page - 1) / s->page; }

// Tokens of the cache that belong to an entry.
static uint32_t slots_of(const fp8_shape_t *s) {
  return s->cache == FP8_PAGED ? s->batch * pages_of(s) * s->page : s->tokens;
}

// Token of the cache that holds token i of an entry.
static uint32_t slot_of(const fp8_case_t *problem, uint32_t entry, uint32_t i) {
  const fp8_shape_t *s = &problem->shape;
  if (s->cache != FP8_PAGED) {
    return i;
  }
  const int32_t *table = problem->array[FP8_TABLE].data;
  return (uint32_t)table[entry * pages_of(s) + i / s->page] * s->page + i % s->page;
}

static void fill_token(num_rng_t *rng, const fp8_shape_t *s, uint32_t place, uint8_t *token) {
  const double at = (double)place / s->tokens;
  const double sigma = s->trend == FP8_RISING ? 0.2 + 2 * at : s->trend == FP8_FALLING ? 2.2 - 2 * at : 1.0;
  num_bf16_t key[NUM_FP8_KEY];
  for (uint32_t i = 0; i < NUM_FP8_KEY; ++i) {
    key[i] = num_bf16_from_f32((float)(sigma * num_rng_normal(rng)));
    if (s->trend == FP8_EQUAL) {
      key[i] = num_bf16_from_f32((float)(i % 7) - 3.0f);
    }
  }
  num_fp8_encode(place % 2 == 0 ? NUM_FP8_SCALE_AMAX : NUM_FP8_SCALE_UE8M0, key, token, 1);
}

// Unused places are NaN.
static void fill_cache(fp8_case_t *problem, num_rng_t *rng) {
  const fp8_shape_t *s = &problem->shape;
  const uint32_t caches = s->cache == FP8_PAGED ? 1 : s->batch;
  const uint64_t bytes = (uint64_t)caches * slots_of(s) * FP8_TOKEN_BYTES;
  uint8_t *tokens = input(problem, FP8_TOKENS, "tokens", bytes);
  if (s->blank) {
    return;
  }
  memset(tokens, 0xff, bytes);
  for (uint32_t entry = 0; entry < s->batch; ++entry) {
    uint8_t *cache = tokens + (uint64_t)(caches == 1 ? 0 : entry) * slots_of(s) * FP8_TOKEN_BYTES;
    for (uint32_t i = 0; i < problem->length[entry]; ++i) {
      fill_token(rng, s, i, cache + (uint64_t)slot_of(problem, entry, i) * FP8_TOKEN_BYTES);
    }
  }
}

// Pages in disorder; those behind an entry's length are page 0x7fffffff / page: never to be used.
static void fill_table(fp8_case_t *problem, num_rng_t *rng) {
  const fp8_shape_t *s = &problem->shape;
  const uint32_t count = s->batch * pages_of(s);
  int32_t *table = input(problem, FP8_TABLE, "block_table", 4 * (uint64_t)count);
  problem->array[FP8_TABLE].numbers = true;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t j = below(rng, i + 1);
    table[i] = table[j];
    table[j] = (int32_t)i;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (i % pages_of(s) * s->page >= problem->length[i / pages_of(s)]) {
      table[i] = (int32_t)(0x7fffffffu / s->page);
    }
  }
}

// Any order, tokens more than once, some nobody's; behind the end of a list nothing sensible.
static void fill_index(fp8_case_t *problem, num_rng_t *rng) {
  const fp8_shape_t *s = &problem->shape;
  int32_t *index = input(problem, FP8_INDEX, "index", 4 * (uint64_t)problem->lists * s->topk);
  problem->array[FP8_INDEX].numbers = true;
  for (uint32_t i = 0; i < problem->lists * s->topk; ++i) {
    const uint32_t list = i / s->topk;
    const uint32_t length = problem->length[list / s->query_tokens];
    const bool none = length == 0 || below(rng, 8) == 0 || (list == 1 && i % s->topk < s->block);
    index[i] = i % s->topk >= problem->places[list] ? -77 : none ? -1 : (int32_t)below(rng, length);
  }
}

static uint32_t some_length(num_rng_t *rng, const fp8_shape_t *s, uint32_t i, uint32_t most) {
  if (!s->vary) {
    return most;
  }
  return i % 5 == 1 ? 0 : i % 5 == 2 ? 1 : below(rng, most + 1);
}

static void fill_lengths(fp8_case_t *problem, num_rng_t *rng) {
  const fp8_shape_t *s = &problem->shape;
  const bool sparse = s->cache == FP8_SPARSE;
  problem->lists = s->batch * (sparse ? s->query_tokens : 1);
  problem->rows = s->heads * (sparse ? 1 : s->query_tokens);
  problem->length = allocate(s->batch, sizeof *problem->length);
  problem->places = allocate(problem->lists, sizeof *problem->places);
  for (uint32_t i = 0; i < s->batch; ++i) {
    problem->length[i] = some_length(rng, s, i, s->tokens);
  }
  for (uint32_t i = 0; i < problem->lists; ++i) {
    problem->places[i] = sparse ? some_length(rng, s, i + 1, s->topk) : problem->length[i];
  }
}

static void place_outputs(fp8_case_t *problem) {
  const fp8_shape_t *s = &problem->shape;
  const uint32_t group = fp8_group_rows(problem->rows, s->group, s->crossover);
  const uint64_t rows = (uint64_t)problem->lists * problem->rows;
  const uint64_t slots = (uint64_t)s->cores * ATTENTION_SLOTS * group;
  const uint64_t rings = s->crossover ? s->cores / 2 : s->cores;
  output(problem, FP8_OUT, "out", rows * FP8_DV * (s->bf16 ? 2 : 4));
  output(problem, FP8_LSE, "lse", s->no_lse ? 0 : rows * 4);
  output(problem, FP8_S, "s", slots * s->block * 4);
  output(problem, FP8_P, "p", slots * s->block * 2);
  output(problem, FP8_O, "o", slots * FP8_DV * 4);
  output(problem, FP8_KV, "kv", rings * FP8_KV_SLOTS * s->block * FP8_DK * 2);
}

void fp8_case_init(fp8_case_t *problem, fp8_shape_t shape, uint64_t seed) {
  *problem = (fp8_case_t){.shape = with_defaults(shape)};
  const fp8_shape_t *s = &problem->shape;
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  fill_lengths(problem, &rng);
  const uint64_t count = (uint64_t)problem->lists * problem->rows * FP8_DK;
  num_bf16_t *q = input(problem, FP8_Q, "q", 2 * count);
  for (uint64_t i = 0; i < count && !s->blank; ++i) {
    q[i] = num_bf16_from_f32((float)num_rng_normal(&rng));
  }
  if (s->cache == FP8_PAGED) {
    fill_table(problem, &rng);
  }
  fill_cache(problem, &rng);
  if (s->cache == FP8_SPARSE) {
    fill_index(problem, &rng);
  }
  if (s->sinks) {
    float *sink = input(problem, FP8_SINK, "sink", 4 * (uint64_t)problem->rows);
    for (uint32_t i = 0; i < problem->rows; ++i) {
      const uint32_t head = i % s->heads;
      sink[i] = head % 7 == 3 ? INFINITY : head % 7 == 5 ? -INFINITY : (float)(head % 11) - 3.0f;
    }
  }
  place_outputs(problem);
}

void fp8_case_free(fp8_case_t *problem) {
  for (int i = 0; i < FP8_ARRAYS; ++i) {
    free(problem->array[i].data);
  }
  free(problem->length);
  free(problem->places);
}

void fp8_case_args(fp8_case_t *problem) {
  const fp8_shape_t *s = &problem->shape;
  const fp8_array_t *array = problem->array;
  const bool sparse = s->cache == FP8_SPARSE;
  const bool paged = s->cache == FP8_PAGED;
  problem->args = (fp8_args_t){
      .attention = {.q = array[FP8_Q].address,
                    .out = array[FP8_OUT].address,
                    .s = array[FP8_S].address,
                    .p = array[FP8_P].address,
                    .o = array[FP8_O].address,
                    .o_pitch = 4 * FP8_DV,
                    .batch = problem->lists,
                    .rows = problem->rows,
                    .group_rows = s->group,
                    .keys = 1,
                    .splits = 1,
                    .dk = FP8_DK,
                    .dv = FP8_DV,
                    .block = s->block,
                    .scale = num_f32_bits(0.0417f),
                    .cycles = {{s->tokens % 5, s->tokens % 3}, {s->tokens % 7, s->tokens % 2}},
                    .preload = 2 - s->preload,
                    .rescale = s->rescale,
                    .skip_noop = s->skip,
                    .out_f32 = !s->bf16,
                    .tiling = s->tiling,
                    .kv_buffers = s->kv_buffers,
                    .qp_buffers = s->qp_buffers},
      .tokens = array[FP8_TOKENS].address,
      .tokens_batch = paged ? 0 : (uint64_t)s->tokens * FP8_TOKEN_BYTES,
      .index = array[FP8_INDEX].address,
      .block_table = array[FP8_TABLE].address,
      .sink = array[FP8_SINK].address,
      .lse = array[FP8_LSE].address,
      .kv = array[FP8_KV].address,
      .index_pitch = sparse ? 4 * s->topk : 0,
      .block_table_pitch = paged ? 4 * pages_of(s) : 0,
      .page_size = s->page,
      .heads = s->heads,
      .query_tokens = s->query_tokens,
      .lists_of_entry = sparse ? s->query_tokens : 1,
      .causal = s->causal,
      .crossover = s->crossover,
      .direct = s->direct,
  };
  memcpy(problem->args.places, problem->places, problem->lists * sizeof *problem->places);
}

// The list of a query token, tokens of the cache.
static int32_t *list_of(const fp8_case_t *problem, uint32_t entry, uint32_t token, uint32_t *places) {
  const fp8_shape_t *s = &problem->shape;
  const bool sparse = s->cache == FP8_SPARSE;
  const uint32_t number = sparse ? entry * s->query_tokens + token : entry;
  *places = problem->places[number];
  int32_t *list = allocate(*places, sizeof *list);
  const uint32_t hidden = s->causal ? s->query_tokens - 1 - token : 0;
  for (uint32_t i = 0; i < *places; ++i) {
    if (sparse) {
      list[i] = ((const int32_t *)problem->array[FP8_INDEX].data)[number * s->topk + i];
    } else {
      list[i] = i + hidden >= *places ? -1 : (int32_t)slot_of(problem, entry, i);
    }
  }
  return list;
}

fp8_result_t fp8_case_expected(const fp8_case_t *problem) {
  const fp8_shape_t *s = &problem->shape;
  const uint32_t slots = slots_of(s);
  const uint64_t rows = (uint64_t)problem->lists * problem->rows;
  fp8_result_t expected = {allocate(rows * FP8_DV, sizeof(float)), allocate(rows, sizeof(float))};
  num_bf16_t *keys = allocate((size_t)slots * FP8_DK, sizeof *keys);
  for (uint32_t entry = 0; entry < s->batch; ++entry) {
    const uint64_t cache = s->cache == FP8_PAGED ? 0 : (uint64_t)entry * slots;
    num_fp8_decode((const uint8_t *)problem->array[FP8_TOKENS].data + cache * FP8_TOKEN_BYTES, keys, slots);
    for (uint32_t token = 0; token < s->query_tokens; ++token) {
      const uint64_t row = ((uint64_t)entry * s->query_tokens + token) * s->heads;
      num_attn_t attn = {.rows = s->heads,
                         .dk = FP8_DK,
                         .dv = FP8_DV,
                         .q = (const num_bf16_t *)problem->array[FP8_Q].data + row * FP8_DK,
                         .k = keys,
                         .ldk = FP8_DK,
                         .v = keys,
                         .ldv = FP8_DK,
                         .scale = 0.0417f,
                         .block = s->block,
                         .splits = 1,
                         .sink = problem->array[FP8_SINK].data};
      uint32_t places = 0;
      int32_t *list = list_of(problem, entry, token, &places);
      attn.index = list;
      attn.keys = places;
      if (num_attn_amla_lse(&attn, NUM_ISA_AUTO, s->skip ? NUM_ATTN_SKIP_NOOP : 0, expected.out + row * FP8_DV,
                            expected.lse + row, NULL) != 0) {
        abort();
      }
      free(list);
    }
  }
  free(keys);
  return expected;
}

size_t fp8_case_wrong(const fp8_case_t *problem, const fp8_result_t *expected, const void *out, const void *lse) {
  const uint64_t rows = (uint64_t)problem->lists * problem->rows;
  size_t wrong = 0;
  for (uint64_t i = 0; i < rows * FP8_DV; ++i) {
    wrong += problem->shape.bf16 ? ((const uint16_t *)out)[i] != num_bf16_from_f32(expected->out[i])
                                 : ((const uint32_t *)out)[i] != num_f32_bits(expected->out[i]);
  }
  for (uint64_t i = 0; i < rows && lse != NULL; ++i) {
    wrong += ((const uint32_t *)lse)[i] != num_f32_bits(expected->lse[i]);
  }
  return wrong;
}
