// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_made_up.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "host/parallel.h"
#include "num/num_rng.h"
#include "soc/soc.h"

static const size_t max_bytes = (size_t)4 << 30;
static const size_t max_keys_bytes = (size_t)256 << 20;  // that are kept beside the tokens

enum { STREAM_Q, STREAM_K, STREAMS, CHUNK = 64, NOTHING = 0xff };

// Further seeds: of the pages and of the indices.
enum { SEED_PAGES = 0x70616765, SEED_INDICES = 0x696e6465 };

// --- queries and keys -------------------------------------------------------------------------

typedef struct work {
  fp8_problem_t *problem;
  const made_up_t *made_up;
  num_fp8_scale_t kind;
} work_t;

// Tokens of an entry, from `first` on: made up, quantised, kept.
static void make_tokens(const work_t *work, size_t entry, size_t first, size_t count) {
  const fp8_problem_t *p = work->problem;
  const size_t slot = entry * p->capacity + first;
  uint16_t chunk[CHUNK * NUM_FP8_KEY];
  uint16_t *key = p->keys == NULL ? chunk : p->keys + slot * NUM_FP8_KEY;
  made_up_fill(work->made_up, entry * STREAMS + STREAM_K, first * NUM_FP8_KEY, count * NUM_FP8_KEY, key);
  num_fp8_encode(work->kind, key, p->tokens + slot * NUM_FP8_TOKEN_BYTES, count);
}

// first .. end - 1 are slots.
static bool make_slots(void *context, size_t first, size_t end) {
  const work_t *work = context;
  const fp8_problem_t *p = work->problem;
  while (first < end) {
    const size_t entry = first / p->capacity;
    const size_t position = first % p->capacity;
    const size_t length = (size_t)p->length[entry];
    size_t count = smaller(end - first, p->capacity - position);
    if (position < length) {
      count = smaller(smaller(count, length - position), CHUNK);
      make_tokens(work, entry, position, count);
    } else {
      memset(p->tokens + first * NUM_FP8_TOKEN_BYTES, NOTHING, count * NUM_FP8_TOKEN_BYTES);
    }
    first += count;
  }
  return true;
}

// first .. end - 1 are entries.
static bool make_queries(void *context, size_t first, size_t end) {
  const work_t *work = context;
  const size_t count = work->problem->seq_q * work->problem->heads * NUM_FP8_KEY;
  for (size_t entry = first; entry < end; ++entry) {
    made_up_fill(work->made_up, entry * STREAMS + STREAM_Q, 0, count, work->problem->q + entry * count);
  }
  return true;
}

bool fp8_make_up(fp8_problem_t *problem, const made_up_t *made_up, num_fp8_scale_t kind, bool pages, size_t threads,
                 base_error_t *error) {
  const size_t q_bytes = fp8_rows(problem) * NUM_FP8_KEY * sizeof *problem->q;
  const size_t token_bytes = problem->slots * NUM_FP8_TOKEN_BYTES;
  const size_t keys_bytes = problem->slots * NUM_FP8_KEY * sizeof *problem->keys;
  if (q_bytes + token_bytes > max_bytes) {
    return base_fail(error, "made-up inputs of %zu bytes; expected at most %zu", q_bytes + token_bytes, max_bytes);
  }
  problem->q_in_global_memory = true;
  problem->tokens_in_global_memory = !pages;
  problem->q = soc_alloc(q_bytes);
  problem->tokens = pages ? malloc(token_bytes) : soc_alloc(token_bytes);
  problem->keys = keys_bytes <= max_keys_bytes ? calloc(keys_bytes, 1) : NULL;
  if (problem->q == NULL || problem->tokens == NULL) {
    return pages && problem->q != NULL ? base_fail(error, "out of memory (%zu bytes)", token_bytes)
                                       : base_fail(error, "%s", soc_no_room());
  }
  work_t work = {problem, made_up, kind};
  return parallel_for(threads, problem->batch, make_queries, &work) &&
         parallel_for(threads, problem->slots, make_slots, &work);
}

// --- pages ------------------------------------------------------------------------------------

static size_t random_below(num_rng_t *rng, size_t n) { return (size_t)(num_rng_u64(rng) % n); }

static void shuffle(int32_t *list, size_t count, num_rng_t *rng) {
  for (size_t i = count; i > 1; --i) {
    const size_t j = random_below(rng, i);
    const int32_t swapped = list[i - 1];
    list[i - 1] = list[j];
    list[j] = swapped;
  }
}

static size_t pages_of(size_t tokens, size_t page_size) { return (tokens + page_size - 1) / page_size; }

// Gives every entry its pages.  Returns the number of pages of the cache, 0: out of memory.
static size_t deal_pages(fp8_problem_t *p, size_t page_size, uint64_t seed) {
  size_t used = 0;
  for (size_t entry = 0; entry < p->batch; ++entry) {
    used += pages_of((size_t)p->length[entry], page_size);
  }
  const size_t all = used + used / 8 + 2;
  int32_t *page = malloc(all * sizeof *page);
  p->pages = pages_of(p->capacity, page_size);
  p->block_table = malloc(p->batch * p->pages * sizeof *p->block_table);
  if (page == NULL || p->block_table == NULL) {
    free(page);
    return 0;
  }
  for (size_t i = 0; i < all; ++i) {
    page[i] = (int32_t)i;
  }
  num_rng_t rng;
  num_rng_seed(&rng, seed ^ SEED_PAGES);
  shuffle(page, all, &rng);
  size_t next = 0;
  for (size_t i = 0; i < p->batch * p->pages; ++i) {
    const size_t needed = pages_of((size_t)p->length[i / p->pages], page_size);
    p->block_table[i] = i % p->pages < needed ? page[next++] : -1;
  }
  free(page);
  return all;
}

// Rows of `bytes` bytes of `from`, one for each token of the cache as it was, to their slots.
static void move_rows(const fp8_problem_t *paged, const uint8_t *from, size_t bytes, uint8_t *to) {
  for (size_t entry = 0; entry < paged->batch; ++entry) {
    for (size_t i = 0; i < (size_t)paged->length[entry]; ++i) {
      memcpy(to + fp8_slot(paged, entry, i) * bytes, from + (entry * paged->capacity + i) * bytes, bytes);
    }
  }
}

bool fp8_make_pages(fp8_problem_t *problem, size_t page_size, uint64_t seed, base_error_t *error) {
  const size_t slots = deal_pages(problem, page_size, seed) * page_size;
  const size_t bytes = slots * NUM_FP8_TOKEN_BYTES;
  problem->page_size = page_size;
  problem->slots = slots;
  problem->shared = true;
  if (problem->tokens == NULL) {
    return slots != 0 || base_fail(error, "out of memory");
  }
  uint8_t *tokens = bytes == 0 || bytes > max_bytes ? NULL : soc_alloc(bytes);
  uint16_t *keys = problem->keys == NULL ? NULL : calloc(slots, NUM_FP8_KEY * sizeof *keys);
  if (tokens == NULL) {
    free(keys);
    return base_fail(error, "a paged cache of %zu bytes: out of memory", bytes);
  }
  memset(tokens, NOTHING, bytes);
  move_rows(problem, problem->tokens, NUM_FP8_TOKEN_BYTES, tokens);
  if (keys != NULL) {
    move_rows(problem, (const uint8_t *)problem->keys, NUM_FP8_KEY * sizeof *keys, (uint8_t *)keys);
  }
  if (!problem->tokens_in_global_memory) {
    free(problem->tokens);
  }
  free(problem->keys);
  problem->tokens = tokens;
  problem->tokens_in_global_memory = true;
  problem->keys = keys;
  return true;
}

// --- indices ----------------------------------------------------------------------------------

// The first topk of `all`, a shuffled list of the positions and, if they are less, -1s.
static void draw(int32_t *all, size_t positions, size_t topk, num_rng_t *rng, int32_t *indices) {
  const size_t count = positions > topk ? positions : topk;
  for (size_t i = 0; i < count; ++i) {
    all[i] = i < positions ? (int32_t)i : -1;
  }
  for (size_t i = 0; i < topk; ++i) {
    const size_t j = i + random_below(rng, count - i);
    indices[i] = all[j];
    all[j] = all[i];
  }
}

bool fp8_make_indices(fp8_problem_t *problem, size_t topk, uint64_t seed, base_error_t *error) {
  const size_t most = problem->capacity > topk ? problem->capacity : topk;
  problem->topk = topk;
  const size_t lists = fp8_lists(problem);
  problem->indices = malloc(lists * topk * sizeof *problem->indices);
  int32_t *all = malloc(most * sizeof *all);
  if (problem->indices == NULL || all == NULL) {
    free(all);
    return base_fail(error, "--top-k: out of memory");
  }
  num_rng_t rng;
  num_rng_seed(&rng, seed ^ SEED_INDICES);
  for (size_t list = 0; list < lists; ++list) {
    draw(all, (size_t)problem->length[fp8_entry_of(problem, list)], topk, &rng, problem->indices + list * topk);
  }
  free(all);
  return true;
}
