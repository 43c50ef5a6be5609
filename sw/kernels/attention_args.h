// Arguments of the attention kernels (base, amla), as the host lays them in global memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_ATTENTION_ARGS_H
#define KERNELS_ATTENTION_ARGS_H

#include <stdint.h>

// Limits of these kernels' tiling; the host refuses larger shapes.
enum {
  ATTENTION_MAX_ROWS = 256,    // query rows (Sq x heads) of one problem
  ATTENTION_MAX_DK = 576,
  ATTENTION_MAX_DV = 512,
  ATTENTION_MAX_BLOCK = 512,   // keys of a block, a multiple of 16
  ATTENTION_SLOTS = 2,         // blocks whose S and P may be in flight at once
};

enum attention_rescale { RESCALE_ELEMENT, RESCALE_ROW };

typedef struct attention_args {
  // Arrays in global memory; BF16 unless said otherwise; rows are packed (pitch = columns).
  uint64_t q;        // [batch][rows][dk]
  uint64_t k;        // [batch][keys], rows k_pitch bytes apart
  uint64_t v;        // [batch][keys], rows v_pitch bytes apart; may be k
  uint64_t visible;  // bit mask [rows][visible_pitch bytes], bit 1 = key takes part; 0: no mask
  uint64_t out;      // [batch][rows][dv] FP32 or BF16, see out_f32
  // Workspace, reused from one batch entry to the next.  With several AI cores, each array as often
  // as there are cores, one after the other; core i takes the batch entries i, i + cores, ...
  uint64_t s;        // [ATTENTION_SLOTS][rows][block] FP32 scores
  uint64_t p;        // [ATTENTION_SLOTS][rows][block] BF16 probabilities
  uint64_t t;        // [ATTENTION_SLOTS][rows][o_pitch/4] FP32 partial outputs (base only)
  uint64_t o;        // [rows][o_pitch/4] FP32 output accumulator
  uint64_t k_batch;  // bytes from one batch entry to the next
  uint64_t v_batch;
  uint32_t k_pitch;
  uint32_t v_pitch;
  uint32_t visible_pitch;
  uint32_t o_pitch;  // bytes a row of o and t, a multiple of 64
  uint32_t batch;
  uint32_t rows;     // 1 .. ATTENTION_MAX_ROWS
  uint32_t keys;     // 1 ..
  uint32_t dk;
  uint32_t dv;
  uint32_t block;    // keys of a block
  uint32_t scale;    // FP32 bits of the softmax scale
  uint32_t preload;  // C1 stages the cube core runs ahead of C2: 0, 1 or 2
  uint32_t rescale;  // enum attention_rescale (amla)
  uint32_t out_f32;  // 1: FP32 output, 0: BF16
} attention_args_t;

#endif
