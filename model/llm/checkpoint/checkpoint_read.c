// Elements of tensors, out of whatever a file has of them.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "llm/checkpoint/checkpoint_internal.h"
#include "num/num_rng.h"

enum { CHUNK = 2048, MXFP4_BLOCK = CHECKPOINT_MXFP4_BLOCK };

static size_t element_bytes(checkpoint_type_t type) { return type == CHECKPOINT_FP32 ? 4 : 2; }

static float scale_of(safetensors_type_t type, const uint8_t *stored) {
  uint16_t half;
  float scale;
  memcpy(&half, stored, sizeof half);
  memcpy(&scale, stored, sizeof scale);
  return type == SAFETENSORS_BF16 ? num_bf16_to_f32(half) : type == SAFETENSORS_F16 ? num_fp16_to_f32(half) : scale;
}

// Elements in 8 bits that lie in one row and one block, in FP32.
static bool fetch_block(const checkpoint_tensor_t *tensor, uint64_t first, size_t count, float *out,
                        base_error_t *error) {
  uint8_t bytes[CHUNK], stored[sizeof(float)] = {0};
  const size_t row = (size_t)(first / tensor->columns), column = (size_t)(first % tensor->columns);
  const size_t width = safetensors_type_bytes(tensor->scales->type);
  const size_t block =
      row / tensor->block_rows * ceil_div(tensor->columns, tensor->block_columns) + column / tensor->block_columns;
  if (!safetensors_read(tensor->file, tensor->entry, first, count, bytes, error) ||
      !safetensors_read(tensor->scale_file, tensor->scales, block * width, width, stored, error)) {
    return false;
  }
  const float scale = scale_of(tensor->scales->type, stored);
  for (size_t i = 0; i < count; ++i) {
    out[i] = (tensor->entry->type == SAFETENSORS_I8 ? (float)(int8_t)bytes[i] : num_e4m3_to_f32(bytes[i])) * scale;
  }
  return true;
}

bool checkpoint_is_s8(const checkpoint_tensor_t *tensor) {
  return tensor->scales != NULL && !tensor->mxfp4 && tensor->entry->type == SAFETENSORS_I8 &&
         tensor->block_columns >= tensor->columns;
}

bool checkpoint_read_s8(const checkpoint_tensor_t *tensor, size_t row, int8_t *out, float *scale, base_error_t *error) {
  uint8_t stored[sizeof(float)] = {0};
  const uint64_t first = tensor->first + row * tensor->columns;
  const size_t width = safetensors_type_bytes(tensor->scales->type);
  if (!safetensors_read(tensor->file, tensor->entry, first, tensor->columns, out, error) ||
      !safetensors_read(tensor->scale_file, tensor->scales, first / tensor->columns / tensor->block_rows * width, width,
                        stored, error)) {
    return false;
  }
  *scale = scale_of(tensor->scales->type, stored);
  return true;
}

static bool fetch_blocks(const checkpoint_tensor_t *tensor, uint64_t first, size_t count, float *out,
                         base_error_t *error) {
  bool good = true;
  for (size_t done = 0, n = 0; good && done < count; done += n) {
    const size_t in_block = tensor->block_columns - (first + done) % tensor->columns % tensor->block_columns;
    const size_t in_row = tensor->columns - (first + done) % tensor->columns;
    n = smaller(smaller(count - done, CHUNK), smaller(in_block, in_row));
    good = fetch_block(tensor, first + done, n, out + done, error);
  }
  return good;
}

// Elements `first` .. of what is stored in MXFP4, of one row: nibbles, the lower one first, of 1 bit sign, 2 bits
// exponent, 1 bit fraction, times a power of two for each block (OCP Microscaling Formats 1.0, sections 5.3 and 6.3).
static bool fetch_mxfp4(const checkpoint_tensor_t *tensor, uint64_t first, size_t count, num_bf16_t *out,
                        base_error_t *error) {
  static const float values[] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
  bool good = true;
  for (size_t done = 0, n = 0; good && done < count; done += n) {
    const uint64_t at = first + done, block = at / MXFP4_BLOCK;
    const size_t skip = (size_t)(at % MXFP4_BLOCK);
    uint8_t bytes[MXFP4_BLOCK / 2] = {0}, scale = 0;
    n = smaller(count - done, MXFP4_BLOCK - skip);
    good = safetensors_read(tensor->file, tensor->entry, block * sizeof bytes, sizeof bytes, bytes, error) &&
           safetensors_read(tensor->scale_file, tensor->scales, block, 1, &scale, error);
    for (size_t i = 0; i < n; ++i) {
      const unsigned nibble = (unsigned)bytes[(skip + i) / 2] >> (skip + i) % 2 * 4 & 0xfu;
      const float value = ldexpf(values[nibble & 7u], scale - 127);
      out[done + i] = num_bf16_from_f32(nibble > 7 ? -value : value);
    }
  }
  return good;
}

static bool read_slab(const checkpoint_tensor_t *tensor, base_error_t *error) {
  const size_t bytes = element_bytes(tensor->type);
  checkpoint_slab_t *slab = tensor->slab;
  pthread_mutex_lock(&slab->lock);
  bool good = true;
  if (slab->bytes == NULL) {
    uint8_t *room = malloc(tensor->slab_count * bytes);
    good = room != NULL ? safetensors_read(tensor->file, tensor->entry, tensor->slab_first * bytes,
                                           tensor->slab_count * bytes, room, error)
                        : base_fail(error, "%s: out of memory", tensor->entry->name);
    slab->bytes = good ? room : NULL;
    if (!good) {
      free(room);
    }
  }
  pthread_mutex_unlock(&slab->lock);
  return good;
}

// Elements of one row.
static bool fetch_in_row(const checkpoint_tensor_t *tensor, uint64_t first, size_t count, uint8_t *out,
                         base_error_t *error) {
  const size_t bytes = element_bytes(tensor->type);
  if (tensor->mxfp4) {
    return fetch_mxfp4(tensor, first, count, (num_bf16_t *)(void *)out, error);
  }
  if (tensor->slab == NULL) {
    return safetensors_read(tensor->file, tensor->entry, first * bytes, count * bytes, out, error);
  }
  if (!read_slab(tensor, error)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    memcpy(out + i * bytes, tensor->slab->bytes + (first - tensor->slab_first + i * tensor->column_step) * bytes,
           bytes);
  }
  return true;
}

static bool fetch_rows(const checkpoint_tensor_t *tensor, size_t first, size_t count, uint8_t *out,
                       base_error_t *error) {
  const size_t bytes = element_bytes(tensor->type);
  bool good = true;
  for (size_t done = 0, n = 0; good && done < count; done += n) {
    const size_t row = (first + done) / tensor->columns, column = (first + done) % tensor->columns;
    n = smaller(count - done, tensor->columns - column);
    good = fetch_in_row(tensor, tensor->first + row * tensor->row_step + column * tensor->column_step, n,
                        out + done * bytes, error);
  }
  return good;
}

// As they are stored.
static bool fetch(const checkpoint_tensor_t *tensor, size_t first, size_t count, void *out, base_error_t *error) {
  const size_t bytes = element_bytes(tensor->type);
  if (tensor->scales != NULL && !tensor->mxfp4) {
    return fetch_blocks(tensor, tensor->first + first, count, out, error);
  }
  if (tensor->file != NULL && (tensor->mxfp4 || tensor->row_step != tensor->columns || tensor->column_step != 1)) {
    return fetch_rows(tensor, first, count, out, error);
  }
  if (tensor->file != NULL) {
    return safetensors_read(tensor->file, tensor->entry, (tensor->first + first) * bytes, count * bytes, out, error);
  }
  num_bf16_t *values = out;
  if (tensor->deviation > 0.0) {
    num_rng_normal_bf16(tensor->seed, tensor->stream, first, count, tensor->deviation, values);
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    values[i] = tensor->constant;
  }
  return true;
}

static void widen(checkpoint_type_t type, const void *in, float *out, size_t n) {
  switch (type) {
    case CHECKPOINT_BF16:
      num_bf16_to_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP16:
      num_fp16_to_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP32:
      memcpy(out, in, n * sizeof *out);
      break;
  }
}

static void narrow(checkpoint_type_t type, const float *in, void *out, size_t n) {
  switch (type) {
    case CHECKPOINT_BF16:
      num_bf16_from_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP16:
      num_fp16_from_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP32:
      memcpy(out, in, n * sizeof *in);
      break;
  }
}

bool checkpoint_read(const checkpoint_tensor_t *tensor, size_t first, size_t count, checkpoint_type_t type, void *out,
                     base_error_t *error) {
  float stored[CHUNK], wide[CHUNK];  // stored: of any type, no element larger than this
  if (type == tensor->type && !(tensor->added > 0.0f)) {
    return fetch(tensor, first, count, out, error);
  }
  for (size_t done = 0; done < count; done += CHUNK) {
    const size_t n = smaller(count - done, CHUNK);
    if (!fetch(tensor, first + done, n, stored, error)) {
      return false;
    }
    widen(tensor->type, stored, wide, n);
    for (size_t i = 0; tensor->added > 0.0f && i < n; ++i) {
      wide[i] += tensor->added;
    }
    narrow(type, wide, (char *)out + done * element_bytes(type), n);
  }
  return true;
}
