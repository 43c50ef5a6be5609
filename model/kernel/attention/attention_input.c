// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array_bf16.h"
#include "base/npy.h"
#include "kernel/attention/attention_mask.h"
#include "kernels/attention/attention_args.h"

enum { SHIPPED_HEAD_WIDTH = 96 };  // of the model the shipped data come from

static bool empty(const npy_array_t *array) { return npy_count(array) == 0; }

// --- shapes -----------------------------------------------------------------------------------

static bool take_q(const attention_input_t *input, const char *path, attention_problem_t *problem,
                   base_error_t *error) {
  npy_array_t q;
  if (!array_read_bf16(path, (array_bf16_t){.round = input->round}, &q, error)) {
    return false;
  }
  problem->q = q.data;
  if ((q.dims != 2 && q.dims != 3) || empty(&q)) {
    return npy_refuse_shape(path, &q, error, "[G,Dk] or [Sq,heads,Dk]");
  }
  problem->token_axis = q.dims == 3;
  problem->dk = q.shape[q.dims - 1];
  problem->rows = q.shape[0] * (q.dims == 3 ? q.shape[1] : 1);
  if (q.dims == 3) {
    problem->seq_q = q.shape[0];
    problem->heads = q.shape[1];
  } else if (!kernel_split_rows(problem->rows, input->heads, input->seq_q, &problem->seq_q, &problem->heads, path,
                                error)) {
    return false;
  }
  return kernel_agrees("seq-q", input->seq_q, problem->seq_q, path, error) &&
         kernel_agrees("heads", input->heads, problem->heads, path, error) &&
         kernel_agrees("dk", input->dk, problem->dk, path, error);
}

static bool take_k(const attention_input_t *input, const char *path, attention_problem_t *problem,
                   base_error_t *error) {
  npy_array_t k;
  if (!array_read_bf16(path, (array_bf16_t){.round = input->round}, &k, error)) {
    return false;
  }
  problem->k = k.data;
  if (k.dims != 2 || empty(&k) || k.shape[1] != problem->dk) {
    return npy_refuse_shape(path, &k, error, "[S,%zu], as many columns as Q", problem->dk);
  }
  problem->keys = k.shape[0];
  return kernel_agrees("seq-kv", input->keys, problem->keys, path, error);
}

static bool take_v(const attention_input_t *input, const char *path, attention_problem_t *problem,
                   base_error_t *error) {
  npy_array_t v;
  if (!array_read_bf16(path, (array_bf16_t){.round = input->round}, &v, error)) {
    return false;
  }
  problem->v = v.data;
  if (v.dims != 2 || empty(&v) || v.shape[0] != problem->keys) {
    return npy_refuse_shape(path, &v, error, "[%zu,Dv], as many rows as K", problem->keys);
  }
  problem->dv = v.shape[1];
  return kernel_agrees("dv", input->dv, problem->dv, path, error);
}

// --- the three sources ------------------------------------------------------------------------

static size_t shared_dv(const attention_input_t *input, size_t dk) {
  const size_t usual = dk < ATTENTION_MAX_DV ? dk : ATTENTION_MAX_DV;
  return kernel_size_or(input->dv, usual);
}

static bool from_files(const attention_input_t *input, attention_problem_t *problem, base_error_t *error) {
  const bool shared = input->kv != NULL;
  if (!take_q(input, input->q, problem, error) || !take_k(input, shared ? input->kv : input->k, problem, error)) {
    return false;
  }
  problem->dv = shared_dv(input, problem->dk);
  if (!shared && !take_v(input, input->v, problem, error)) {
    return false;
  }
  snprintf(problem->source, sizeof problem->source, "%.80s, %.80s%s", input->q, shared ? input->kv : input->k,
           shared ? "" : ", ...");
  return attention_check_limits(problem, input->q, shared ? input->kv : input->k, shared ? "--dv" : input->v, error);
}

static bool make_up(const attention_input_t *input, bool timing_only, attention_problem_t *problem,
                    base_error_t *error) {
  problem->batch = kernel_size_or(input->batch, 1);
  problem->seq_q = kernel_size_or(input->seq_q, 1);
  problem->heads = kernel_size_or(input->heads, 128);
  problem->rows = problem->seq_q * problem->heads;
  problem->keys = kernel_size_or(input->keys, 4096);
  problem->dk = kernel_size_or(input->dk, ATTENTION_MAX_DK);
  problem->dv = shared_dv(input, problem->dk);
  problem->token_axis = true;
  made_up_source(&input->made_up, timing_only, problem->source, sizeof problem->source);
  return attention_check_limits(problem, "--seq-q, --heads", "--dk", "--dv", error) &&
         (timing_only || attention_make_up(problem, &input->made_up, error));
}

static bool shipped(const attention_input_t *input, attention_problem_t *problem, base_error_t *error) {
  char q[4096];
  char kv[4096];
  snprintf(q, sizeof q, "%s/tests/data/mla_real_q_bf16bits.npy", config_home());
  snprintf(kv, sizeof kv, "%s/tests/data/mla_real_kv_bf16bits.npy", config_home());
  if (!take_q(input, q, problem, error) || !take_k(input, kv, problem, error)) {
    return false;
  }
  problem->dv = shared_dv(input, problem->dk);
  problem->scale = (float)(1 / sqrt(SHIPPED_HEAD_WIDTH));
  snprintf(problem->source, sizeof problem->source,
           "shipped, no input was named: queries and latent KV cache of a trained MLA model "
           "(tests/data/mla_real_*.npy)");
  return attention_check_limits(problem, q, kv, "--dv", error);
}

// --- all of it --------------------------------------------------------------------------------

static bool read_all(const attention_input_t *input, bool timing_only, attention_problem_t *problem,
                     base_error_t *error) {
  problem->batch = 1;
  problem->block = input->block;
  const bool read = input->source == KERNEL_FILES     ? from_files(input, problem, error)
                    : input->source == KERNEL_MADE_UP ? make_up(input, timing_only, problem, error)
                                                      : shipped(input, problem, error);
  if (!isnan(input->scale)) {
    problem->scale = input->scale;
  } else if (problem->scale == 0) {
    problem->scale = (float)(1 / sqrt((double)problem->dk));
  }
  return read && (input->mask == NULL || attention_read_mask(problem, input->mask, error)) &&
         (!input->causal || attention_apply_causal(problem, error));
}

bool attention_read(const attention_input_t *input, bool timing_only, attention_problem_t *problem,
                    base_error_t *error) {
  memset(problem, 0, sizeof *problem);
  if (!read_all(input, timing_only, problem, error)) {
    attention_free(problem);
    return false;
  }
  return true;
}
