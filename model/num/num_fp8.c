// SPDX-License-Identifier: Apache-2.0
#include "num/num_fp8.h"

#include <math.h>

#include "num/num_isa.h"

static const float largest_code = 448.0f;
static const float least_power = 1e-4f;

static uint32_t load_u32(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store_u32(uint32_t word, uint8_t *bytes) {
  for (unsigned i = 0; i < 4; ++i) {
    bytes[i] = (uint8_t)(word >> (8u * i));
  }
}

// The power of two that is x or the next one above; x is a normal number.
static float power_up(float x) {
  int exponent;
  const float fraction = frexpf(x, &exponent);  // in [1/2, 1)
  return ldexpf(1.0f, fraction == 0.5f ? exponent - 1 : exponent);
}

float num_fp8_scale(num_fp8_scale_t kind, float amax) {
  if (amax == 0.0f) {
    return 1.0f;
  }
  const float scale = amax / largest_code;
  return kind == NUM_FP8_SCALE_AMAX ? scale : power_up(scale < least_power ? least_power : scale);
}

// The largest finite magnitude, as BF16 bits: they are in the order of the numbers.
NUM_CLONES
static uint16_t largest_bits(const num_bf16_t *x, size_t n) {
  uint16_t largest = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint16_t magnitude = x[i] & 0x7fffu;
    const uint16_t counted = magnitude < 0x7f80u ? magnitude : 0;
    largest = counted > largest ? counted : largest;
  }
  return largest;
}

NUM_CLONES
static void encode_group(const num_bf16_t *restrict x, float scale, uint8_t *restrict code, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    code[i] = num_e4m3_from_f32(num_bf16_to_f32(x[i]) / scale);
  }
}

NUM_CLONES
static void decode_group(const uint8_t *restrict code, float scale, num_bf16_t *restrict x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = num_bf16_from_f32(num_e4m3_to_f32(code[i]) * scale);
  }
}

static void encode_token(num_fp8_scale_t kind, const num_bf16_t *key, uint8_t *token) {
  for (size_t group = 0; group < NUM_FP8_SCALES; ++group) {
    const num_bf16_t *x = key + group * NUM_FP8_GROUP;
    const float scale = num_fp8_scale(kind, num_bf16_to_f32(largest_bits(x, NUM_FP8_GROUP)));
    encode_group(x, scale, token + group * NUM_FP8_GROUP, NUM_FP8_GROUP);
    store_u32(num_f32_bits(scale), token + NUM_FP8_SCALE_OFFSET + 4 * group);
  }
  for (size_t i = 0; i < NUM_FP8_ROPE; ++i) {
    token[NUM_FP8_ROPE_OFFSET + 2 * i] = (uint8_t)(key[NUM_FP8_LATENT + i] & 0xffu);
    token[NUM_FP8_ROPE_OFFSET + 2 * i + 1] = (uint8_t)(key[NUM_FP8_LATENT + i] >> 8);
  }
}

static void decode_token(const uint8_t *token, num_bf16_t *key) {
  for (size_t group = 0; group < NUM_FP8_SCALES; ++group) {
    const float scale = num_f32_from_bits(load_u32(token + NUM_FP8_SCALE_OFFSET + 4 * group));
    decode_group(token + group * NUM_FP8_GROUP, scale, key + group * NUM_FP8_GROUP, NUM_FP8_GROUP);
  }
  for (size_t i = 0; i < NUM_FP8_ROPE; ++i) {
    const uint8_t *bytes = token + NUM_FP8_ROPE_OFFSET + 2 * i;
    key[NUM_FP8_LATENT + i] = (num_bf16_t)(bytes[0] | bytes[1] << 8);
  }
}

void num_fp8_encode(num_fp8_scale_t kind, const num_bf16_t *key, uint8_t *token, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    encode_token(kind, key + i * NUM_FP8_KEY, token + i * NUM_FP8_TOKEN_BYTES);
  }
}

void num_fp8_decode(const uint8_t *token, num_bf16_t *key, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    decode_token(token + i * NUM_FP8_TOKEN_BYTES, key + i * NUM_FP8_KEY);
  }
}
