// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy_bf16.h"
#include "cli/run/made_up.h"
#include "cli/run/settings.h"
#include "config/config.h"
#include "kernel/attention/attention_mask.h"
#include "kernels/attention/attention_args.h"

enum { SHIPPED_HEAD_WIDTH = 96 };   // of the model the shipped data come from

static bool empty(const npy_array_t *array) { return npy_count(array) == 0; }

// --- shapes -----------------------------------------------------------------------------------

// Rows of [G,Dk] are tokens x heads as --seq-q or --heads say; one token if neither does.
static bool split_rows(const options_t *options, attention_problem_t *problem, const char *path,
                       base_error_t *error) {
  const size_t rows = problem->rows;
  problem->seq_q = 1;
  if (options->heads.given && options->heads.value != 0) {
    problem->seq_q = rows / (size_t)options->heads.value;
  } else if (options->seq_q.given) {
    problem->seq_q = (size_t)options->seq_q.value;
  }
  problem->heads = problem->seq_q == 0 ? 0 : rows / problem->seq_q;
  if (problem->heads == 0 || problem->seq_q * problem->heads != rows) {
    return base_fail(error, "--%s: does not divide the %zu rows of %s",
                     options->heads.given ? "heads" : "seq-q", rows, path);
  }
  return true;
}

static bool take_q(const options_t *options, const char *path, attention_problem_t *problem,
                   base_error_t *error) {
  npy_array_t q;
  if (!npy_read_bf16(path, NPY_FINITE_ONLY, &q, error)) {
    return false;
  }
  problem->q = q.data;
  if ((q.dims != 2 && q.dims != 3) || empty(&q)) {
    return npy_refuse_shape(path, &q, "[G,Dk] or [Sq,heads,Dk]", error);
  }
  problem->token_axis = q.dims == 3;
  problem->dk = q.shape[q.dims - 1];
  problem->rows = q.shape[0] * (q.dims == 3 ? q.shape[1] : 1);
  if (q.dims == 3) {
    problem->seq_q = q.shape[0];
    problem->heads = q.shape[1];
  } else if (!split_rows(options, problem, path, error)) {
    return false;
  }
  return option_agrees("seq-q", &options->seq_q, problem->seq_q, path, error) &&
         option_agrees("heads", &options->heads, problem->heads, path, error) &&
         option_agrees("dk", &options->dk, problem->dk, path, error);
}

static bool take_k(const options_t *options, const char *path, attention_problem_t *problem,
                   base_error_t *error) {
  npy_array_t k;
  char expected[64];
  if (!npy_read_bf16(path, NPY_FINITE_ONLY, &k, error)) {
    return false;
  }
  problem->k = k.data;
  snprintf(expected, sizeof expected, "[S,%zu], as many columns as Q", problem->dk);
  if (k.dims != 2 || empty(&k) || k.shape[1] != problem->dk) {
    return npy_refuse_shape(path, &k, expected, error);
  }
  problem->keys = k.shape[0];
  return option_agrees("seq-kv", &options->seq_kv, problem->keys, path, error);
}

static bool take_v(const options_t *options, const char *path, attention_problem_t *problem,
                   base_error_t *error) {
  npy_array_t v;
  char expected[64];
  if (!npy_read_bf16(path, NPY_FINITE_ONLY, &v, error)) {
    return false;
  }
  problem->v = v.data;
  snprintf(expected, sizeof expected, "[%zu,Dv], as many rows as K", problem->keys);
  if (v.dims != 2 || empty(&v) || v.shape[0] != problem->keys) {
    return npy_refuse_shape(path, &v, expected, error);
  }
  problem->dv = v.shape[1];
  return option_agrees("dv", &options->dv, problem->dv, path, error);
}

// --- the three sources ------------------------------------------------------------------------

static size_t shared_dv(const options_t *options, size_t dk) {
  const size_t usual = dk < ATTENTION_MAX_DV ? dk : ATTENTION_MAX_DV;
  return options->dv.given ? (size_t)options->dv.value : usual;
}

static bool check_files(const options_t *options, base_error_t *error) {
  if (options->kv != NULL && (options->k != NULL || options->v != NULL)) {
    return base_fail(error, "--kv: cannot go with --%s", options->k != NULL ? "k" : "v");
  }
  if (options->q == NULL) {
    return base_fail(error, "--q: missing; --%s goes with it",
                     options->kv != NULL  ? "kv"
                     : options->k != NULL ? "k"
                                          : "v");
  }
  if (options->kv == NULL && (options->k == NULL || options->v == NULL)) {
    return base_fail(error, "--%s: missing; --q goes with --kv, or with --k and --v",
                     options->k != NULL   ? "v"
                     : options->v != NULL ? "k"
                                          : "kv");
  }
  if (options->dist != NULL || options->seed.given) {
    return base_fail(error, "--%s: makes inputs up, cannot go with --q",
                     options->dist != NULL ? "dist" : "seed");
  }
  return (!options->batch.given || options->batch.value == 1) ||
         base_fail(error, "--batch: makes inputs up, cannot go with --q");
}

static bool from_files(const options_t *options, attention_problem_t *problem,
                       base_error_t *error) {
  const bool shared = options->kv != NULL;
  if (!check_files(options, error) || !take_q(options, options->q, problem, error) ||
      !take_k(options, shared ? options->kv : options->k, problem, error)) {
    return false;
  }
  problem->dv = shared_dv(options, problem->dk);
  if (!shared && !take_v(options, options->v, problem, error)) {
    return false;
  }
  snprintf(problem->source, sizeof problem->source, "%.80s, %.80s%s", options->q,
           shared ? options->kv : options->k, shared ? "" : ", ...");
  return attention_check_limits(problem, options->q, shared ? options->kv : options->k,
                                shared ? "--dv" : options->v, error);
}

static bool from_dist(const options_t *options, attention_problem_t *problem, base_error_t *error) {
  made_up_t made_up;
  if (!made_up_read(options, &made_up, error)) {
    return false;
  }
  problem->batch = option_count_or(&options->batch, 1);
  problem->seq_q = option_count_or(&options->seq_q, 1);
  problem->heads = option_count_or(&options->heads, 128);
  problem->rows = problem->seq_q * problem->heads;
  problem->keys = option_count_or(&options->seq_kv, 4096);
  problem->dk = option_count_or(&options->dk, ATTENTION_MAX_DK);
  problem->dv = shared_dv(options, problem->dk);
  problem->token_axis = true;
  snprintf(problem->source, sizeof problem->source, "made up, %.60s seed %llu", made_up.text,
           (unsigned long long)made_up.seed);
  if (options->timing_only) {
    snprintf(problem->source, sizeof problem->source, "none: timing only, arrays hold nothing");
  }
  return attention_check_limits(problem, "--seq-q, --heads", "--dk", "--dv", error) &&
         (options->timing_only ||
          attention_make_up(problem, &made_up.distribution, made_up.seed,
                            settings_threads(options), error));
}

static bool shipped(const options_t *options, attention_problem_t *problem, base_error_t *error) {
  char q[1024];
  char kv[1024];
  snprintf(q, sizeof q, "%s/tests/data/mla_real_q_bf16bits.npy", config_home());
  snprintf(kv, sizeof kv, "%s/tests/data/mla_real_kv_bf16bits.npy", config_home());
  if (!take_q(options, q, problem, error) || !take_k(options, kv, problem, error)) {
    return false;
  }
  problem->dv = shared_dv(options, problem->dk);
  problem->scale = (float)(1 / sqrt(SHIPPED_HEAD_WIDTH));
  snprintf(problem->source, sizeof problem->source,
           "shipped, no input was named: queries and latent KV cache of a trained MLA model "
           "(tests/data/mla_real_*.npy)");
  return attention_check_limits(problem, q, kv, "--dv", error);
}

// --- all of it --------------------------------------------------------------------------------

static bool any_file(const options_t *o) {
  return o->q != NULL || o->kv != NULL || o->k != NULL || o->v != NULL;
}

static bool any_made_up(const options_t *o) {
  return o->timing_only || o->heads.given || o->seq_q.given || o->seq_kv.given || o->dk.given ||
         o->batch.given || o->dist != NULL || o->seed.given;
}

static bool set_scale(const options_t *options, attention_problem_t *problem, base_error_t *error) {
  if (options->softmax_scale.given) {
    return parse_float(options->softmax_scale.text, &problem->scale) ||
           base_fail(error, "--softmax-scale: expected a finite FP32 number, got '%s'",
                     options->softmax_scale.text);
  }
  if (problem->scale == 0) {
    problem->scale = (float)(1 / sqrt((double)problem->dk));
  }
  return true;
}

static bool read_all(const options_t *options, attention_problem_t *problem, base_error_t *error) {
  problem->batch = 1;
  problem->block = (size_t)options->kv_block.value;
  const bool read = any_file(options)      ? from_files(options, problem, error)
                    : any_made_up(options) ? from_dist(options, problem, error)
                                           : shipped(options, problem, error);
  return read && set_scale(options, problem, error) &&
         (options->mask == NULL || attention_read_mask(problem, options->mask, error)) &&
         (!options->causal || attention_apply_causal(problem, error));
}

bool attention_input(const options_t *options, attention_problem_t *problem, base_error_t *error) {
  memset(problem, 0, sizeof *problem);
  if (!read_all(options, problem, error)) {
    attention_free(problem);
    return false;
  }
  return true;
}
