// SPDX-License-Identifier: Apache-2.0
#include "num/num_format.h"

#include "num/num_isa.h"

// The scalar functions have no branches, so each of these loops becomes vector code as it stands.

NUM_CLONES
void num_bf16_to_f32_n(const num_bf16_t *restrict src, float *restrict dst, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = num_bf16_to_f32(src[i]);
  }
}

NUM_CLONES
void num_bf16_from_f32_n(const float *restrict src, num_bf16_t *restrict dst, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = num_bf16_from_f32(src[i]);
  }
}

NUM_CLONES
void num_fp16_to_f32_n(const num_fp16_t *restrict src, float *restrict dst, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = num_fp16_to_f32(src[i]);
  }
}

NUM_CLONES
void num_fp16_from_f32_n(const float *restrict src, num_fp16_t *restrict dst, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = num_fp16_from_f32(src[i]);
  }
}

NUM_CLONES
void num_e4m3_to_f32_n(const uint8_t *restrict src, float *restrict dst, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = num_e4m3_to_f32(src[i]);
  }
}

NUM_CLONES
void num_e4m3_from_f32_n(const float *restrict src, uint8_t *restrict dst, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = num_e4m3_from_f32(src[i]);
  }
}
