// Arguments of the kernel flash, FlashAttention for heads of their own, as the host lays them in global memory.
//
// An entry is a head of keys and values of a batch entry, with the query heads that share it (MHA: one,
// GQA: some, MQA: all).  Its rows are these heads' tokens, head by head; row r is of token r % seq_q.
//
// Rows are cut into spans, and a span evenly into groups of whole strips of 16 rows, at most group_rows.
// A span is an entry's rows; with `causal`, if a head has group_rows or more, a head's.  A group's
// keys are cut into `splits` runs of whole blocks.  A unit is one split of one group:
//
//   number in   (entry, span, group), or with `causal` (group descending, entry, span), then split
//   deal        turn t of AI core c of n takes number t n + c, and if t is odd and there are no splits t n + n - 1 - c,
//               so that long units come first and cores end together
//
// A row sees the first keys of its batch entry: all `length` of them, with `causal` length - seq_q +
// token + 1.  A unit's blocks end with the last key that one of its rows sees; a unit that sees none
// has one block, which is masked.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_ARGS_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_ARGS_H

#include <stdint.h>

#include "kernels/attention/attention_args.h"

enum {
  FLASH_MAX_DIM = 256,      // of a query and key, and of a value
  FLASH_GROUP = 128,        // rows of a group, at most
  FLASH_STRIP = 16,         // rows; groups begin at such
  FLASH_BLOCK = 512,        // keys of a block, at most
  FLASH_PRELOAD = 3,        // C1 stages that the cube core runs ahead of C2, at most; less than FLASH_SLOTS
  FLASH_SLOTS = 4,          // blocks whose S, P and T may be in flight at once
  FLASH_MAX_LENGTHS = 768,  // what the window of the scalar core holds
  FLASH_L1_KB = 512,
  FLASH_PAGE = 128,  // tokens of a page
};

typedef struct flash_args {
  // As for base, but: batch: entries; rows: of an entry; k, v: [entries][keys], without gaps; splits: at most
  // one a block of the longest entry; tiling, kv_buffers, qp_buffers: 0, for flash has its own; not
  // used, 0: visible, o, cycles.  s, p, t: FLASH_SLOTS of each; all arrays in BF16, or FP16 if fp16 says so.
  attention_args_t attention;
  uint64_t token;    // FP32 [rows] of an entry: minus the row's token; causal only, else 0
  uint64_t visible;  // bit mask [seq_q][visible_pitch bytes], lowest bit first, bit 1 = the key takes
                     // part; 0: no mask
  uint64_t sink;     // FP32 [kv_heads][rows of an entry]: one more score of each row, whose value is 0; 0: none
  // In pages, k and v are [pages][kv_heads][FLASH_PAGE tokens], rows k_pitch and v_pitch, heads k_batch and v_batch
  // bytes apart.  Entry e of the batch has token t in page table[e][t / FLASH_PAGE]; block is a multiple of FLASH_PAGE.
  uint64_t table;  // int32 [entries of the batch][table_pitch], in an array of numbers; 0: no pages
  // FP32 bits of the scores' cap, 2^-20 to 2^60, and what it is used by: 1/16 of it, -1/3 of 1
  // over its square, 2 over it, twice it.  cap 0: none
  uint32_t cap, cap_near, cap_cubic, cap_inverse, cap_twice;
  uint32_t table_pitch;
  uint32_t visible_pitch;  // 0: one row for all tokens
  uint32_t seq_q;
  uint32_t kv_heads;  // entries of a batch entry
  uint32_t groups;    // of a span
  uint32_t causal;    // 1 or 0
  uint32_t fp16;      // 1 or 0
  uint32_t preload;   // C1 stages the cube core runs ahead of C2: 0 .. FLASH_PRELOAD; that of attention is not used
  uint32_t behind;    // blocks that V2 is behind V1, so that nobody waits for P's way to C2 and T's to V2: at most
                      // FLASH_SLOTS - 1
  uint32_t has_lengths;
  uint32_t length[FLASH_MAX_LENGTHS];  // keys of a batch entry, 0 .. keys.  Only those that there are need be
                                       // there, none without has_lengths (flash_args_bytes)
} flash_args_t;

static inline uint64_t flash_args_bytes(uint32_t lengths) {
  return sizeof(flash_args_t) - sizeof(uint32_t) * (uint64_t)(FLASH_MAX_LENGTHS - lengths);
}

// Kernel flash has no sinks, cap and pages; flash_more has, and step_flash has sinks.
//
// The kernel computes, for each row, blocks of `block` keys in ascending order: as base, but
//
//   S         with a cap, of x = f32(q . k * scale), cap tanh(x / cap) within 2e-6 of it:
//             x (1 + x^2 (-1/3 / cap^2)) if -cap / 16 < x <= cap / 16: f32(x * cap_cubic), * x, + 1, * x;
//             else cap - 2 cap / (exp32(f32(x * 2 / cap)) + 1): 1 / ., * -2 cap, + cap
//   rowsum    a tree (ROW_SUM_TREE)
//   O       = fma(O, M_up, T)
//   P         in the type of the inputs
//   l       with a sink f32(l + exp32(f32(sink - m))), at the end, of a row that has seen a key
//   out     = O / l, O + 0 in place of O: a zero has no sign of its own

#endif
