// SPDX-License-Identifier: Apache-2.0
#include "report/hfa/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/golden/num_attention.h"
#include "num/engine/num_bf16.h"
#include "num/num_rng.h"

enum { STREAM_Q, STREAM_K, STREAM_V };

// Sizes of the sets.
enum { KEYS = 1024, D = 64, PER_SEED = 8, LM_TOKENS = 1024, PER_HEAD = 8 };

const char *const report_set_names[REPORT_SETS] = {"normal", "language model"};

void report_queries_free(report_queries_t *queries) {
  free(queries->list);
  free(queries->made_up);
  free(queries->scaled);
  free(queries->golden);
  for (size_t i = 0; i < REPORT_WINDOWS; ++i) {
    lm_capture_free(&queries->window[i]);
  }
  memset(queries, 0, sizeof *queries);
}

bool report_queries_each(const report_queries_t *queries, parallel_fn *fn, void *context, base_error_t *error) {
  return parallel_for(parallel_host_threads(), queries->count, fn, context) ||
         base_fail(error, "report: out of memory");
}

bool report_queries_hfa(const report_queries_t *queries, size_t first, size_t end, const num_hfa_sources_t *sources,
                        size_t blocks, num_bf16_t *out) {
  const size_t d = queries->d;
  num_hfa_log_t *scratch = malloc(2 * (d + 1) * sizeof *scratch);
  num_bf16_t *one = malloc(d * sizeof *one);
  const bool good = scratch != NULL && one != NULL;
  for (size_t i = first; good && i < end; ++i) {
    const report_query_t *query = &queries->list[i];
    num_hfa_sources_attention(sources, d, blocks, query->scaled, query->k, query->v, NULL, query->keys,
                              out == NULL ? one : out + i * d, scratch);
  }
  free(scratch);
  free(one);
  return good;
}

// --- what all queries get ---------------------------------------------------------------------

static bool judge(void *context, size_t first, size_t end) {
  const report_queries_t *queries = context;
  for (size_t i = first; i < end; ++i) {
    const report_query_t *query = &queries->list[i];
    const num_attn_t attn = {.rows = 1,
                             .keys = query->keys,
                             .dk = queries->d,
                             .dv = queries->d,
                             .q = query->q,
                             .k = query->k,
                             .ldk = queries->d,
                             .v = query->v,
                             .ldv = queries->d,
                             .scale = (float)(1 / sqrt((double)queries->d))};
    if (num_attn_golden(&attn, query->golden) != 0) {
      return false;
    }
  }
  return true;
}

static bool complete(report_queries_t *queries, base_error_t *error) {
  const size_t d = queries->d;
  queries->scaled = malloc(queries->count * d * sizeof *queries->scaled);
  queries->golden = malloc(queries->count * d * sizeof *queries->golden);
  if (queries->scaled == NULL || queries->golden == NULL) {
    return base_fail(error, "report: out of memory");
  }
  for (size_t i = 0; i < queries->count; ++i) {
    report_query_t *query = &queries->list[i];
    for (size_t c = 0; c < d; ++c) {
      queries->scaled[i * d + c] = num_bf16_scale(query->q[c], (float)(1 / sqrt((double)d)));
    }
    query->scaled = queries->scaled + i * d;
    query->golden = queries->golden + i * d;
  }
  return report_queries_each(queries, judge, queries, error);
}

static bool allocate(report_queries_t *queries, size_t count, base_error_t *error) {
  queries->count = count;
  queries->list = calloc(count, sizeof *queries->list);
  return queries->list != NULL || base_fail(error, "report: out of memory");
}

// --- made up ----------------------------------------------------------------------------------

// Arrays of a seed: q [per_seed,d], k, v [keys,d], one behind the other.
static void fill_seed(uint64_t seed, double sigma, size_t per_seed, size_t keys, num_bf16_t *arrays,
                      report_queries_t *queries) {
  const size_t d = queries->d;
  num_bf16_t *k = arrays + per_seed * d;
  num_bf16_t *v = k + keys * d;
  num_rng_normal_bf16(seed, STREAM_Q, 0, per_seed * d, sigma, arrays);
  num_rng_normal_bf16(seed, STREAM_K, 0, keys * d, 1, k);
  num_rng_normal_bf16(seed, STREAM_V, 0, keys * d, 1, v);
  for (size_t i = 0; i < per_seed; ++i) {
    queries->list[seed * per_seed + i] = (report_query_t){.q = arrays + i * d, .k = k, .v = v, .keys = keys};
  }
}

static bool make_up(size_t keys, double sigma, size_t seeds, size_t per_seed, report_queries_t *queries,
                    base_error_t *error) {
  const size_t count = (per_seed + 2 * keys) * queries->d;
  queries->made_up = malloc(seeds * count * sizeof *queries->made_up);
  if (queries->made_up == NULL || !allocate(queries, seeds * per_seed, error)) {
    return base_fail(error, "report: out of memory");
  }
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    fill_seed(seed, sigma, per_seed, keys, queries->made_up + seed * count, queries);
  }
  return complete(queries, error);
}

bool report_queries_normal(size_t d, size_t keys, double sigma, size_t seeds, size_t per_seed,
                           report_queries_t *queries, base_error_t *error) {
  *queries = (report_queries_t){.d = d};
  snprintf(queries->text, sizeof queries->text, "N(0,1), d %zu, %zu keys, %zu queries from each of %zu seeds", d, keys,
           per_seed, seeds);
  const bool good = make_up(keys, sigma, seeds, per_seed, queries, error);
  if (!good) {
    report_queries_free(queries);
  }
  return good;
}

// --- the language model's ---------------------------------------------------------------------

static void fill_head(lm_head_t head, size_t d, report_query_t *list) {
  for (size_t i = 0; i < PER_HEAD; ++i) {
    const size_t position = (2 * i + 1) * LM_TOKENS / (2 * PER_HEAD);
    list[i] = (report_query_t){.q = head.q + position * d, .k = head.k, .v = head.v, .keys = position + 1};
  }
}

static bool capture(report_queries_t *queries, base_error_t *error) {
  for (size_t i = 0; i < REPORT_WINDOWS; ++i) {
    if (!lm_capture(i, LM_TOKENS, &queries->window[i], error)) {
      return false;
    }
  }
  const lm_capture_t *first = &queries->window[0];
  const size_t heads = first->layers * first->heads;
  queries->d = first->d;
  snprintf(queries->text, sizeof queries->text,
           "causal self-attention on held-out text, %d queries of each of %zu heads in %zu layers "
           "in %d windows of %d bytes",
           PER_HEAD, first->heads, first->layers, REPORT_WINDOWS, LM_TOKENS);
  if (!allocate(queries, REPORT_WINDOWS * heads * PER_HEAD, error)) {
    return false;
  }
  for (size_t i = 0; i < REPORT_WINDOWS * heads; ++i) {
    const lm_capture_t *window = &queries->window[i / heads];
    const size_t head = i % heads;
    fill_head(lm_capture_head(window, head / first->heads, head % first->heads), first->d,
              queries->list + i * PER_HEAD);
  }
  return complete(queries, error);
}

static bool queries_of_lm(report_queries_t *queries, base_error_t *error) {
  *queries = (report_queries_t){0};
  const bool good = capture(queries, error);
  if (!good) {
    report_queries_free(queries);
  }
  return good;
}

bool report_queries_set(report_set_t set, size_t seeds, report_queries_t *queries, base_error_t *error) {
  return set == REPORT_NORMAL ? report_queries_normal(D, KEYS, 1, seeds, PER_SEED, queries, error)
                              : queries_of_lm(queries, error);
}
