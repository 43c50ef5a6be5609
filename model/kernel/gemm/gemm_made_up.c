// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm_made_up.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/num_rng.h"

// Streams of the arrays.
enum {
  STREAM_A,
  STREAM_A_LOW,
  STREAM_B,
  STREAM_B_LOW,
  STREAM_SCALE,
  STREAM_ZERO,
  STREAM_W,
  STREAM_COLUMNS,
  STREAM_SMOOTH
};

enum { MADE_UP_CHUNK = 4096 };

// In FP16 a value of more bits than BF16's eight.
static void make_half(const made_up_t *made_up, num_half_t type, uint64_t stream, size_t count, uint16_t *out) {
  if (type == NUM_HALF_BF16) {
    made_up_fill(made_up, stream, 0, count, out);
    return;
  }
  uint16_t high[MADE_UP_CHUNK];
  uint16_t low[MADE_UP_CHUNK];
  for (size_t first = 0; first < count; first += MADE_UP_CHUNK) {
    const size_t n = count - first < MADE_UP_CHUNK ? count - first : MADE_UP_CHUNK;
    made_up_fill(made_up, stream, first, n, high);
    made_up_fill(made_up, stream + 1, first, n, low);
    for (size_t i = 0; i < n; ++i) {
      out[first + i] = num_fp16_from_f32(fmaf(num_bf16_to_f32(low[i]), 0x1p-9f, num_bf16_to_f32(high[i])));
    }
  }
}

// 32 times the numbers, to the nearest integers, saturating.
static void make_bytes(const made_up_t *made_up, uint64_t stream, size_t count, int8_t *out) {
  uint16_t chunk[MADE_UP_CHUNK];
  for (size_t first = 0; first < count; first += MADE_UP_CHUNK) {
    const size_t n = count - first < MADE_UP_CHUNK ? count - first : MADE_UP_CHUNK;
    made_up_fill(made_up, stream, first, n, chunk);
    for (size_t i = 0; i < n; ++i) {
      out[first + i] = (int8_t)rintf(fminf(fmaxf(32 * num_bf16_to_f32(chunk[i]), -128), 127));
    }
  }
}

// Uniform in [-1, 1), element i of a stream.
static float uniform(uint64_t seed, uint64_t stream, size_t i) {
  const uint32_t counter[4] = {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), (uint32_t)stream, 0x77u};
  uint32_t word[4];
  num_rng_philox(seed, counter, word);
  return (float)(int32_t)word[0] * 0x1p-31f;
}

static void make_weights(gemm_problem_t *problem, uint64_t seed, gemm_zeros_t zeros) {
  const size_t words = problem->k * problem->n / 8;
  const size_t scales = problem->k / problem->group * problem->n;
  const float middle = problem->is_unsigned ? 8.0f : 0.0f;
  for (size_t i = 0; i < words; i += 4) {
    const uint32_t counter[4] = {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), STREAM_W, 0x77u};
    uint32_t word[4];
    num_rng_philox(seed, counter, word);
    memcpy(problem->w + i, word, (words - i < 4 ? words - i : 4) * sizeof *word);
  }
  for (size_t i = 0; i < scales; ++i) {
    problem->scale[i] = num_fp16_from_f32(0.01f * (1 + 0.5f * uniform(seed, STREAM_SCALE, i)));
  }
  for (size_t i = 0; problem->zero != NULL && i < scales; ++i) {
    const float zero = middle + 2.4f * uniform(seed, STREAM_ZERO, i);
    problem->zero[i] = num_fp16_from_f32(zeros == GEMM_ZEROS_INTEGER ? rintf(zero) : zero);
  }
}

static bool make_weights_s8(gemm_problem_t *problem, const made_up_t *made_up) {
  const bool scaled = problem->scaled || problem->w8a8;
  problem->b_s8 = malloc(problem->k * problem->n);
  problem->column_scale = scaled ? malloc(problem->n * sizeof *problem->column_scale) : NULL;
  if (problem->b_s8 == NULL || (scaled && problem->column_scale == NULL)) {
    return false;
  }
  make_bytes(made_up, STREAM_B, problem->k * problem->n, problem->b_s8);
  for (size_t j = 0; scaled && j < problem->n; ++j) {
    problem->column_scale[j] = 0.001f * (1 + 0.5f * uniform(made_up->seed, STREAM_COLUMNS, j));
  }
  return true;
}

static bool make_s8(gemm_problem_t *problem, const made_up_t *made_up) {
  problem->a_s8 = malloc(problem->m * problem->k);
  if (problem->a_s8 == NULL || !make_weights_s8(problem, made_up)) {
    return false;
  }
  make_bytes(made_up, STREAM_A, problem->m * problem->k, problem->a_s8);
  return true;
}

// Powers of two from 1/4 to 4.
static bool make_smooth(gemm_problem_t *problem, const made_up_t *made_up) {
  problem->smooth = malloc(problem->k * sizeof *problem->smooth);
  for (size_t j = 0; problem->smooth != NULL && j < problem->k; ++j) {
    problem->smooth[j] = exp2f(rintf(2 * uniform(made_up->seed, STREAM_SMOOTH, j)));
  }
  return problem->smooth != NULL;
}

bool gemm_make_up(gemm_problem_t *problem, const made_up_t *made_up, gemm_zeros_t zeros, base_error_t *error) {
  const size_t scales = problem->quantised ? problem->k / problem->group * problem->n : 0;
  if (problem->s8) {
    return make_s8(problem, made_up) || base_fail(error, "--m, --n, --k: out of memory");
  }
  problem->a = malloc(problem->m * problem->k * 2);
  bool good = problem->a != NULL;
  if (problem->quantised) {
    problem->w = malloc(problem->k * problem->n / 2);
    problem->scale = malloc(scales * 2);
    problem->zero = zeros == GEMM_ZEROS_NONE ? NULL : malloc(scales * 2);
    good = good && problem->w != NULL && problem->scale != NULL && (problem->zero != NULL || zeros == GEMM_ZEROS_NONE);
  } else if (problem->w8a8) {
    good = good && make_weights_s8(problem, made_up) && (!problem->has_smooth || make_smooth(problem, made_up));
  } else {
    problem->b = malloc(problem->k * problem->n * 2);
    good = good && problem->b != NULL;
  }
  if (!good) {
    return base_fail(error, "--m, --n, --k: out of memory");
  }
  if (problem->type == NUM_HALF_FP16 && made_up->distribution.width > 8192) {
    return base_fail(error, "--dist: expected at most 8192, FP16 ends at 65504, got '%s'", made_up->text);
  }
  make_half(made_up, problem->type, STREAM_A, problem->m * problem->k, problem->a);
  if (problem->quantised) {
    make_weights(problem, made_up->seed, zeros);
  }
  if (problem->quantised || problem->w8a8) {
    return true;
  }
  make_half(made_up, problem->type, STREAM_B, problem->k * problem->n, problem->b);
  return true;
}
