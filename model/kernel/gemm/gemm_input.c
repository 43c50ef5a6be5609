// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "base/npy.h"
#include "hal/command.h"
#include "kernel/gemm/gemm_made_up.h"
#include "kernel/gemm/w8a8.h"
#include "num/golden/num_step.h"

enum { MAX_EXTENT = W4A16_MAX };

// --- files ------------------------------------------------------------------------------------

static bool is_finite(num_half_t type, uint16_t half) {
  const unsigned exponent = type == NUM_HALF_BF16 ? 0x7f80u : 0x7c00u;
  return (half & exponent) != exponent;
}

// A matrix of FP16 or BF16 numbers; a vector is one row if that may be.
static bool read_half(const char *path, num_half_t type, bool may_be_vector, npy_array_t *array, base_error_t *error) {
  if (!array_read(path, type == NUM_HALF_BF16 ? NPY_BIT(U2) : NPY_BIT(F2), array, error)) {
    return false;
  }
  if (may_be_vector && array->dims == 1) {
    array->dims = 2;
    array->shape[1] = array->shape[0];
    array->shape[0] = 1;
  }
  if (array->dims != 2 || npy_count(array) == 0) {
    npy_refuse_shape(path, array, error, may_be_vector ? "[K/g,N] or [N]" : "two dimensions");
    npy_free(array);
    return false;
  }
  const uint16_t *value = array->data;
  for (size_t i = 0; i < npy_count(array); ++i) {
    if (!is_finite(type, value[i])) {
      char at[NPY_SHAPE_BYTES];
      base_fail(error, "%s: %s is not finite", path, npy_index_text(array, i, at));
      npy_free(array);
      return false;
    }
  }
  return true;
}

static bool take_a(const gemm_input_t *input, const char *path, gemm_problem_t *problem, base_error_t *error) {
  npy_array_t a;
  if (!read_half(path, problem->type, false, &a, error)) {
    return false;
  }
  problem->a = a.data;
  problem->m = a.shape[0];
  problem->k = a.shape[1];
  return kernel_agrees("m", input->m, problem->m, path, error) && kernel_agrees("k", input->k, problem->k, path, error);
}

static bool take_w4(const char *path, gemm_problem_t *problem, base_error_t *error) {
  npy_array_t w;
  if (!array_read(path, NPY_BIT(I4), &w, error)) {
    return false;
  }
  problem->w = w.data;
  if (w.dims != 2 || npy_count(&w) == 0 || w.shape[0] != problem->k) {
    return npy_refuse_shape(path, &w, error, "[%zu,N/8], a row for each column of A, eight nibbles a word", problem->k);
  }
  problem->n = 8 * w.shape[1];
  return true;
}

static bool take_half_w(const char *path, gemm_problem_t *problem, base_error_t *error) {
  npy_array_t w;
  if (!read_half(path, problem->type, false, &w, error)) {
    return false;
  }
  problem->b = w.data;
  if (w.shape[0] != problem->k) {
    return npy_refuse_shape(path, &w, error, "[%zu,N], a row for each column of A", problem->k);
  }
  problem->n = w.shape[1];
  return true;
}

static bool check_scales(const char *path, const npy_array_t *scale, base_error_t *error) {
  const uint16_t *value = scale->data;
  for (size_t i = 0; i < npy_count(scale); ++i) {
    if ((value[i] & 0x7fffu) == 0) {
      char at[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %s is 0; expected scales other than 0", path, npy_index_text(scale, i, at));
    }
  }
  return true;
}

static bool take_scale(const gemm_input_t *input, const char *path, gemm_problem_t *problem, base_error_t *error) {
  npy_array_t scale;
  if (!read_half(path, NUM_HALF_FP16, true, &scale, error)) {
    return false;
  }
  problem->scale = scale.data;
  if (scale.shape[1] != problem->n) {
    return npy_refuse_shape(path, &scale, error, "[K/g,%zu], N as W's words hold", problem->n);
  }
  const size_t groups = scale.shape[0];
  problem->group = problem->k / groups;
  if (input->group != 0) {
    problem->group = input->group;
  }
  if (problem->group == 0 || problem->k % problem->group != 0 || problem->k / problem->group != groups) {
    return base_fail(error, "%s: %zu rows of scales do not cut the %zu rows of W into groups%s", path, groups,
                     problem->k, input->group != 0 ? " of --group rows" : " of one size");
  }
  return check_scales(path, &scale, error);
}

static bool take_zero(const char *path, gemm_problem_t *problem, base_error_t *error) {
  npy_array_t zero;
  if (!read_half(path, NUM_HALF_FP16, true, &zero, error)) {
    return false;
  }
  problem->zero = zero.data;
  return (zero.shape[0] == problem->k / problem->group && zero.shape[1] == problem->n) ||
         npy_refuse_shape(path, &zero, error, "(%zu, %zu), the scales' shape", problem->k / problem->group, problem->n);
}

static bool is_nibble(const gemm_problem_t *problem, uint16_t zero) {
  const int lowest = problem->is_unsigned ? 0 : -8;
  const float value = num_fp16_to_f32(zero);
  return value >= (float)lowest && value <= (float)(lowest + 15) && value == (float)(int)value;
}

// Finds the way through the vector cores that is exact: the FMA's way is but for the sign of an exact zero, which
// is the formula's -0 if the scale is negative.
static bool sort_zeros(gemm_problem_t *problem, const char *scale, base_error_t *error) {
  const size_t count = problem->zero == NULL ? 0 : problem->k / problem->group * problem->n;
  problem->zeros = problem->zero == NULL ? W4A16_NO_ZEROS : W4A16_HALF_ZEROS;
  for (size_t i = 0; i < count && problem->zeros == W4A16_HALF_ZEROS; ++i) {
    if (!num_w4_half_zero(problem->zero[i], problem->is_unsigned)) {
      problem->zeros = W4A16_ANY_ZEROS;
    }
  }
  for (size_t i = 0; i < count && problem->zeros == W4A16_ANY_ZEROS; ++i) {
    if ((problem->scale[i] & 0x8000u) != 0 && is_nibble(problem, problem->zero[i])) {
      return base_fail(error,
                       "%s: [%zu,%zu] is negative and its zero point a nibble's value, beside "
                       "others that FP16 cannot subtract exactly; expected a scale above 0",
                       scale, i / problem->n, i % problem->n);
    }
  }
  return true;
}

static bool read_bytes(const char *path, npy_array_t *array, base_error_t *error) {
  if (!array_read(path, NPY_BIT(I1), array, error)) {
    return false;
  }
  if (array->dims != 2 || npy_count(array) == 0) {
    npy_refuse_shape(path, array, error, "two dimensions");
    npy_free(array);
    return false;
  }
  return true;
}

// FP32 numbers, one for each column of what; NULL: there are none.
static float *read_row(const char *path, size_t count, const char *what, base_error_t *error) {
  npy_array_t row;
  if (!array_read(path, NPY_BIT(F4), &row, error)) {
    return NULL;
  }
  const float *value = row.data;
  bool good = (row.dims == 1 && row.shape[0] == count) ||
              npy_refuse_shape(path, &row, error, "[%zu], one for each column of %s", count, what);
  for (size_t i = 0; good && i < count; ++i) {
    good = isfinite(value[i]) || base_fail(error, "%s: [%zu] is not finite", path, i);
  }
  if (!good) {
    npy_free(&row);
  }
  return good ? row.data : NULL;
}

static bool take_column_scales(const char *path, gemm_problem_t *problem, base_error_t *error) {
  problem->column_scale = read_row(path, problem->n, "W", error);
  return problem->column_scale != NULL;
}

// Its rows are a row for each column of A.
static bool take_w8(const gemm_input_t *input, gemm_problem_t *problem, base_error_t *error) {
  npy_array_t w;
  if (!read_bytes(input->w, &w, error)) {
    return false;
  }
  problem->b_s8 = w.data;
  problem->n = w.shape[1];
  if (w.shape[0] != problem->k) {
    return npy_refuse_shape(input->w, &w, error, "[%zu,N], a row for each column of A", problem->k);
  }
  return kernel_agrees("n", input->n, problem->n, input->w, error) &&
         (input->scale == NULL || take_column_scales(input->scale, problem, error));
}

static bool take_w8a8(const gemm_input_t *input, gemm_problem_t *problem, base_error_t *error) {
  problem->has_smooth = input->smooth != NULL;
  if (!take_a(input, input->a, problem, error) || !take_w8(input, problem, error)) {
    return false;
  }
  problem->smooth = problem->has_smooth ? read_row(input->smooth, problem->k, "A", error) : NULL;
  return !problem->has_smooth || problem->smooth != NULL;
}

static bool take_s8(const gemm_input_t *input, gemm_problem_t *problem, base_error_t *error) {
  npy_array_t a;
  if (!read_bytes(input->a, &a, error)) {
    return false;
  }
  problem->a_s8 = a.data;
  problem->m = a.shape[0];
  problem->k = a.shape[1];
  return kernel_agrees("m", input->m, problem->m, input->a, error) &&
         kernel_agrees("k", input->k, problem->k, input->a, error) && take_w8(input, problem, error);
}

static bool take_all(const gemm_input_t *input, const char *a, const char *w, const char *scale, const char *zero,
                     gemm_problem_t *problem, base_error_t *error) {
  if (!take_a(input, a, problem, error) ||
      !(problem->quantised ? take_w4(w, problem, error) : take_half_w(w, problem, error)) ||
      !kernel_agrees("n", input->n, problem->n, w, error)) {
    return false;
  }
  return !problem->quantised ||
         (take_scale(input, scale, problem, error) && (zero == NULL || take_zero(zero, problem, error)) &&
          sort_zeros(problem, scale, error));
}

// --- the three sources ------------------------------------------------------------------------

static bool from_files(const gemm_input_t *input, gemm_problem_t *problem, base_error_t *error) {
  snprintf(problem->source, sizeof problem->source, "%.80s, %.80s%s", input->a, input->w,
           problem->quantised ? ", ..." : "");
  return problem->s8     ? take_s8(input, problem, error)
         : problem->w8a8 ? take_w8a8(input, problem, error)
                         : take_all(input, input->a, input->w, input->scale, input->zero, problem, error);
}

static bool shipped(const gemm_input_t *input, gemm_problem_t *problem, base_error_t *error) {
  enum { A, W, SCALE, FILES };
  static const char *const name[FILES] = {"a", "w", "scale"};
  char path[FILES][4096];
  for (size_t i = 0; i < FILES; ++i) {
    snprintf(path[i], sizeof path[i], "%s/tests/data/w4a16_real_%s.npy", config_home(),
             i == W && !problem->quantised ? "w_fp16" : name[i]);
  }
  snprintf(problem->source, sizeof problem->source,
           "shipped, no input was named: output projection of a trained MLA model "
           "(tests/data/w4a16_real_*.npy)");
  return take_all(input, path[A], path[W], path[SCALE], NULL, problem, error);
}

static bool check_made_up(const gemm_problem_t *problem, base_error_t *error) {
  if (!problem->quantised) {
    return true;
  }
  if (problem->n % 8 != 0) {
    return base_fail(error, "--n %zu: expected a multiple of 8, a word holds eight nibbles", problem->n);
  }
  return problem->k % problem->group == 0 ||
         base_fail(error, "--k %zu: expected a multiple of --group, %zu", problem->k, problem->group);
}

static bool make_up(const gemm_input_t *input, bool timing_only, gemm_problem_t *problem, base_error_t *error) {
  static const enum w4a16_zeros zeros[] = {W4A16_NO_ZEROS, W4A16_HALF_ZEROS, W4A16_ANY_ZEROS};
  problem->m = kernel_size_or(input->m, 16);
  problem->n = kernel_size_or(input->n, 2048);
  problem->k = kernel_size_or(input->k, 4096);
  problem->group = kernel_size_or(input->group, 128);
  problem->has_smooth = input->smooth != NULL;
  problem->zeros = zeros[input->zeros];
  if (!check_made_up(problem, error)) {
    return false;
  }
  made_up_source(&input->made_up, timing_only, problem->source, sizeof problem->source);
  if (timing_only) {
    return true;
  }
  return gemm_make_up(problem, &input->made_up, input->zeros, error) && sort_zeros(problem, "--scale", error);
}

// --- all of it --------------------------------------------------------------------------------

static bool check_limits(const gemm_problem_t *problem, base_error_t *error) {
  const struct {
    const char *name;
    size_t extent;
  } extents[] = {{"m", problem->m}, {"n", problem->n}, {"k", problem->k}};
  for (size_t i = 0; i < sizeof extents / sizeof *extents; ++i) {
    if (extents[i].extent > MAX_EXTENT) {
      return base_fail(error, "%s: %s is %zu; expected at most %d", problem->source, extents[i].name, extents[i].extent,
                       (int)MAX_EXTENT);
    }
  }
  return true;
}

static bool check_w8a8(const gemm_problem_t *problem, base_error_t *error) {
  return !problem->w8a8 ||
         (problem->k % W8A8_K_MULTIPLE == 0 && problem->k <= W8A8_MAX_K && problem->n % W8A8_N_MULTIPLE == 0) ||
         base_fail(error, "%s: k is %zu and n %zu; expected a multiple of %d up to %d, and one of %d", problem->source,
                   problem->k, problem->n, W8A8_K_MULTIPLE, W8A8_MAX_K, W8A8_N_MULTIPLE);
}

// The contract's B.
static bool dequantise(gemm_problem_t *problem, base_error_t *error) {
  if (!problem->quantised || problem->w == NULL) {
    return true;
  }
  problem->b = malloc(problem->k * problem->n * 2);
  if (problem->b == NULL) {
    return base_fail(error, "dequantised weights: out of memory");
  }
  const num_w4_t weights = gemm_weights(problem);
  num_w4_dequantise(&weights, problem->b);
  return true;
}

// The contract's A of w8a8.
static bool quantise(gemm_problem_t *p, base_error_t *error) {
  if (!p->w8a8 || p->a == NULL) {
    return true;
  }
  p->a_s8 = malloc(p->m * p->k);
  p->row_scale = malloc(p->m * sizeof *p->row_scale);
  if (p->a_s8 == NULL || p->row_scale == NULL) {
    return base_fail(error, "quantised activations: out of memory");
  }
  num_step_quantise(p->a, p->k, p->type == NUM_HALF_FP16 ? TYPE_F16 : TYPE_BF16, p->smooth, p->m, p->k, p->a_s8,
                    p->row_scale);
  return true;
}

bool gemm_read(const gemm_input_t *input, const char *kernel, bool timing_only, gemm_problem_t *problem,
               base_error_t *error) {
  memset(problem, 0, sizeof *problem);
  problem->quantised = strcmp(kernel, "w4a16") == 0;
  problem->w8a8 = strcmp(kernel, "w8a8") == 0;
  problem->is_unsigned = problem->quantised && input->is_unsigned;
  problem->type = !problem->quantised && input->bf16 ? NUM_HALF_BF16 : NUM_HALF_FP16;
  problem->layout = problem->w8a8 ? GEMM_NZ : input->layout;
  problem->s8 = strcmp(kernel, "gemm") == 0 && input->s8;
  problem->scaled = problem->s8 && input->scaled;
  if (problem->type == NUM_HALF_BF16 && input->source == KERNEL_SHIPPED) {
    return base_fail(error, "--dtype bf16: the shipped data is FP16; name files, or sizes to make data up");
  }
  const bool read = input->source == KERNEL_FILES     ? from_files(input, problem, error)
                    : input->source == KERNEL_MADE_UP ? make_up(input, timing_only, problem, error)
                                                      : shipped(input, problem, error);
  if (read && check_limits(problem, error) && check_w8a8(problem, error) && dequantise(problem, error) &&
      quantise(problem, error)) {
    return true;
  }
  gemm_free(problem);
  return false;
}

void gemm_free(gemm_problem_t *problem) {
  free(problem->a);
  free(problem->w);
  free(problem->scale);
  free(problem->zero);
  free(problem->b);
  free(problem->a_s8);
  free(problem->b_s8);
  free(problem->column_scale);
  free(problem->row_scale);
  free(problem->smooth);
  memset(problem, 0, sizeof *problem);
}

num_w4_t gemm_weights(const gemm_problem_t *problem) {
  return (num_w4_t){.k = problem->k,
                    .n = problem->n,
                    .group = problem->group,
                    .w = problem->w,
                    .is_unsigned = problem->is_unsigned,
                    .scale = problem->scale,
                    .zero = problem->zero};
}

uint64_t gemm_flops(const gemm_problem_t *problem) { return 2ull * problem->m * problem->n * problem->k; }
