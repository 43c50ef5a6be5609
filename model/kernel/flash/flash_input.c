// Queries, keys and values: from files, or made up.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/array_bf16.h"
#include "base/npy.h"
#include "host/parallel.h"
#include "kernel/flash/flash.h"
#include "kernel/mask.h"
#include "kernels/flash/flash_args.h"
#include "num/num_format.h"

static const size_t max_bytes = (size_t)4 << 30;

// --- files ------------------------------------------------------------------------------------

static bool refuse_value(const char *path, const npy_array_t *array, size_t i, const char *what, base_error_t *error) {
  char where[NPY_SHAPE_BYTES];
  return base_fail(error, "%s: element %s %s", path, npy_index_text(array, i, where), what);
}

// '<f2' as it is, '<f4' rounded to nearest even.
static bool to_fp16(const char *path, npy_array_t *array, base_error_t *error) {
  const size_t count = npy_count(array);
  if (array->type == NPY_F4) {
    uint16_t *bits = malloc(count * sizeof *bits + 1);
    if (bits == NULL) {
      return base_fail(error, "%s: out of memory", path);
    }
    num_fp16_from_f32_n(array->data, bits, count);
    free(array->data);
    array->data = bits;
    array->type = NPY_F2;
  }
  const uint16_t *bits = array->data;
  for (size_t i = 0; i < count; ++i) {
    if ((bits[i] & 0x7c00u) == 0x7c00u) {
      return refuse_value(path, array, i, "is not finite, or beyond FP16", error);
    }
  }
  return true;
}

// The first file says which type '<f2' and '<u2' are of; '<f4' becomes what is asked for, or BF16, and '<f2' BF16 if
// that is asked for and has its values.
static bool read_array(const char *path, bool round, flash_type_t *type, npy_array_t *array, base_error_t *error) {
  if (!array_read(path, NPY_BIT(F2) | NPY_BIT(U2) | NPY_BIT(F4), array, error)) {
    return false;
  }
  if (*type == FLASH_TYPE_USUAL) {
    *type = array->type == NPY_F2 ? FLASH_FP16 : FLASH_BF16;
  }
  if (*type == FLASH_BF16) {
    return array_to_bf16(path, (array_bf16_t){.round = round}, array, error);
  }
  const bool good = array->type == NPY_U2
                        ? base_fail(error, "%s: '<u2'; expected '<f2' or '<f4', as --dtype or --q has it", path)
                        : to_fp16(path, array, error);
  if (!good) {
    npy_free(array);
  }
  return good;
}

// [B,H,S,d] without the first axes if they are 1.
typedef struct shape {
  size_t batch, heads, tokens, dim;
} shape_t;

static bool take(const char *path, npy_array_t *array, uint16_t **data, shape_t *shape, base_error_t *error) {
  size_t axis[4] = {1, 1, 1, 1};
  *data = array->data;
  if (array->dims < 2 || array->dims > 4 || npy_count(array) == 0) {
    return npy_refuse_shape(path, array, error, "[B,H,S,d], [H,S,d] or [S,d]");
  }
  for (size_t i = 0; i < array->dims; ++i) {
    axis[4 - array->dims + i] = array->shape[i];
  }
  *shape = (shape_t){axis[0], axis[1], axis[2], axis[3]};
  return true;
}

static bool take_q(const flash_input_t *input, flash_type_t *type, flash_problem_t *problem, base_error_t *error) {
  npy_array_t array;
  shape_t q;
  if (!read_array(input->q, input->round, type, &array, error) || !take(input->q, &array, &problem->q, &q, error)) {
    return false;
  }
  problem->axes = array.dims;
  problem->batch = q.batch;
  problem->heads = q.heads;
  problem->seq_q = q.tokens;
  problem->dk = q.dim;
  return kernel_agrees("batch", input->batch, q.batch, input->q, error) &&
         kernel_agrees("heads", input->heads, q.heads, input->q, error) &&
         kernel_agrees("seq-q", input->seq_q, q.tokens, input->q, error) &&
         kernel_agrees("head-dim", input->head_dim, q.dim, input->q, error);
}

static bool take_k(const flash_input_t *input, flash_type_t *type, flash_problem_t *problem, base_error_t *error) {
  npy_array_t array;
  shape_t k;
  if (!read_array(input->k, input->round, type, &array, error) || !take(input->k, &array, &problem->k, &k, error)) {
    return false;
  }
  problem->kv_heads = k.heads;
  problem->keys = k.tokens;
  if (k.batch != problem->batch || k.dim != problem->dk) {
    return npy_refuse_shape(input->k, &array, error, "[%zu,Hkv,S,%zu], batch and head dimension as Q", problem->batch,
                            problem->dk);
  }
  return kernel_agrees("kv-heads", input->kv_heads, k.heads, input->k, error) &&
         kernel_agrees("seq-kv", input->keys, k.tokens, input->k, error);
}

static bool take_v(const flash_input_t *input, flash_type_t *type, flash_problem_t *problem, base_error_t *error) {
  npy_array_t array;
  shape_t v;
  if (!read_array(input->v, input->round, type, &array, error) || !take(input->v, &array, &problem->v, &v, error)) {
    return false;
  }
  problem->dv = v.dim;
  if (v.batch != problem->batch || v.heads != problem->kv_heads || v.tokens != problem->keys) {
    return npy_refuse_shape(input->v, &array, error, "[%zu,%zu,%zu,Dv], batch, heads and keys as K", problem->batch,
                            problem->kv_heads, problem->keys);
  }
  return kernel_agrees("dv", input->dv, v.dim, input->v, error);
}

static bool from_files(const flash_input_t *input, flash_problem_t *problem, base_error_t *error) {
  flash_type_t type = input->type;
  const bool good = take_q(input, &type, problem, error) && take_k(input, &type, problem, error) &&
                    take_v(input, &type, problem, error);
  problem->fp16 = type == FLASH_FP16;
  snprintf(problem->source, sizeof problem->source, "%.60s, %.60s, %.60s", input->q, input->k, input->v);
  return good;
}

// --- made-up data -----------------------------------------------------------------------------

enum { STREAM_Q, STREAM_K, STREAM_V, STREAM_SINKS };

typedef struct fill {
  const made_up_t *made_up;
  uint64_t stream;
  bool fp16;
  uint16_t *out;
} fill_t;

// FP16 is made of BF16, which has fewer digits.
static bool fill(void *context, size_t first, size_t end) {
  const fill_t *array = context;
  uint16_t *out = array->out + first;
  made_up_fill(array->made_up, array->stream, first, end - first, out);
  for (size_t i = 0; array->fp16 && i < end - first; ++i) {
    out[i] = num_fp16_from_f32(num_bf16_to_f32(out[i]));
    if ((out[i] & 0x7c00u) == 0x7c00u) {
      return false;
    }
  }
  return true;
}

static bool make_array(const flash_problem_t *problem, const made_up_t *made_up, uint64_t stream, size_t count,
                       unsigned threads, uint16_t **out, base_error_t *error) {
  *out = soc_alloc(count * sizeof **out);
  if (*out == NULL) {
    return base_fail(error, "%s", soc_no_room());
  }
  fill_t array = {made_up, stream, problem->fp16, *out};
  return parallel_for(threads, count, fill, &array) ||
         base_fail(error, "--dist %s: gives numbers beyond FP16", made_up->text);
}

static bool make_arrays(const flash_input_t *input, unsigned threads, flash_problem_t *problem, base_error_t *error) {
  const size_t tokens = flash_entries(problem) * problem->keys;
  const size_t queries = problem->batch * problem->heads * problem->seq_q;
  const made_up_t *made_up = &input->made_up;
  problem->in_global_memory = true;
  return make_array(problem, made_up, STREAM_Q, queries * problem->dk, threads, &problem->q, error) &&
         make_array(problem, made_up, STREAM_K, tokens * problem->dk, threads, &problem->k, error) &&
         make_array(problem, made_up, STREAM_V, tokens * problem->dv, threads, &problem->v, error);
}

static void usual_shape(const flash_input_t *input, flash_problem_t *problem) {
  problem->batch = kernel_size_or(input->batch, 1);
  problem->heads = kernel_size_or(input->heads, 8);
  problem->kv_heads = kernel_size_or(input->kv_heads, problem->heads);
  problem->seq_q = kernel_size_or(input->seq_q, 1024);
  problem->keys = kernel_size_or(input->keys, problem->seq_q);
  problem->dk = kernel_size_or(input->head_dim, 128);
  problem->dv = kernel_size_or(input->dv, problem->dk);
  problem->axes = 4;
  problem->fp16 = input->type == FLASH_FP16;
}

// --- limits -----------------------------------------------------------------------------------

static bool check_heads(const flash_input_t *input, const flash_problem_t *problem, base_error_t *error) {
  if (problem->heads % problem->kv_heads == 0) {
    return true;
  }
  return input->source == KERNEL_FILES
             ? base_fail(error, "%s: %zu heads of keys do not divide the %zu query heads of %s", input->k,
                         problem->kv_heads, problem->heads, input->q)
             : base_fail(error, "--kv-heads: %zu does not divide the %zu query heads", problem->kv_heads,
                         problem->heads);
}

static bool check_widths(const flash_input_t *input, const flash_problem_t *problem, base_error_t *error) {
  const bool keys = problem->dk > FLASH_MAX_DIM;
  const size_t widest = keys ? problem->dk : problem->dv;
  const char *file = keys ? input->q : input->v;
  return widest <= FLASH_MAX_DIM || base_fail(error, "%s: %zu elements of a head; the kernel takes at most %d",
                                              input->source == KERNEL_FILES ? file
                                              : keys                        ? "--head-dim"
                                                                            : "--dv",
                                              widest, FLASH_MAX_DIM);
}

static bool check_shape(const flash_input_t *input, const flash_problem_t *problem, base_error_t *error) {
  const size_t queries = problem->batch * problem->heads * problem->seq_q;
  const size_t tokens = problem->batch * problem->kv_heads * problem->keys;
  const size_t widest = problem->dk > problem->dv ? problem->dk : problem->dv;
  if (!check_widths(input, problem, error) || !check_heads(input, problem, error)) {
    return false;
  }
  const size_t most = queries > tokens ? queries : tokens;
  return most * widest * 4 <= max_bytes ||
         base_fail(error, "--batch, --heads, --seq-q, --seq-kv: an array of %zu bytes; expected at most %zu",
                   most * widest * 4, max_bytes);
}

// --- lengths and masks ------------------------------------------------------------------------

static bool read_lengths(const char *path, flash_problem_t *problem, base_error_t *error) {
  npy_array_t array;
  if (!array_read_i4(path, &array, error)) {
    return false;
  }
  problem->length = array.data;
  if (array.dims != 1 || array.shape[0] != problem->batch) {
    return npy_refuse_shape(path, &array, error, "(%zu,)", problem->batch);
  }
  if (problem->batch > FLASH_MAX_LENGTHS) {
    return base_fail(error, "%s: %zu lengths; the kernel takes at most %d", path, problem->batch, FLASH_MAX_LENGTHS);
  }
  for (size_t i = 0; i < problem->batch; ++i) {
    if (problem->length[i] < 0 || (size_t)problem->length[i] > problem->keys) {
      return base_fail(error, "%s: %d at [%zu]; expected 0 to %zu, the keys that there are", path, problem->length[i],
                       i, problem->keys);
    }
  }
  return true;
}

static bool read_mask(const char *path, flash_problem_t *problem, base_error_t *error) {
  const mask_shape_t shape = {.rows = problem->seq_q, .keys = problem->keys, .row_axes = 1};
  return mask_read(path, shape, &problem->visible, &problem->mask_rows, error);
}

// Query token t is key keys - seq_q + t; what causal hides stays visible here.
static bool make_window(const flash_input_t *input, flash_problem_t *problem, base_error_t *error) {
  const size_t bytes = problem->seq_q * problem->keys;
  if (!input->causal || input->mask != NULL || input->lengths != NULL) {
    return base_fail(error, "--window: needs --causal, and goes without --mask and --lengths");
  }
  if (bytes > max_bytes) {
    return base_fail(error, "--window: a mask of %zu bytes; expected at most %zu", bytes, max_bytes);
  }
  problem->visible = malloc(bytes);
  problem->mask_rows = problem->seq_q;
  problem->window = input->window;
  for (size_t i = 0; problem->visible != NULL && i < bytes; ++i) {
    problem->visible[i] = i % problem->keys + input->window + problem->seq_q > problem->keys + i / problem->keys;
  }
  return problem->visible != NULL || base_fail(error, "--window: out of memory");
}

// --- sinks ------------------------------------------------------------------------------------

static bool make_sinks(uint64_t seed, flash_problem_t *problem, base_error_t *error) {
  made_up_t normal = made_up_usual();
  normal.seed = seed;
  problem->sink = malloc(problem->heads * sizeof *problem->sink);
  for (size_t i = 0; problem->sink != NULL && i < problem->heads; ++i) {
    uint16_t bits;
    made_up_fill(&normal, STREAM_SINKS, i, 1, &bits);
    problem->sink[i] = num_bf16_to_f32(bits);
  }
  return problem->sink != NULL || base_fail(error, "--sinks: out of memory");
}

static bool read_sinks(const char *path, flash_problem_t *problem, base_error_t *error) {
  npy_array_t array;
  if (!array_read(path, NPY_BIT(F4), &array, error)) {
    return false;
  }
  problem->sink = array.data;
  if (array.dims != 1 || array.shape[0] != problem->heads) {
    return npy_refuse_shape(path, &array, error, "(%zu,), one for each query head", problem->heads);
  }
  for (size_t i = 0; i < problem->heads; ++i) {
    if (isnan(problem->sink[i])) {
      return base_fail(error, "%s: NaN at [%zu]; expected a number or an infinity", path, i);
    }
  }
  return true;
}

static bool take_sinks(const flash_input_t *input, flash_problem_t *problem, base_error_t *error) {
  return input->sinks == NULL || (made_up_asked(input->sinks) ? make_sinks(input->made_up.seed, problem, error)
                                                              : read_sinks(input->sinks, problem, error));
}

// --- all of it --------------------------------------------------------------------------------

static bool read_arrays(const flash_input_t *input, bool timing_only, unsigned threads, flash_problem_t *problem,
                        base_error_t *error) {
  if (input->source == KERNEL_FILES) {
    return from_files(input, problem, error) && check_shape(input, problem, error);
  }
  usual_shape(input, problem);
  made_up_source(&input->made_up, timing_only, problem->source, sizeof problem->source);
  return check_shape(input, problem, error) && (timing_only || make_arrays(input, threads, problem, error));
}

bool flash_read(const flash_input_t *input, bool timing_only, unsigned threads, flash_problem_t *problem,
                base_error_t *error) {
  memset(problem, 0, sizeof *problem);
  const bool good = read_arrays(input, timing_only, threads, problem, error) &&
                    (input->lengths == NULL || read_lengths(input->lengths, problem, error)) &&
                    (input->mask == NULL || read_mask(input->mask, problem, error)) &&
                    (input->window == 0 || make_window(input, problem, error)) && take_sinks(input, problem, error) &&
                    (!input->paged || flash_make_pages(problem, input->made_up.seed, error));
  if (!good) {
    flash_free(problem);
    return false;
  }
  problem->causal = input->causal;
  problem->cap = input->cap;
  problem->scale = isnan(input->scale) ? (float)(1 / sqrt((double)problem->dk)) : input->scale;
  return true;
}
