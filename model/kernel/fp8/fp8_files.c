// Queries and the cache from files.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/array_bf16.h"
#include "base/npy.h"
#include "kernel/fp8/fp8_input.h"

enum { MAX_CAPACITY = 1 << 24 };

// --- queries ----------------------------------------------------------------------------------

bool fp8_read_q(const fp8_input_t *input, const char *path, fp8_problem_t *problem, base_error_t *error) {
  npy_array_t q;
  if (!array_read_bf16(path, (array_bf16_t){.round = input->round}, &q, error)) {
    return false;
  }
  problem->q = q.data;
  if (q.dims < 2 || q.dims > 4 || npy_count(&q) == 0 || q.shape[q.dims - 1] != NUM_FP8_KEY) {
    return npy_refuse_shape(path, &q, error, "[G,576], [Sq,heads,576] or [B,Sq,heads,576]");
  }
  problem->token_axis = q.dims >= 3;
  problem->batch_axis = q.dims == 4;
  problem->batch = q.dims == 4 ? q.shape[0] : 1;
  if (q.dims == 2 &&
      !kernel_split_rows(q.shape[0], input->heads, input->seq_q, &problem->seq_q, &problem->heads, path, error)) {
    return false;
  }
  if (q.dims > 2) {
    problem->seq_q = q.shape[q.dims - 3];
    problem->heads = q.shape[q.dims - 2];
  }
  return kernel_agrees("batch", input->batch, problem->batch, path, error) &&
         kernel_agrees("seq-q", input->seq_q, problem->seq_q, path, error) &&
         kernel_agrees("heads", input->heads, problem->heads, path, error);
}

// --- the cache --------------------------------------------------------------------------------

// Tokens from keys; NaN is let in, for slots that nobody attends to.
static bool quantise(const fp8_input_t *input, const char *path, npy_array_t *keys, fp8_problem_t *problem,
                     base_error_t *error) {
  problem->keys = keys->data;
  problem->tokens = malloc(problem->slots * NUM_FP8_TOKEN_BYTES);
  if (problem->tokens == NULL) {
    return base_fail(error, "%s: out of memory", path);
  }
  num_fp8_encode(fp8_scale_kind(input), problem->keys, problem->tokens, problem->slots);
  return true;
}

static bool take_values(const fp8_input_t *input, const char *path, npy_array_t *cache, fp8_problem_t *problem,
                        base_error_t *error) {
  problem->slots = npy_count(cache) / cache->shape[cache->dims - 1];
  if (cache->type != NPY_U1) {
    return quantise(input, path, cache, problem, error);
  }
  problem->tokens = cache->data;
  return input->quantiser == FP8_QUANTISER_USUAL ||
         base_fail(error, "--fp8-scale: %s holds tokens, which are quantised", path);
}

static bool read_values(const fp8_input_t *input, const char *path, npy_array_t *cache, fp8_problem_t *problem,
                        base_error_t *error) {
  const array_bf16_t how = {.specials = NPY_ANY_VALUES, .round = input->round};
  if (!array_read(path, NPY_BIT(U1) | ARRAY_BF16_TYPES, cache, error) ||
      (cache->type != NPY_U1 && !array_to_bf16(path, how, cache, error))) {
    return false;
  }
  const bool tokens = cache->type == NPY_U1;
  const size_t row = tokens ? NUM_FP8_TOKEN_BYTES : NUM_FP8_KEY;
  if ((cache->dims != 2 && cache->dims != 3) || npy_count(cache) == 0 || cache->shape[cache->dims - 1] != row) {
    npy_refuse_shape(path, cache, error,
                     tokens ? "[S,656], [B,S,656] or [pages,page,656]" : "[S,576], [B,S,576] or [pages,page,576]");
    npy_free(cache);
    return false;
  }
  return take_values(input, path, cache, problem, error);
}

// Whose pages they are.
static bool read_table(const fp8_input_t *input, const npy_array_t *cache, const char *path, fp8_problem_t *problem,
                       base_error_t *error) {
  const char *table_path = input->block_table;
  npy_array_t table;
  if (!array_read_i4(table_path, &table, error)) {
    return false;
  }
  problem->block_table = table.data;
  if (table.dims < 1 || table.dims > 2 || npy_count(&table) == 0 ||
      (table.dims == 2 ? table.shape[0] : 1) != problem->batch) {
    return npy_refuse_shape(table_path, &table, error, "%s[%zu,pages]", problem->batch == 1 ? "[pages] or " : "",
                            problem->batch);
  }
  if (cache->dims == 2 && input->page_size == 0) {
    return base_fail(error, "--page-size: missing; --block-table and a cache [S,..] need it");
  }
  problem->page_size = cache->dims == 3 ? cache->shape[1] : input->page_size;
  problem->pages = table.shape[table.dims - 1];
  problem->capacity = problem->pages * problem->page_size;
  problem->shared = true;
  if (!kernel_agrees("page-size", input->page_size, problem->page_size, path, error)) {
    return false;
  }
  if (problem->slots % problem->page_size != 0) {
    return base_fail(error, "--page-size %zu: does not divide the %zu tokens of %s", problem->page_size, problem->slots,
                     path);
  }
  return (problem->capacity <= MAX_CAPACITY && problem->pages <= MAX_CAPACITY) ||
         base_fail(error, "%s: %zu pages of %zu tokens an entry; expected at most %d tokens", table_path,
                   problem->pages, problem->page_size, MAX_CAPACITY);
}

// Without pages: one part for each entry, or one for all.
static bool take_parts(const npy_array_t *cache, const char *path, fp8_problem_t *problem, base_error_t *error) {
  if (cache->dims == 3 && cache->shape[0] != problem->batch) {
    return npy_refuse_shape(path, cache, error, "[%zu,S,..], as many entries as Q, or [S,..]", problem->batch);
  }
  problem->capacity = cache->shape[cache->dims - 2];
  problem->shared = cache->dims == 2 && problem->batch > 1;
  return true;
}

bool fp8_read_cache(const fp8_input_t *input, const char *path, fp8_problem_t *problem, base_error_t *error) {
  npy_array_t cache;
  return read_values(input, path, &cache, problem, error) &&
         (input->block_table != NULL ? read_table(input, &cache, path, problem, error)
                                     : take_parts(&cache, path, problem, error)) &&
         kernel_agrees("seq-kv", input->keys, problem->capacity, path, error);
}

// --- what may be in it ------------------------------------------------------------------------

bool fp8_check_pages(const fp8_problem_t *problem, const char *path, base_error_t *error) {
  const size_t there = problem->slots / problem->page_size;
  for (size_t i = 0; i < problem->batch * problem->pages; ++i) {
    const size_t length = (size_t)problem->length[i / problem->pages];
    const int32_t page = problem->block_table[i];
    if (i % problem->pages * problem->page_size < length && (page < 0 || (size_t)page >= there)) {
      return base_fail(error, "%s: page %d at [%zu,%zu]; the cache has pages 0 to %zu", path, page, i / problem->pages,
                       i % problem->pages, there - 1);
    }
  }
  return true;
}

static bool finite_token(const uint8_t *token) {
  uint16_t key[NUM_FP8_KEY];
  unsigned special = 0;
  num_fp8_decode(token, key, 1);
  for (size_t i = 0; i < NUM_FP8_KEY; ++i) {
    special |= (key[i] & 0x7f80u) == 0x7f80u;
  }
  return special == 0;
}

bool fp8_check_tokens(const fp8_problem_t *problem, const char *path, base_error_t *error) {
  uint8_t *seen = calloc(problem->slots, 1);
  bool good = seen != NULL || base_fail(error, "%s: out of memory", path);
  for (size_t list = 0; good && list < fp8_lists(problem); ++list) {
    const size_t places = fp8_places(problem, list);
    for (size_t place = 0; good && place < places; ++place) {
      const ptrdiff_t slot = fp8_place_slot(problem, list, place);
      if (slot >= 0 && seen[slot] == 0) {
        seen[slot] = 1;
        good = finite_token(problem->tokens + (size_t)slot * NUM_FP8_TOKEN_BYTES) ||
               base_fail(error, "%s: NaN or infinity in token %zd, which is attended to", path, slot);
      }
    }
  }
  free(seen);
  return good;
}
