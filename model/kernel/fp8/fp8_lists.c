// Reads who attends to what: lengths, indices, sinks, from files.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "base/npy.h"
#include "kernel/fp8/fp8_input.h"

// '<i4' [batch], each from 0 to most.
static bool read_counts(const fp8_problem_t *problem, const char *path, size_t most, const char *what, int32_t **counts,
                        base_error_t *error) {
  npy_array_t array;
  if (!array_read_i4(path, &array, error)) {
    return false;
  }
  *counts = array.data;
  if (array.dims != 1 || array.shape[0] != problem->batch) {
    return npy_refuse_shape(path, &array, error, "(%zu,)", problem->batch);
  }
  for (size_t i = 0; i < problem->batch; ++i) {
    if ((*counts)[i] < 0 || (size_t)(*counts)[i] > most) {
      return base_fail(error, "%s: %d at [%zu]; expected 0 to %zu, the %s", path, (*counts)[i], i, most, what);
    }
  }
  return true;
}

bool fp8_read_lengths(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error) {
  if (input->lengths != NULL) {
    return read_counts(problem, input->lengths, problem->capacity, "tokens that there is room for", &problem->length,
                       error);
  }
  problem->length = malloc(problem->batch * sizeof *problem->length);
  for (size_t i = 0; problem->length != NULL && i < problem->batch; ++i) {
    problem->length[i] = (int32_t)problem->capacity;
  }
  return problem->length != NULL || base_fail(error, "out of memory");
}

// [topk] for every query token, [Sq,topk] for one entry, [B,topk] for one query token, [B,Sq,topk].
static bool indices_fit(const fp8_problem_t *problem, const npy_array_t *array) {
  size_t lists = 1;
  for (size_t i = 0; i + 1 < array->dims; ++i) {
    lists *= array->shape[i];
  }
  return array->dims >= 1 && array->dims <= 3 && npy_count(array) > 0 &&
         (array->dims == 1 || lists == problem->batch * problem->seq_q) &&
         (array->dims < 3 || array->shape[0] == problem->batch) &&
         (array->dims != 2 || problem->batch == 1 || problem->seq_q == 1);
}

// One list is everybody's: copied, so that each query token has its own.
static bool repeat(fp8_problem_t *problem, base_error_t *error) {
  const size_t lists = problem->batch * problem->seq_q;
  int32_t *all = malloc(lists * problem->topk * sizeof *all);
  for (size_t i = 0; all != NULL && i < lists; ++i) {
    memcpy(all + i * problem->topk, problem->indices, problem->topk * sizeof *all);
  }
  free(problem->indices);
  problem->indices = all;
  return all != NULL || base_fail(error, "--indices: out of memory");
}

// Only what counts: behind a top-k length there may be anything.
static bool check_indices(const fp8_problem_t *problem, const char *path, const npy_array_t *array,
                          base_error_t *error) {
  for (size_t i = 0; i < fp8_lists(problem) * problem->topk; ++i) {
    const size_t list = i / problem->topk;
    const int32_t length = problem->length[fp8_entry_of(problem, list)];
    const int32_t index = problem->indices[i];
    if (i % problem->topk < fp8_places(problem, list) && (index < -1 || index >= length)) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %d at %s; the sequence has %d tokens: expected -1 to %d", path, index,
                       npy_index_text(array, i % npy_count(array), where), length, length - 1);
    }
  }
  return true;
}

static bool read_topk_lengths(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error) {
  if (input->topk_lengths == NULL) {
    return true;
  }
  if (problem->topk == 0) {
    return base_fail(error, "--topk-lengths: needs --indices or --top-k");
  }
  return read_counts(problem, input->topk_lengths, problem->topk, "indices of a query token", &problem->topk_length,
                     error);
}

bool fp8_read_indices(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error) {
  const char *path = input->indices;
  npy_array_t array;
  if (path == NULL) {
    return read_topk_lengths(input, problem, error);
  }
  if (!array_read_i4(path, &array, error)) {
    return false;
  }
  problem->indices = array.data;
  if (!indices_fit(problem, &array)) {
    return npy_refuse_shape(path, &array, error, "(%zu, %zu, topk), without axes that are 1, or (topk,)",
                            problem->batch, problem->seq_q);
  }
  problem->topk = array.shape[array.dims - 1];
  return kernel_agrees("top-k", input->top_k, problem->topk, path, error) && read_topk_lengths(input, problem, error) &&
         (array.dims != 1 || repeat(problem, error)) && check_indices(problem, path, &array, error);
}

bool fp8_read_sink(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error) {
  const char *path = input->sink;
  npy_array_t array;
  if (path == NULL) {
    return true;
  }
  if (!array_read(path, NPY_BIT(F4), &array, error)) {
    return false;
  }
  problem->sink = array.data;
  if (array.dims != 1 || array.shape[0] != problem->heads) {
    return npy_refuse_shape(path, &array, error, "(%zu,), one for each head", problem->heads);
  }
  for (size_t i = 0; i < problem->heads; ++i) {
    if (isnan(problem->sink[i])) {
      return base_fail(error, "%s: NaN at [%zu]; expected a number or an infinity", path, i);
    }
  }
  return true;
}
