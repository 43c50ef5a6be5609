// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "array/array_bf16.h"
#include "cli/convert/convert.h"
#include "num/num_fp8.h"

// ||tokens - keys|| / ||keys||
static double loss(const uint8_t *token, const uint16_t *key, size_t tokens) {
  double difference = 0;
  double whole = 0;
  for (size_t t = 0; t < tokens; ++t) {
    uint16_t decoded[NUM_FP8_KEY];
    num_fp8_decode(token + t * NUM_FP8_TOKEN_BYTES, decoded, 1);
    for (size_t i = 0; i < NUM_FP8_KEY; ++i) {
      const double x = (double)num_bf16_to_f32(key[t * NUM_FP8_KEY + i]);
      const double d = (double)num_bf16_to_f32(decoded[i]) - x;
      difference += d * d;
      whole += x * x;
    }
  }
  return whole > 0 ? sqrt(difference / whole) : 0;
}

// Keys are rounded and checked as everywhere.
bool convert_to_tokens(convert_job_t *job, base_error_t *error) {
  if (!array_to_bf16(job->path, (array_bf16_t){.specials = NPY_FINITE_ONLY}, &job->in, error) ||
      !convert_allocate(job, NPY_U1, NUM_FP8_TOKEN_BYTES, &job->out, error)) {
    return false;
  }
  const size_t tokens = npy_count(&job->in) / NUM_FP8_KEY;
  const num_fp8_scale_t kind = (num_fp8_scale_t)job->options->fp8_scale.value;
  num_fp8_encode(kind, job->in.data, job->out.data, tokens);
  snprintf(job->text, sizeof job->text, "%zu keys to FP8 tokens, scales %s; relative error %.3g", tokens,
           kind == NUM_FP8_SCALE_AMAX ? "amax / 448" : "powers of two", loss(job->out.data, job->in.data, tokens));
  return true;
}

bool convert_from_tokens(convert_job_t *job, base_error_t *error) {
  if (!convert_allocate(job, NPY_U2, NUM_FP8_KEY, &job->out, error)) {
    return false;
  }
  const size_t tokens = npy_count(&job->in) / NUM_FP8_TOKEN_BYTES;
  num_fp8_decode(job->in.data, job->out.data, tokens);
  snprintf(job->text, sizeof job->text, "%zu FP8 tokens to keys", tokens);
  return true;
}
