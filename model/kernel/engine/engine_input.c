// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array_bf16.h"
#include "base/npy.h"
#include "kernel/attention/attention_mask.h"
#include "kernel/lm/lm_capture.h"
#include "num/engine/num_bf16.h"

// Limit for files and for options.
static const size_t max_elements = (size_t)1 << 28;

enum { MIN_D = 2, MAX_D = 1024, SHIPPED_TOKENS = 1024, SHIPPED_QUERIES = 128, SHIPPED_LAYER = 1 };

// --- files ------------------------------------------------------------------------------------

// An array [rows,columns], 0: as many as it has. Sets both.
static bool take(const char *path, bool round, const char *expected, size_t *rows, size_t *columns, uint16_t **data,
                 base_error_t *error) {
  npy_array_t array;
  if (!array_read_bf16(path, (array_bf16_t){.specials = NPY_ANY_VALUES, .round = round}, &array, error)) {
    return false;
  }
  *data = array.data;
  if (array.dims != 2 || npy_count(&array) == 0 || (*rows != 0 && array.shape[0] != *rows) ||
      (*columns != 0 && array.shape[1] != *columns)) {
    return npy_refuse_shape(path, &array, error, "%s", expected);
  }
  *rows = array.shape[0];
  *columns = array.shape[1];
  return true;
}

static bool from_files(const engine_input_t *input, attention_problem_t *problem, base_error_t *error) {
  const char *q = input->q;
  const char *k = input->k;
  const char *v = input->v;
  char expected[64];
  if (!take(q, input->round, "[Sq,d]", &problem->rows, &problem->dk, &problem->q, error)) {
    return false;
  }
  snprintf(expected, sizeof expected, "[S,%zu], as many columns as Q", problem->dk);
  if (!take(k, input->round, expected, &problem->keys, &problem->dk, &problem->k, error)) {
    return false;
  }
  snprintf(expected, sizeof expected, "[%zu,%zu], as K", problem->keys, problem->dk);
  if (!take(v, input->round, expected, &problem->keys, &problem->dk, &problem->v, error)) {
    return false;
  }
  snprintf(problem->source, sizeof problem->source, "%.60s, %.60s, %.60s", q, k, v);
  return ((problem->dk >= MIN_D && problem->dk <= MAX_D) ||
          base_fail(error, "%s: d %zu; expected %d to %d", q, problem->dk, MIN_D, MAX_D)) &&
         kernel_agrees("seq-q", input->seq_q, problem->rows, q, error) &&
         kernel_agrees("seq-kv", input->keys, problem->keys, k, error) &&
         kernel_agrees("head-dim", input->d, problem->dk, q, error);
}

// --- made up, or shipped ----------------------------------------------------------------------

static bool allocate(attention_problem_t *problem, base_error_t *error) {
  const size_t d = problem->dk;
  problem->q = malloc(problem->rows * d * sizeof *problem->q);
  problem->k = malloc(problem->keys * d * sizeof *problem->k);
  problem->v = malloc(problem->keys * d * sizeof *problem->v);
  return (problem->q != NULL && problem->k != NULL && problem->v != NULL) || base_fail(error, "out of memory");
}

static bool make_up(const engine_input_t *input, attention_problem_t *problem, base_error_t *error) {
  problem->rows = kernel_size_or(input->seq_q, 1);
  problem->keys = kernel_size_or(input->keys, 1024);
  problem->dk = kernel_size_or(input->d, 64);
  const size_t most = max_elements / problem->dk;
  if (problem->rows > most || problem->keys > most) {
    return base_fail(error, "--%s: made-up inputs of %zu x %zu elements; expected at most %zu",
                     problem->rows > most ? "seq-q" : "seq-kv", problem->rows > most ? problem->rows : problem->keys,
                     problem->dk, max_elements);
  }
  if (!allocate(problem, error)) {
    return false;
  }
  uint16_t *const arrays[] = {problem->q, problem->k, problem->v};
  for (size_t stream = 0; stream < 3; ++stream) {
    const size_t rows = stream == 0 ? problem->rows : problem->keys;
    made_up_fill(&input->made_up, stream, 0, rows * problem->dk, arrays[stream]);
  }
  made_up_source(&input->made_up, false, problem->source, sizeof problem->source);
  return true;
}

// The last queries of a window of text.
static bool shipped(attention_problem_t *problem, base_error_t *error) {
  lm_capture_t capture;
  if (!lm_capture(0, SHIPPED_TOKENS, &capture, error)) {
    return false;
  }
  const lm_head_t head = lm_capture_head(&capture, SHIPPED_LAYER, 0);
  const size_t d = capture.d;
  problem->rows = SHIPPED_QUERIES;
  problem->keys = capture.tokens;
  problem->dk = d;
  const bool good = allocate(problem, error);
  if (good) {
    const size_t first = capture.tokens - SHIPPED_QUERIES;
    memcpy(problem->q, head.q + first * d, SHIPPED_QUERIES * d * sizeof *problem->q);
    memcpy(problem->k, head.k, capture.tokens * d * sizeof *problem->k);
    memcpy(problem->v, head.v, capture.tokens * d * sizeof *problem->v);
  }
  lm_capture_free(&capture);
  snprintf(problem->source, sizeof problem->source,
           "shipped, no input was named: layer %d, head 0 of a language model on held-out text "
           "(tests/data/kjv_*), causal",
           SHIPPED_LAYER);
  return good;
}

// --- who attends to what ----------------------------------------------------------------------

static bool scale_queries(engine_problem_t *it, base_error_t *error) {
  const attention_problem_t *problem = &it->attention;
  const size_t count = problem->rows * problem->dk;
  it->q = malloc(count * sizeof *it->q);
  for (size_t i = 0; it->q != NULL && i < count; ++i) {
    it->q[i] = num_bf16_scale(problem->q[i], problem->scale);
  }
  return it->q != NULL || base_fail(error, "out of memory");
}

static bool apply_causal(engine_problem_t *it, base_error_t *error) {
  attention_problem_t *problem = &it->attention;
  it->limit = malloc(problem->rows * sizeof *it->limit);
  if (it->limit == NULL) {
    return base_fail(error, "--causal: out of memory");
  }
  for (size_t i = 0; i < problem->rows; ++i) {
    const size_t later = problem->rows - 1 - i;
    it->limit[i] = problem->keys > later ? problem->keys - later : 0;
  }
  return attention_apply_causal(problem, error);
}

// special [keys]: which keys or values hold something infinite or no number.
static bool row_is_poisoned(const engine_problem_t *it, size_t row, const uint8_t *special) {
  const attention_problem_t *problem = &it->attention;
  const uint8_t *visible = problem->visible;
  bool poisoned = num_bf16_any_special(it->q + row * problem->dk, problem->dk);
  for (size_t key = 0; key < problem->keys; ++key) {
    poisoned |= special[key] && (visible == NULL || visible[row * problem->keys + key] != 0);
  }
  return poisoned;
}

static bool find_poison(engine_problem_t *it, base_error_t *error) {
  const attention_problem_t *problem = &it->attention;
  const size_t d = problem->dk;
  it->poisoned = malloc(problem->rows);
  uint8_t *special = malloc(problem->keys);
  if (it->poisoned == NULL || special == NULL) {
    free(special);
    return base_fail(error, "out of memory");
  }
  for (size_t key = 0; key < problem->keys; ++key) {
    special[key] = num_bf16_any_special(problem->k + key * d, d) || num_bf16_any_special(problem->v + key * d, d);
  }
  for (size_t row = 0; row < problem->rows; ++row) {
    it->poisoned[row] = row_is_poisoned(it, row, special);
    it->poisoned_rows += it->poisoned[row];
  }
  free(special);
  return true;
}

// --- all of it --------------------------------------------------------------------------------

static bool read_arrays(const engine_input_t *input, attention_problem_t *problem, base_error_t *error) {
  return input->source == KERNEL_FILES     ? from_files(input, problem, error)
         : input->source == KERNEL_MADE_UP ? make_up(input, problem, error)
                                           : shipped(problem, error);
}

static bool check_pairs(const engine_input_t *input, const engine_problem_t *it, base_error_t *error) {
  const attention_problem_t *problem = &it->attention;
  const size_t most = (size_t)1 << 32;
  return (input->mask == NULL && !it->causal) || problem->keys <= most / problem->rows ||
         base_fail(error, "--%s: %zu queries x %zu keys; expected at most %zu pairs",
                   input->mask != NULL ? "mask" : "causal", problem->rows, problem->keys, most);
}

static bool read_all(const engine_input_t *input, engine_problem_t *it, base_error_t *error) {
  attention_problem_t *problem = &it->attention;
  problem->batch = 1;
  problem->heads = 1;
  it->causal = input->causal || input->source == KERNEL_SHIPPED;
  it->masked = input->mask != NULL;
  if (!read_arrays(input, problem, error)) {
    return false;
  }
  problem->seq_q = problem->rows;
  problem->dv = problem->dk;
  problem->scale = isnan(input->scale) ? (float)(1 / sqrt((double)problem->dk)) : input->scale;
  return check_pairs(input, it, error) && (input->mask == NULL || attention_read_mask(problem, input->mask, error)) &&
         (!it->causal || apply_causal(it, error)) && scale_queries(it, error) && find_poison(it, error);
}

bool engine_read(const engine_input_t *input, engine_problem_t *problem, base_error_t *error) {
  memset(problem, 0, sizeof *problem);
  if (!read_all(input, problem, error)) {
    engine_problem_free(problem);
    return false;
  }
  return true;
}

engine_job_t engine_problem_job(const engine_problem_t *it, num_bf16_t *out) {
  const attention_problem_t *problem = &it->attention;
  return (engine_job_t){.sq = problem->rows,
                        .s = problem->keys,
                        .q = it->q,
                        .k = problem->k,
                        .v = problem->v,
                        .mask = it->masked ? problem->visible : NULL,
                        .limit = it->limit,
                        .out = out};
}

static void clean(num_bf16_t *x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = num_bf16_is_special(x[i]) ? 0 : x[i];
  }
}

void engine_problem_clean(engine_problem_t *it) {
  attention_problem_t *problem = &it->attention;
  clean(problem->q, problem->rows * problem->dk);
  clean(problem->k, problem->keys * problem->dk);
  clean(problem->v, problem->keys * problem->dk);
}

void engine_problem_free(engine_problem_t *it) {
  attention_free(&it->attention);
  free(it->q);
  free(it->limit);
  free(it->poisoned);
  memset(it, 0, sizeof *it);
}
