// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_input.h"

#include <math.h>
#include <string.h>

#include "config/config.h"
#include "kernel/fp8/fp8_made_up.h"
#include "kernels/fp8/fp8_args.h"

enum { SHIPPED_HEAD_WIDTH = 96 };  // of the model the shipped data come from

static const size_t max_rows = (size_t)1 << 20;

// Before anything is made up: sparse problems have a list for each query token.
static bool check_limits(const fp8_input_t *input, const fp8_problem_t *problem, const char *q, base_error_t *error) {
  const bool sparse = input->top_k != 0 || input->indices != NULL;
  const size_t rows = problem->heads * (sparse ? 1 : problem->seq_q);
  const size_t lists = problem->batch * (sparse ? problem->seq_q : 1);
  if (rows > max_rows) {
    return base_fail(error, "%s: %zu query rows of an entry; expected at most %zu", q, rows, max_rows);
  }
  if (lists > FP8_MAX_LISTS) {
    return base_fail(error, "%s: %zu lists of keys (%s); the kernel takes at most %d", q, lists,
                     sparse ? "one for each query token" : "one for each entry", FP8_MAX_LISTS);
  }
  return problem->block % 16 == 0 || base_fail(error, "--kv-block %zu: expected a multiple of 16", problem->block);
}

// --- the three sources ------------------------------------------------------------------------

static bool read_files(const fp8_input_t *input, const char *q, const char *kv, fp8_problem_t *problem,
                       base_error_t *error) {
  return fp8_read_q(input, q, problem, error) && check_limits(input, problem, q, error) &&
         fp8_read_cache(input, kv, problem, error) && fp8_read_lengths(input, problem, error) &&
         (problem->page_size == 0 || fp8_check_pages(problem, input->block_table, error));
}

static bool from_files(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error) {
  snprintf(problem->source, sizeof problem->source, "%.80s, %.80s", input->q, input->kv);
  return read_files(input, input->q, input->kv, problem, error);
}

static bool shipped(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error) {
  char q[KERNEL_PATH_BYTES];
  char kv[KERNEL_PATH_BYTES];
  snprintf(q, sizeof q, "%s/tests/data/mla_real_q_bf16bits.npy", config_home());
  snprintf(kv, sizeof kv, "%s/tests/data/mla_real_kv_bf16bits.npy", config_home());
  problem->scale = (float)(1 / sqrt(SHIPPED_HEAD_WIDTH));
  snprintf(problem->source, sizeof problem->source,
           "shipped, no input was named: queries and latent KV cache of a trained MLA model "
           "(tests/data/mla_real_*.npy), quantised");
  return read_files(input, q, kv, problem, error);
}

static bool make_up(const fp8_input_t *input, bool timing_only, unsigned threads, fp8_problem_t *problem,
                    base_error_t *error) {
  problem->batch = kernel_size_or(input->batch, 1);
  problem->seq_q = kernel_size_or(input->seq_q, 1);
  problem->heads = kernel_size_or(input->heads, 128);
  problem->capacity = kernel_size_or(input->keys, 4096);
  problem->slots = problem->batch * problem->capacity;
  problem->batch_axis = problem->batch > 1;
  problem->token_axis = true;
  if (!check_limits(input, problem, "--batch, --seq-q, --heads", error) || !fp8_read_lengths(input, problem, error)) {
    return false;
  }
  made_up_source(&input->made_up, timing_only, problem->source, sizeof problem->source);
  if (timing_only) {
    return true;
  }
  return fp8_make_up(problem, &input->made_up, fp8_scale_kind(input), input->page_size != 0, threads, error);
}

// --- all of it --------------------------------------------------------------------------------

static void set_scale(const fp8_input_t *input, fp8_problem_t *problem) {
  if (!isnan(input->scale)) {
    problem->scale = input->scale;
  } else if (problem->scale == 0) {
    problem->scale = (float)(1 / sqrt((double)NUM_FP8_KEY));
  }
}

// Draws at random, on top of any source.
static bool draw(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error) {
  const bool pages = input->page_size != 0 && problem->page_size == 0;
  const uint64_t seed = input->made_up.seed;
  if (pages && problem->shared) {
    return base_fail(error,
                     "--page-size: one cache for several entries cannot be put into pages; "
                     "expected [%zu,S,..]",
                     problem->batch);
  }
  return (!pages || fp8_make_pages(problem, input->page_size, seed, error)) &&
         (input->top_k == 0 || input->indices != NULL || fp8_make_indices(problem, input->top_k, seed, error));
}

static bool read_all(const fp8_input_t *input, bool timing_only, unsigned threads, fp8_problem_t *problem,
                     base_error_t *error) {
  const bool files = input->source == KERNEL_FILES;
  problem->block = input->block;
  problem->causal = input->causal;
  const bool read = files                             ? from_files(input, problem, error)
                    : input->source == KERNEL_MADE_UP ? make_up(input, timing_only, threads, problem, error)
                                                      : shipped(input, problem, error);
  set_scale(input, problem);
  return read && draw(input, problem, error) && fp8_read_indices(input, problem, error) &&
         fp8_read_sink(input, problem, error) && (!files || fp8_check_tokens(problem, input->kv, error));
}

bool fp8_read(const fp8_input_t *input, bool timing_only, unsigned threads, fp8_problem_t *problem,
              base_error_t *error) {
  memset(problem, 0, sizeof *problem);
  if (!read_all(input, timing_only, threads, problem, error)) {
    fp8_free(problem);
    return false;
  }
  return true;
}
