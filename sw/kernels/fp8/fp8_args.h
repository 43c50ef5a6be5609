// Arguments of the kernel fp8, AMLA over an FP8 KV cache, as the host lays them in global memory.
//
// A list is what some query rows attend to: its places 0, 1, .., each a token of the cache or nothing
// (masked).  Places are cut into blocks of `block`; a masked place keeps its place.
//
//   dense, paged  one list an entry: its rows are all query tokens x heads, place i is token i of the
//                 entry; with `causal` a row of query token t does not see places > places - tokens + t
//   sparse        one list for each query token of an entry: its rows are the heads, place i is token
//                 index[i] of the cache, nothing where that is -1
//
// Rows are cut into groups, one for an AI core at a time:
//
//   crossover off  groups of group_rows, the last one may have less; a unit is a group, unit u is
//                  AI core u % cores's, which dequantises all blocks of its list for itself
//   crossover on   an even number of groups, cut evenly (fp8_groups); a unit is two of them, unit u is
//                  pair u % pairs's of AI cores, which dequantise each block once: each vector core of
//                  the pair an even share of its tokens
//
// With `direct` (fp8_direct, on a machine with soc.direct_path) a key goes from a vector core's UB
// straight into the L1 of the cube core, with crossover of both, for the scores; what C2 needs of it a
// block later, when L1 has long taken other keys, still goes through kv.  At most FP8_DIRECT_ROWS rows
// a group, preload 1 or 2.
//
// Two AI cores are a pair if the machine says so (REG_PAIR); that takes a number of AI cores that
// is a multiple of twice the dies, and rows >= 2.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_ARGS_H
#define AMALGAM_SW_KERNELS_FP8_FP8_ARGS_H

#include <stdint.h>

#include "kernels/attention/attention_args.h"

// A token of the cache: 512 e4m3 codes, 4 FP32 scales, 64 BF16 values of RoPE; little endian.
enum {
  FP8_CODES = 512,
  FP8_GROUP = 128,  // codes that share a scale
  FP8_SCALES_AT = 512,
  FP8_ROPE_AT = 528,
  FP8_TOKEN_BYTES = 656,  // of the kernel's tokens; rows of the cache lie end to end
  FP8_DK = 576,           // of a query and of a dequantised key: 512 values, then RoPE
  FP8_DV = 512,
  FP8_MAX_LISTS = 896,    // what the window of the scalar core holds
  FP8_KV_SLOTS = 5,       // blocks of dequantised keys at once
  FP8_DIRECT_ROWS = 128,  // of a group with direct, at most
  FP8_L1_KB = 512,        // what the kernel takes of L1, at most
};

typedef struct fp8_args {
  // As for amla, but: batch: lists; rows: of a list; keys: 1 or more, not used otherwise;
  // group_rows: of a group, at most; splits: 1; dk, dv: FP8_DK, FP8_DV; tiling, kv_buffers,
  // qp_buffers: 0, for fp8 has its own.  q [lists][rows][dk], out [lists][rows][dv]: an entry's
  // query tokens follow each other, and in them the heads.  Not used, 0: k, v, visible, t, split_o,
  // split_ml, k_batch, v_batch, k_pitch, v_pitch, visible_pitch.  s, p, o: with
  // G = fp8_group_rows(), for each AI core one, as for amla.
  attention_args_t attention;
  // Inputs; read only.
  uint64_t tokens;        // cache: entry e's first token at tokens + e * tokens_batch
  uint64_t tokens_batch;  // bytes; 0: one cache for all entries
  uint64_t index;         // sparse: int32 [lists][index_pitch bytes], tokens counted from the entry's
                          // first, or -1; 0: dense or paged
  uint64_t block_table;   // paged: int32 [entries][block_table_pitch bytes], pages counted from the
                          // entry's first token; place i is token i % page_size of page i / page_size;
                          // 0: not paged.  With index both are not given: index is translated before
  uint64_t sink;          // FP32 [rows] (heads, for each query token again), no NaN; 0: none
  // Results.
  uint64_t lse;  // FP32 [lists][rows]; 0: not wanted
  // Workspace: dequantised keys, BF16 [W][FP8_KV_SLOTS][block * FP8_DK], W: pairs with crossover, else
  // AI cores.  A slot holds panels of columns, one after the other: 4 x [block][128], then RoPE
  // [block][64], so that what the cube core loads lies end to end.
  uint64_t kv;
  uint32_t index_pitch;        // bytes, a multiple of 4
  uint32_t block_table_pitch;  // bytes, a multiple of 4
  uint32_t page_size;          // tokens; 0: not paged
  uint32_t heads;
  uint32_t query_tokens;           // of an entry: 1 or more
  uint32_t lists_of_entry;         // sparse: query_tokens, else 1
  uint32_t causal;                 // dense and paged: 1 or 0
  uint32_t crossover;              // 1 or 0
  uint32_t direct;                 // 1: keys go into L1s, values through kv; 0: both through kv
  uint32_t places[FP8_MAX_LISTS];  // of each list; sparse: at most index_pitch / 4.  Only the first
                                   // `batch` of these need be there (fp8_args_bytes)
} fp8_args_t;

static inline uint64_t fp8_args_bytes(uint32_t lists) {
  return sizeof(fp8_args_t) - sizeof(uint32_t) * (uint64_t)(FP8_MAX_LISTS - lists);
}

// Groups of a list.  With crossover group i takes rows i * rows / groups .. (i + 1) * rows / groups.
static inline uint32_t fp8_groups(uint32_t rows, uint32_t group_rows, uint32_t crossover) {
  const uint32_t unit = group_rows * (crossover ? 2 : 1);
  return (rows + unit - 1) / unit * (crossover ? 2 : 1);
}

// Rows of a group, at most.
static inline uint32_t fp8_group_rows(uint32_t rows, uint32_t group_rows, uint32_t crossover) {
  if (!crossover) {
    return rows < group_rows ? rows : group_rows;
  }
  const uint32_t groups = fp8_groups(rows, group_rows, crossover);
  return (rows + groups - 1) / groups;
}

// The kernel computes, for each row, blocks in ascending order, AMLA (Algorithm 2 as in amla):
//
//   K        bf16(f32(code * scale)), RoPE as it is; a masked place is a row of zeros, whose token is
//            not read; its score is -inf
//   a list without places is one block of masked ones
//   l' = f32(l + exp32(f32(sink - m)))    of a row that has seen a place; without sink l' = l
//   out = O / f32(l' * S16)               0 for a row that has seen none
//   lse = f32(m + ln32(l))                +inf for a row that has seen none

#endif
