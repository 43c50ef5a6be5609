// Arguments of the attention engines' kernel (engine), as the host lays them in global memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ENGINE_ENGINE_ARGS_H
#define AMALGAM_SW_KERNELS_ENGINE_ENGINE_ARGS_H

#include <stdint.h>

// Attention of `tokens` query tokens over `keys` keys. Query head h uses head h / (heads / kv_heads)
// of keys and values. A unit is a run of tokens, as many as the engine's buffer holds, of the query
// heads that share a head of keys; engine i of n takes the units i, i + n, ...
//
// Keys pass the engine in chunks, of which the triplets continue each other (num/engine/num_engine.h).
typedef struct engine_args {
  // Arrays in global memory, BF16; a token's heads lie side by side, [heads][dim].
  uint64_t q;        // [tokens], q_pitch bytes apart; not scaled
  uint64_t k, v;     // [keys], k_pitch, v_pitch bytes apart; [kv_heads][dim] each
  uint64_t out;      // [tokens], out_pitch bytes apart
  uint64_t visible;  // bit mask [tokens], visible_pitch bytes apart, bit 1 = key takes part; 0: none
  uint32_t q_pitch, k_pitch, v_pitch, out_pitch, visible_pitch;
  uint32_t tokens;  // 1 ..
  uint32_t keys;    // 1 ..
  uint32_t heads;
  uint32_t kv_heads;  // a divisor of heads
  uint32_t dim;       // D of the engines
  uint32_t scale;     // FP32 bits of the softmax scale
  uint32_t causal;    // 1: token i sees keys 0 .. keys - tokens + i; not with visible
  uint32_t chunk;     // keys of a chunk, a multiple of 8 with visible, at most N; up to N/2 the next
                      // chunk or head is loaded meanwhile
} engine_args_t;

// Bytes of the engine's buffer for a token of a unit without a mask, for the host, which refuses a machine that
// has not as many (place() in engine.c asks again): queries and results twice, and once the triplets of its heads,
// each in lines of 32 bytes.
static inline uint32_t engine_token_bytes(uint32_t share, uint32_t dim) {
  return share * (4 * (2 * dim) + (4 * (dim + 2) + 31) / 32 * 32);
}

#endif
