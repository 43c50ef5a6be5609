// The FP8 KV cache of multi-head latent attention: tokens of 656 bytes, little endian.
//
//   byte    0..511   512..527    528..655
//   holds   e4m3     FP32        BF16
//           512      4 scales    64 RoPE values, as they were
//
// Code i stands for code * scale[i / 128]. A decoded token is a key of 576 BF16 values; its first
// 512 are the value vector.
//
// Source: NUMERICS.md section 6; the layout is FlashMLA's.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_FP8_H
#define AMALGAM_NUM_NUM_FP8_H

#include <stddef.h>
#include <stdint.h>

#include "num/num_format.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  NUM_FP8_LATENT = 512,  // codes
  NUM_FP8_GROUP = 128,   // that share a scale
  NUM_FP8_SCALES = 4,
  NUM_FP8_ROPE = 64,
  NUM_FP8_KEY = 576,           // values of a decoded token
  NUM_FP8_SCALE_OFFSET = 512,  // bytes
  NUM_FP8_ROPE_OFFSET = 528,
  NUM_FP8_TOKEN_BYTES = 656,
};

typedef enum num_fp8_scale {
  NUM_FP8_SCALE_AMAX,   // f32(amax / 448); 1 if amax is 0
  NUM_FP8_SCALE_UE8M0,  // that, but at least 1e-4, rounded up to a power of two
} num_fp8_scale_t;

// The scale of a group whose largest magnitude is amax, finite.
float num_fp8_scale(num_fp8_scale_t kind, float amax);

// Keys [n, 576] BF16 to tokens [n, 656]: code = e4m3(f32(x / scale)), RNE, saturating at 448. Only
// finite values count for amax. An infinity becomes the largest code of its sign, a NaN the NaN of
// its sign.
void num_fp8_encode(num_fp8_scale_t kind, const num_bf16_t *key, uint8_t *token, size_t n);

// And back: bf16(f32(code * scale)). NaN codes and scales give quiet NaNs; RoPE bits stay as they
// are.
void num_fp8_decode(const uint8_t *token, num_bf16_t *key, size_t n);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_NUM_FP8_H
