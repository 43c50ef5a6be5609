// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_problem.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/attention/attention_args.h"
#include "soc/lazy.h"
#include "soc/soc.h"

static const size_t max_bytes = (size_t)4 << 30;
static const size_t max_rows = (size_t)1 << 20;

void attention_free(attention_problem_t *problem) {
  if (!problem->in_global_memory) {
    free(problem->q);
    free(problem->k);
  }
  free(problem->v);
  free(problem->visible);
  memset(problem, 0, sizeof *problem);
}

bool attention_check_limits(const attention_problem_t *problem, const char *q, const char *k, const char *v,
                            base_error_t *error) {
  if (problem->rows > max_rows) {
    return base_fail(error, "%s: %zu query rows (tokens %zu x heads %zu); expected at most %zu", q, problem->rows,
                     problem->seq_q, problem->heads, max_rows);
  }
  if (problem->dk > ATTENTION_MAX_DK) {
    return base_fail(error, "%s: Dk %zu; the kernels take at most %d", k, problem->dk, ATTENTION_MAX_DK);
  }
  if (problem->dv > ATTENTION_MAX_DV) {
    return base_fail(error, "%s: Dv %zu; the kernels take at most %d", v, problem->dv, ATTENTION_MAX_DV);
  }
  if (problem->v == NULL && problem->dv > problem->dk) {
    return base_fail(error, "--dv %zu: values are columns of the keys, which have %zu", problem->dv, problem->dk);
  }
  if (problem->block % 16 != 0) {
    return base_fail(error, "--kv-block %zu: expected a multiple of 16", problem->block);
  }
  return true;
}

// --- made-up data -----------------------------------------------------------------------------

// One array of every batch entry, the arrays one behind the other.
typedef struct made_up_array {
  made_up_t made_up;
  uint64_t stream;     // of entry 0; those of later entries follow in steps of STREAMS
  size_t entry_count;  // elements of an entry
} made_up_array_t;

enum { STREAM_Q, STREAM_K, STREAMS };

static void fill(const void *context, uint64_t first_byte, uint64_t bytes, void *to) {
  const made_up_array_t *array = context;
  uint16_t *out = to;
  size_t first = first_byte / sizeof *out;
  const size_t end = first + bytes / sizeof *out;
  while (first < end) {
    const size_t entry = first / array->entry_count;
    const size_t skip = first % array->entry_count;
    const size_t left = array->entry_count - skip;
    const size_t count = end - first < left ? end - first : left;
    made_up_fill(&array->made_up, array->stream + entry * STREAMS, skip, count, out);
    first += count;
    out += count;
  }
}

static uint16_t *make_array(const attention_problem_t *problem, const made_up_t *made_up, uint64_t stream,
                            size_t entry_count) {
  const made_up_array_t array = {*made_up, stream, entry_count};
  return soc_alloc_lazy(problem->batch * entry_count * sizeof(uint16_t), fill, &array, sizeof array);
}

bool attention_make_up(attention_problem_t *problem, const made_up_t *made_up, base_error_t *error) {
  const size_t q_count = problem->rows * problem->dk;
  const size_t k_count = problem->keys * problem->dk;
  const size_t bytes = problem->batch * (q_count + k_count) * sizeof *problem->q;
  if (bytes > max_bytes) {
    return base_fail(error, "made-up inputs of %zu bytes; expected at most %zu", bytes, max_bytes);
  }
  problem->in_global_memory = true;
  problem->q = make_array(problem, made_up, STREAM_Q, q_count);
  problem->k = make_array(problem, made_up, STREAM_K, k_count);
  return (problem->q != NULL && problem->k != NULL) || base_fail(error, "%s", soc_no_room());
}

// --- what the answer is -----------------------------------------------------------------------

static void for_inputs(const attention_problem_t *problem, size_t entry,
                       void (*act)(const void *begin, uint64_t bytes)) {
  const size_t q_count = problem->rows * problem->dk;
  const size_t k_count = problem->keys * problem->dk;
  act(problem->q + entry * q_count, q_count * sizeof *problem->q);
  act(problem->k + entry * k_count, k_count * sizeof *problem->k);
}

void attention_hold(const attention_problem_t *problem, size_t entry) { for_inputs(problem, entry, soc_hold); }

void attention_let_go(const attention_problem_t *problem, size_t entry) { for_inputs(problem, entry, soc_let_go); }

num_attn_t attention_num(const attention_problem_t *problem, size_t entry) {
  const uint16_t *k = problem->k + entry * problem->keys * problem->dk;
  const bool shared = problem->v == NULL;
  return (num_attn_t){
      .rows = problem->rows,
      .keys = problem->keys,
      .dk = problem->dk,
      .dv = problem->dv,
      .q = problem->q + entry * problem->rows * problem->dk,
      .k = k,
      .ldk = problem->dk,
      .v = shared ? k : problem->v + entry * problem->keys * problem->dv,
      .ldv = shared ? problem->dk : problem->dv,
      .visible = problem->visible,
      .scale = problem->scale,
      .block = problem->block,
      .splits = problem->splits,
  };
}
