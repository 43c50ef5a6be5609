// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy_bf16.h"
#include "kernel/attention/attention_mask.h"
#include "kernel/lm/lm_capture.h"
#include "num/num_bf16.h"

// Of files and of options.
static const size_t max_elements = (size_t)1 << 28;

enum { MIN_D = 2, MAX_D = 1024, SHIPPED_TOKENS = 1024, SHIPPED_QUERIES = 128, SHIPPED_LAYER = 1 };

// --- files ------------------------------------------------------------------------------------

// An array [rows,columns], 0: as many as it has. Sets both.
static bool take(const char *path, const char *expected, size_t *rows, size_t *columns,
                 uint16_t **data, base_error_t *error) {
  npy_array_t array;
  if (!npy_read_bf16(path, NPY_ANY_VALUES, &array, error)) {
    return false;
  }
  *data = array.data;
  if (array.dims != 2 || npy_count(&array) == 0 || (*rows != 0 && array.shape[0] != *rows) ||
      (*columns != 0 && array.shape[1] != *columns)) {
    return npy_refuse_shape(path, &array, expected, error);
  }
  *rows = array.shape[0];
  *columns = array.shape[1];
  return true;
}

static bool check_files(const options_t *options, base_error_t *error) {
  const struct {
    const char *name, *path;
  } files[] = {{"q", options->engine_q}, {"k", options->engine_k}, {"v", options->engine_v}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    if (files[i].path == NULL) {
      return base_fail(error, "--%s: missing; --q, --k and --v go together", files[i].name);
    }
  }
  return (options->dist == NULL && !options->seed.given) ||
         base_fail(error, "--%s: makes inputs up, cannot go with --q",
                   options->dist != NULL ? "dist" : "seed");
}

static bool from_files(const options_t *options, attention_problem_t *problem,
                       base_error_t *error) {
  const char *q = options->engine_q;
  const char *k = options->engine_k;
  const char *v = options->engine_v;
  char expected[64];
  if (!check_files(options, error) ||
      !take(q, "[Sq,d]", &problem->rows, &problem->dk, &problem->q, error)) {
    return false;
  }
  snprintf(expected, sizeof expected, "[S,%zu], as many columns as Q", problem->dk);
  if (!take(k, expected, &problem->keys, &problem->dk, &problem->k, error)) {
    return false;
  }
  snprintf(expected, sizeof expected, "[%zu,%zu], as K", problem->keys, problem->dk);
  if (!take(v, expected, &problem->keys, &problem->dk, &problem->v, error)) {
    return false;
  }
  snprintf(problem->source, sizeof problem->source, "%.60s, %.60s, %.60s", q, k, v);
  return ((problem->dk >= MIN_D && problem->dk <= MAX_D) ||
          base_fail(error, "%s: d %zu; expected %d to %d", q, problem->dk, MIN_D, MAX_D)) &&
         option_agrees("seq-q", &options->seq_q, problem->rows, q, error) &&
         option_agrees("seq-kv", &options->engine_keys, problem->keys, k, error) &&
         option_agrees("head-dim", &options->head_dim, problem->dk, q, error);
}

// --- made up, or shipped ----------------------------------------------------------------------

static bool allocate(attention_problem_t *problem, base_error_t *error) {
  const size_t d = problem->dk;
  problem->q = malloc(problem->rows * d * sizeof *problem->q);
  problem->k = malloc(problem->keys * d * sizeof *problem->k);
  problem->v = malloc(problem->keys * d * sizeof *problem->v);
  return (problem->q != NULL && problem->k != NULL && problem->v != NULL) ||
         base_fail(error, "out of memory");
}

static bool from_dist(const options_t *options, attention_problem_t *problem, base_error_t *error) {
  made_up_t made_up;
  problem->rows = option_count_or(&options->seq_q, 1);
  problem->keys = option_count_or(&options->engine_keys, 1024);
  problem->dk = option_count_or(&options->head_dim, 64);
  const size_t most = max_elements / problem->dk;
  if (problem->rows > most || problem->keys > most) {
    return base_fail(error, "--%s: made-up inputs of %zu x %zu elements; expected at most %zu",
                     problem->rows > most ? "seq-q" : "seq-kv",
                     problem->rows > most ? problem->rows : problem->keys, problem->dk,
                     max_elements);
  }
  made_up = made_up_usual();
  if ((options->dist != NULL && !made_up_read(&made_up, options->dist, 0, error)) ||
      !allocate(problem, error)) {
    return false;
  }
  made_up.seed = options->seed.given ? options->seed.value : 0;
  uint16_t *const arrays[] = {problem->q, problem->k, problem->v};
  for (size_t stream = 0; stream < 3; ++stream) {
    const size_t rows = stream == 0 ? problem->rows : problem->keys;
    made_up_fill(&made_up, stream, 0, rows * problem->dk,
                 arrays[stream]);
  }
  snprintf(problem->source, sizeof problem->source, "made up, %.60s seed %llu", made_up.text,
           (unsigned long long)made_up.seed);
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
           "(tests/data/kjv_*), causal", SHIPPED_LAYER);
  return good;
}

// --- who attends to what ----------------------------------------------------------------------

static bool set_scale(const options_t *options, attention_problem_t *problem, base_error_t *error) {
  problem->scale = (float)(1 / sqrt((double)problem->dk));
  return !options->softmax_scale.given ||
         parse_float(options->softmax_scale.text, &problem->scale) ||
         base_fail(error, "--softmax-scale: expected a finite FP32 number, got '%s'",
                   options->softmax_scale.text);
}

static bool scale_queries(engine_input_t *input, base_error_t *error) {
  const attention_problem_t *problem = &input->problem;
  const size_t count = problem->rows * problem->dk;
  input->q = malloc(count * sizeof *input->q);
  for (size_t i = 0; input->q != NULL && i < count; ++i) {
    input->q[i] = num_bf16_scale(problem->q[i], problem->scale);
  }
  return input->q != NULL || base_fail(error, "out of memory");
}

static bool apply_causal(engine_input_t *input, base_error_t *error) {
  attention_problem_t *problem = &input->problem;
  input->limit = malloc(problem->rows * sizeof *input->limit);
  if (input->limit == NULL) {
    return base_fail(error, "--causal: out of memory");
  }
  for (size_t i = 0; i < problem->rows; ++i) {
    const size_t later = problem->rows - 1 - i;
    input->limit[i] = problem->keys > later ? problem->keys - later : 0;
  }
  return attention_apply_causal(problem, error);
}

// special [keys]: which keys or values hold something infinite or no number.
static bool row_is_poisoned(const engine_input_t *input, size_t row, const uint8_t *special) {
  const attention_problem_t *problem = &input->problem;
  const uint8_t *visible = problem->visible;
  bool poisoned = num_bf16_any_special(input->q + row * problem->dk, problem->dk);
  for (size_t key = 0; key < problem->keys; ++key) {
    poisoned |= special[key] && (visible == NULL || visible[row * problem->keys + key] != 0);
  }
  return poisoned;
}

static bool find_poison(engine_input_t *input, base_error_t *error) {
  const attention_problem_t *problem = &input->problem;
  const size_t d = problem->dk;
  input->poisoned = malloc(problem->rows);
  uint8_t *special = malloc(problem->keys);
  if (input->poisoned == NULL || special == NULL) {
    free(special);
    return base_fail(error, "out of memory");
  }
  for (size_t key = 0; key < problem->keys; ++key) {
    special[key] = num_bf16_any_special(problem->k + key * d, d) ||
                   num_bf16_any_special(problem->v + key * d, d);
  }
  for (size_t row = 0; row < problem->rows; ++row) {
    input->poisoned[row] = row_is_poisoned(input, row, special);
    input->poisoned_rows += input->poisoned[row];
  }
  free(special);
  return true;
}

// --- all of it --------------------------------------------------------------------------------

static bool read_arrays(const options_t *options, engine_input_t *input, base_error_t *error) {
  attention_problem_t *problem = &input->problem;
  if (options->engine_q != NULL || options->engine_k != NULL || options->engine_v != NULL) {
    return from_files(options, problem, error);
  }
  if (options->seq_q.given || options->engine_keys.given || options->head_dim.given ||
      options->dist != NULL || options->seed.given) {
    return from_dist(options, problem, error);
  }
  input->causal = true;
  return shipped(problem, error);
}

static bool check_pairs(const options_t *options, const engine_input_t *input,
                        base_error_t *error) {
  const attention_problem_t *problem = &input->problem;
  const size_t most = (size_t)1 << 32;
  return (options->mask == NULL && !input->causal) || problem->keys <= most / problem->rows ||
         base_fail(error, "--%s: %zu queries x %zu keys; expected at most %zu pairs",
                   options->mask != NULL ? "mask" : "causal", problem->rows, problem->keys, most);
}

static bool read_all(const options_t *options, engine_input_t *input, base_error_t *error) {
  attention_problem_t *problem = &input->problem;
  problem->batch = 1;
  problem->heads = 1;
  input->causal = options->causal;
  input->masked = options->mask != NULL;
  if (!read_arrays(options, input, error)) {
    return false;
  }
  problem->seq_q = problem->rows;
  problem->dv = problem->dk;
  return check_pairs(options, input, error) && set_scale(options, problem, error) &&
         (options->mask == NULL || attention_read_mask(problem, options->mask, error)) &&
         (!input->causal || apply_causal(input, error)) && scale_queries(input, error) &&
         find_poison(input, error);
}

bool engine_input(const options_t *options, engine_input_t *input, base_error_t *error) {
  memset(input, 0, sizeof *input);
  if (!read_all(options, input, error)) {
    engine_input_free(input);
    return false;
  }
  return true;
}

engine_job_t engine_input_job(const engine_input_t *input, num_bf16_t *out) {
  const attention_problem_t *problem = &input->problem;
  return (engine_job_t){.sq = problem->rows,
                        .s = problem->keys,
                        .q = input->q,
                        .k = problem->k,
                        .v = problem->v,
                        .mask = input->masked ? problem->visible : NULL,
                        .limit = input->limit,
                        .out = out};
}

static void clean(num_bf16_t *x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = num_bf16_is_special(x[i]) ? 0 : x[i];
  }
}

void engine_input_clean(engine_input_t *input) {
  attention_problem_t *problem = &input->problem;
  clean(problem->q, problem->rows * problem->dk);
  clean(problem->k, problem->keys * problem->dk);
  clean(problem->v, problem->keys * problem->dk);
}

void engine_input_free(engine_input_t *input) {
  attention_free(&input->problem);
  free(input->q);
  free(input->limit);
  free(input->poisoned);
  memset(input, 0, sizeof *input);
}
