// Arguments of the attention kernels (base, amla), as the host lays them in global memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_ARGS_H
#define AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_ARGS_H

#include <stdint.h>

// Limits of these kernels' tiling; the host refuses larger shapes.
enum {
  ATTENTION_MAX_GROUP = 256,  // query rows of a group, a multiple of 16
  ATTENTION_MAX_DK = 576,
  ATTENTION_MAX_DV = 512,
  ATTENTION_MAX_BLOCK = 512,  // keys of a block, a multiple of 16
  ATTENTION_MAX_SPLITS = 64,
  ATTENTION_MIN_KV_BUFFERS = 2,
  ATTENTION_MAX_KV_BUFFERS = 8,
  ATTENTION_SLOTS = 2,        // blocks whose S and P may be in flight at once
  ATTENTION_CORE_ROWS = 128,  // of a group, that a vector core takes
  // Least sizes of the cores' buffers; L1 as attention_tiling.h says.
  ATTENTION_L0_KB = 32,   // L0A, and as much L0B; for each half in use (attention_tiling.h)
  ATTENTION_L0C_KB = 64,  // likewise
  ATTENTION_UB_KB = 192,
};

enum attention_rescale { RESCALE_ELEMENT, RESCALE_ROW };
enum attention_cut { TILING_PAPER, TILING_SINGLE, TILING_TUNED, TILING_COUNT };
enum attention_qp_buffers { QP_SHARED, QP_SEPARATE };

// Cycles of a whole block's stages C1 and C2, V1 and V2, as the host estimates them on its machine
// (kernel/attention/attention_stages.h). The order of the stages depends on their proportions, no result does.
typedef struct attention_cycles {
  uint32_t cube[2], vector[2];
} attention_cycles_t;

// The rows (query tokens x heads) of a batch entry are cut into groups of group_rows, the last one
// may have less; a group's keys into `splits` runs of whole blocks.  A unit is one split of one
// group: number (entry * groups + group) * splits + split.  AI core i of n takes the units i,
// i + n, ...
typedef struct attention_args {
  // Arrays in global memory; BF16 unless said otherwise; rows are packed (pitch = columns).
  uint64_t q;        // [batch][rows][dk]
  uint64_t k;        // [batch][keys], rows k_pitch bytes apart
  uint64_t v;        // [batch][keys], rows v_pitch bytes apart; may be k
  uint64_t visible;  // bit mask [rows][visible_pitch bytes], bit 1 = key takes part; 0: no mask
  uint64_t out;      // [batch][rows][dv] FP32 or BF16, see out_f32
  // Workspace, reused from one unit to the next.  With several AI cores, each array as often as
  // there are cores, one after the other.  G: group_rows, or rows if that is less.
  uint64_t s;  // [ATTENTION_SLOTS][G][block] FP32 scores
  uint64_t p;  // [ATTENTION_SLOTS][G][block] BF16 probabilities
  uint64_t t;  // [ATTENTION_SLOTS][G][o_pitch/4] FP32 partial outputs (base only)
  uint64_t o;  // [ATTENTION_SLOTS][G][o_pitch/4] FP32 output accumulators
  // Results of units that are to be merged, FP32, once for all cores; with splits > 1.
  uint64_t split_o;   // [units][G][o_pitch/4]
  uint64_t split_ml;  // [units][2][G]: maxima, then sums
  uint64_t k_batch;   // bytes from one batch entry to the next
  uint64_t v_batch;
  uint32_t k_pitch;
  uint32_t v_pitch;
  uint32_t visible_pitch;
  uint32_t o_pitch;  // bytes a row of o, t and split_o, a multiple of 64
  uint32_t batch;
  uint32_t rows;        // 1 ..
  uint32_t group_rows;  // a multiple of 16, at most ATTENTION_MAX_GROUP
  uint32_t keys;        // 1 ..
  uint32_t splits;      // 1 .. ATTENTION_MAX_SPLITS, at most the number of blocks
  uint32_t dk;
  uint32_t dv;
  uint32_t block;  // keys of a block
  uint32_t scale;  // FP32 bits of the softmax scale
  attention_cycles_t cycles;
  // How to go about it: numbers, flags of 0 and 1, and choices, as rescale (enum attention_rescale), tiling (enum
  // attention_cut), qp_buffers (enum attention_qp_buffers). Buffers: see attention_tiling.h.
#define SETTING(field, option, type, arg, commands, start, low, high, help) uint32_t field;
#include "kernels/attention/attention_settings.def"
#undef SETTING
  uint32_t out_f32;  // 1: FP32 output, 0: BF16
} attention_args_t;

#endif
