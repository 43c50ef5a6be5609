// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_input.h"

#include <math.h>
#include <string.h>

#include "base/parse.h"
#include "cli/run/settings.h"
#include "config/config.h"
#include "kernel/fp8/fp8_made_up.h"
#include "kernels/fp8/fp8_args.h"

enum { SHIPPED_HEAD_WIDTH = 96 };   // of the model the shipped data come from

static const size_t max_rows = (size_t)1 << 20;

static bool any_file(const options_t *o) { return o->fp8_q != NULL || o->fp8_kv != NULL; }

static bool any_made_up(const options_t *o) {
  return o->timing_only || o->heads.given || o->seq_q.given || o->seq_kv.given || o->batch.given ||
         o->dist != NULL;
}

// Indices or pages that are drawn.
static bool draws(const options_t *o) {
  return (o->fp8_top_k.given && o->fp8_indices == NULL) ||
         (o->fp8_page_size.given && o->fp8_block_table == NULL);
}

// Before anything is made up: sparse problems have a list for each query token.
static bool check_limits(const options_t *options, const fp8_problem_t *problem, const char *q,
                         base_error_t *error) {
  const bool sparse = options->fp8_top_k.given || options->fp8_indices != NULL;
  const size_t rows = problem->heads * (sparse ? 1 : problem->seq_q);
  const size_t lists = problem->batch * (sparse ? problem->seq_q : 1);
  if (rows > max_rows) {
    return base_fail(error, "%s: %zu query rows of an entry; expected at most %zu", q, rows,
                     max_rows);
  }
  if (lists > FP8_MAX_LISTS) {
    return base_fail(error, "%s: %zu lists of keys (%s); the kernel takes at most %d", q, lists,
                     sparse ? "one for each query token" : "one for each entry", FP8_MAX_LISTS);
  }
  return problem->block % 16 == 0 ||
         base_fail(error, "--kv-block %zu: expected a multiple of 16", problem->block);
}

// --- the three sources ------------------------------------------------------------------------

static bool check_files(const options_t *options, base_error_t *error) {
  if (options->fp8_q == NULL || options->fp8_kv == NULL) {
    return base_fail(error, "--%s: missing; --q and --kv go together",
                     options->fp8_q == NULL ? "q" : "kv");
  }
  const bool seed = options->seed.given && !draws(options);
  return (options->dist == NULL && !seed) ||
         base_fail(error, "--%s: makes inputs up, cannot go with --q", seed ? "seed" : "dist");
}

static bool read_files(const options_t *options, const char *q, const char *kv,
                       fp8_problem_t *problem, base_error_t *error) {
  return fp8_read_q(options, q, problem, error) && check_limits(options, problem, q, error) &&
         fp8_read_cache(options, kv, problem, error) && fp8_read_lengths(options, problem, error) &&
         (problem->page_size == 0 ||
          fp8_check_pages(problem, options->fp8_block_table, error));
}

static bool from_files(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  snprintf(problem->source, sizeof problem->source, "%.80s, %.80s", options->fp8_q,
           options->fp8_kv);
  return read_files(options, options->fp8_q, options->fp8_kv, problem, error);
}

static bool shipped(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  char q[SETTINGS_PATH_BYTES];
  char kv[SETTINGS_PATH_BYTES];
  snprintf(q, sizeof q, "%s/tests/data/mla_real_q_bf16bits.npy", config_home());
  snprintf(kv, sizeof kv, "%s/tests/data/mla_real_kv_bf16bits.npy", config_home());
  problem->scale = (float)(1 / sqrt(SHIPPED_HEAD_WIDTH));
  snprintf(problem->source, sizeof problem->source,
           "shipped, no input was named: queries and latent KV cache of a trained MLA model "
           "(tests/data/mla_real_*.npy), quantised");
  return read_files(options, q, kv, problem, error);
}

static bool from_dist(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  made_up_t made_up;
  problem->batch = option_count_or(&options->batch, 1);
  problem->seq_q = option_count_or(&options->seq_q, 1);
  problem->heads = option_count_or(&options->heads, 128);
  problem->capacity = option_count_or(&options->seq_kv, 4096);
  problem->slots = problem->batch * problem->capacity;
  problem->batch_axis = problem->batch > 1;
  problem->token_axis = true;
  if (!check_limits(options, problem, "--batch, --seq-q, --heads", error) ||
      !made_up_read(options, &made_up, error) || !fp8_read_lengths(options, problem, error)) {
    return false;
  }
  snprintf(problem->source, sizeof problem->source, "made up, %.60s seed %llu", made_up.text,
           (unsigned long long)made_up.seed);
  if (options->timing_only) {
    snprintf(problem->source, sizeof problem->source, "none: timing only, arrays hold nothing");
    return true;
  }
  return fp8_make_up(problem, &made_up, (num_fp8_scale_t)options->fp8_scale.value,
                     options->fp8_page_size.given, settings_threads(options), error);
}

// --- all of it --------------------------------------------------------------------------------

static bool set_scale(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  if (options->softmax_scale.given) {
    return parse_float(options->softmax_scale.text, &problem->scale) ||
           base_fail(error, "--softmax-scale: expected a finite FP32 number, got '%s'",
                     options->softmax_scale.text);
  }
  if (problem->scale == 0) {
    problem->scale = (float)(1 / sqrt((double)NUM_FP8_KEY));
  }
  return true;
}

static bool read_arrays(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  if (!any_file(options) && options->fp8_block_table != NULL) {
    return base_fail(error,
                     "--block-table: goes with --q and --kv; without them --page-size makes "
                     "pages up");
  }
  return any_file(options) ? check_files(options, error) && from_files(options, problem, error)
         : any_made_up(options) || (options->seed.given && !draws(options))
             ? from_dist(options, problem, error)
             : shipped(options, problem, error);
}

// What is drawn at random, on top of any source.
static bool draw(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  const bool pages = options->fp8_page_size.given && problem->page_size == 0;
  if (pages && problem->shared) {
    return base_fail(error,
                     "--page-size: one cache for several entries cannot be put into pages; "
                     "expected [%zu,S,..]",
                     problem->batch);
  }
  return (!pages || fp8_make_pages(problem, (size_t)options->fp8_page_size.value,
                                   options->seed.value, error)) &&
         (!options->fp8_top_k.given || options->fp8_indices != NULL ||
          fp8_make_indices(problem, (size_t)options->fp8_top_k.value, options->seed.value, error));
}

static bool read_all(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  problem->block = (size_t)options->kv_block.value;
  problem->causal = options->causal;
  problem->skip_noop = options->skip_noop;
  return read_arrays(options, problem, error) && draw(options, problem, error) &&
         fp8_read_indices(options, problem, error) && fp8_read_sink(options, problem, error) &&
         set_scale(options, problem, error) &&
         (!any_file(options) || fp8_check_tokens(problem, options->fp8_kv, error));
}

bool fp8_input(const options_t *options, fp8_problem_t *problem, base_error_t *error) {
  memset(problem, 0, sizeof *problem);
  if (!read_all(options, problem, error)) {
    fp8_free(problem);
    return false;
  }
  return true;
}
