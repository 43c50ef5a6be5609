// SPDX-License-Identifier: Apache-2.0
#include "cli/attention_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attention_mask.h"
#include "cli/npy.h"
#include "cli/settings.h"
#include "config/config.h"
#include "kernels/attention_args.h"
#include "num/num_format.h"

enum { SHIPPED_HEAD_WIDTH = 96 };   // of the model the shipped data come from

// --- BF16 arrays from files -------------------------------------------------------------------

static bool bits_finite(const char *path, const npy_array_t *array, cli_error_t *error) {
  const uint16_t *bits = array->data;
  for (size_t i = 0; i < npy_count(array); ++i) {
    if ((bits[i] & 0x7f80u) == 0x7f80u) {
      char where[NPY_SHAPE_BYTES];
      return cli_fail(error, "%s: %s at %s; expected finite values", path,
                      (bits[i] & 0x7fu) != 0 ? "NaN" : "infinity", npy_index_text(array, i, where));
    }
  }
  return true;
}

static bool round_to_bf16(const char *path, npy_array_t *array, cli_error_t *error) {
  const size_t count = npy_count(array);
  const float *values = array->data;
  uint16_t *bits = malloc(count == 0 ? 1 : count * sizeof *bits);
  if (bits == NULL) {
    return cli_fail(error, "%s: out of memory", path);
  }
  num_bf16_from_f32_n(values, bits, count);
  for (size_t i = 0; i < count; ++i) {
    if (isfinite(values[i]) && (bits[i] & 0x7fffu) == 0x7f80u) {
      char where[NPY_SHAPE_BYTES];
      free(bits);
      return cli_fail(error, "%s: %g at %s is beyond BF16", path, (double)values[i],
                      npy_index_text(array, i, where));
    }
  }
  free(array->data);
  array->data = bits;
  array->type = NPY_U2;
  return true;
}

static bool read_bf16(const char *path, npy_array_t *array, cli_error_t *error) {
  if (!npy_read(path, NPY_BIT(U2) | NPY_BIT(F4), array, error)) {
    return false;
  }
  if ((array->type == NPY_F4 && !round_to_bf16(path, array, error)) ||
      !bits_finite(path, array, error)) {
    npy_free(array);
    return false;
  }
  return true;
}

static bool refuse_shape(const char *path, const npy_array_t *array, const char *expected,
                         cli_error_t *error) {
  char shape[NPY_SHAPE_BYTES];
  return cli_fail(error, "%s: shape %s; expected %s", path,
                  npy_shape_text(array->shape, array->dims, shape), expected);
}

static bool empty(const npy_array_t *array) { return npy_count(array) == 0; }

// --- shapes -----------------------------------------------------------------------------------

// A size given on the command line must be the one the file has.
static bool agrees(const char *name, const option_count_t *given, size_t have, const char *path,
                   cli_error_t *error) {
  return !given->given || given->value == have ||
         cli_fail(error, "--%s %llu: %s has %zu", name, (unsigned long long)given->value, path,
                  have);
}

// Rows of [G,Dk] are tokens x heads as --seq-q or --heads say; one token if neither does.
static bool split_rows(const options_t *options, attention_problem_t *problem, const char *path,
                       cli_error_t *error) {
  const size_t rows = problem->rows;
  problem->seq_q = 1;
  if (options->heads.given && options->heads.value != 0) {
    problem->seq_q = rows / (size_t)options->heads.value;
  } else if (options->seq_q.given) {
    problem->seq_q = (size_t)options->seq_q.value;
  }
  problem->heads = problem->seq_q == 0 ? 0 : rows / problem->seq_q;
  if (problem->heads == 0 || problem->seq_q * problem->heads != rows) {
    return cli_fail(error, "--%s: does not divide the %zu rows of %s",
                    options->heads.given ? "heads" : "seq-q", rows, path);
  }
  return true;
}

static bool take_q(const options_t *options, const char *path, attention_problem_t *problem,
                   cli_error_t *error) {
  npy_array_t q;
  if (!read_bf16(path, &q, error)) {
    return false;
  }
  problem->q = q.data;
  if ((q.dims != 2 && q.dims != 3) || empty(&q)) {
    return refuse_shape(path, &q, "[G,Dk] or [Sq,heads,Dk]", error);
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
  return agrees("seq-q", &options->seq_q, problem->seq_q, path, error) &&
         agrees("heads", &options->heads, problem->heads, path, error) &&
         agrees("dk", &options->dk, problem->dk, path, error);
}

static bool take_k(const options_t *options, const char *path, attention_problem_t *problem,
                   cli_error_t *error) {
  npy_array_t k;
  char expected[64];
  if (!read_bf16(path, &k, error)) {
    return false;
  }
  problem->k = k.data;
  snprintf(expected, sizeof expected, "[S,%zu], as many columns as Q", problem->dk);
  if (k.dims != 2 || empty(&k) || k.shape[1] != problem->dk) {
    return refuse_shape(path, &k, expected, error);
  }
  problem->keys = k.shape[0];
  return agrees("seq-kv", &options->seq_kv, problem->keys, path, error);
}

static bool take_v(const options_t *options, const char *path, attention_problem_t *problem,
                   cli_error_t *error) {
  npy_array_t v;
  char expected[64];
  if (!read_bf16(path, &v, error)) {
    return false;
  }
  problem->v = v.data;
  snprintf(expected, sizeof expected, "[%zu,Dv], as many rows as K", problem->keys);
  if (v.dims != 2 || empty(&v) || v.shape[0] != problem->keys) {
    return refuse_shape(path, &v, expected, error);
  }
  problem->dv = v.shape[1];
  return agrees("dv", &options->dv, problem->dv, path, error);
}

// --- the three sources ------------------------------------------------------------------------

static size_t shared_dv(const options_t *options, size_t dk) {
  const size_t usual = dk < ATTENTION_MAX_DV ? dk : ATTENTION_MAX_DV;
  return options->dv.given ? (size_t)options->dv.value : usual;
}

static bool check_files(const options_t *options, cli_error_t *error) {
  if (options->kv != NULL && (options->k != NULL || options->v != NULL)) {
    return cli_fail(error, "--kv: cannot go with --%s", options->k != NULL ? "k" : "v");
  }
  if (options->q == NULL) {
    return cli_fail(error, "--q: missing; --%s goes with it",
                    options->kv != NULL ? "kv" : options->k != NULL ? "k" : "v");
  }
  if (options->kv == NULL && (options->k == NULL || options->v == NULL)) {
    return cli_fail(error, "--%s: missing; --q goes with --kv, or with --k and --v",
                    options->k != NULL ? "v" : options->v != NULL ? "k" : "kv");
  }
  if (options->dist != NULL || options->seed.given) {
    return cli_fail(error, "--%s: makes inputs up, cannot go with --q",
                    options->dist != NULL ? "dist" : "seed");
  }
  return (!options->batch.given || options->batch.value == 1) ||
         cli_fail(error, "--batch: makes inputs up, cannot go with --q");
}

static bool from_files(const options_t *options, attention_problem_t *problem,
                       cli_error_t *error) {
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

static size_t count_or(const option_count_t *count, size_t usual) {
  return count->given ? (size_t)count->value : usual;
}

static bool made_up(const options_t *options, attention_problem_t *problem, cli_error_t *error) {
  const char *text = options->dist != NULL ? options->dist : "normal:1";
  const uint64_t seed = options->seed.given ? options->seed.value : 0;
  distribution_t distribution;
  if (!parse_distribution(text, &distribution)) {
    return cli_fail(error,
                    "--dist: expected normal:S or uniform:A with a positive number, got '%s'",
                    text);
  }
  problem->batch = count_or(&options->batch, 1);
  problem->seq_q = count_or(&options->seq_q, 1);
  problem->heads = count_or(&options->heads, 128);
  problem->rows = problem->seq_q * problem->heads;
  problem->keys = count_or(&options->seq_kv, 4096);
  problem->dk = count_or(&options->dk, ATTENTION_MAX_DK);
  problem->dv = shared_dv(options, problem->dk);
  problem->token_axis = true;
  snprintf(problem->source, sizeof problem->source, "made up, %.60s seed %llu", text,
           (unsigned long long)seed);
  if (options->timing_only) {
    snprintf(problem->source, sizeof problem->source, "none: timing only, arrays hold nothing");
  }
  return attention_check_limits(problem, "--seq-q, --heads", "--dk", "--dv", error) &&
         (options->timing_only ||
          attention_make_up(problem, &distribution, seed, settings_threads(options), error));
}

static bool shipped(const options_t *options, attention_problem_t *problem, cli_error_t *error) {
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

static bool set_scale(const options_t *options, attention_problem_t *problem, cli_error_t *error) {
  if (options->softmax_scale.given) {
    return parse_float(options->softmax_scale.text, &problem->scale) ||
           cli_fail(error, "--softmax-scale: expected a finite FP32 number, got '%s'",
                    options->softmax_scale.text);
  }
  if (problem->scale == 0) {
    problem->scale = (float)(1 / sqrt((double)problem->dk));
  }
  return true;
}

static bool read_all(const options_t *options, attention_problem_t *problem, cli_error_t *error) {
  problem->batch = 1;
  problem->block = (size_t)options->kv_block.value;
  const bool read = any_file(options)      ? from_files(options, problem, error)
                    : any_made_up(options) ? made_up(options, problem, error)
                                           : shipped(options, problem, error);
  return read && set_scale(options, problem, error) &&
         (options->mask == NULL || attention_read_mask(problem, options->mask, error)) &&
         (!options->causal || attention_apply_causal(problem, error));
}

bool attention_input(const options_t *options, attention_problem_t *problem, cli_error_t *error) {
  memset(problem, 0, sizeof *problem);
  if (!read_all(options, problem, error)) {
    attention_free(problem);
    return false;
  }
  return true;
}
