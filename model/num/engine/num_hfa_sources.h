// The sources of H-FA's error: its recurrence in FP64 with each approximation on or off.
//
// With all of them on the result is num_hfa.h's (Mitchell, not zero_exact), bit for bit. What does
// not count as an approximation of H-FA, and so stays in any case: BF16 inputs (subnormals are
// zero), scores and differences of scores, which are BF16 in FA-2 too, and a BF16 result. Off
// means:
//
//   quantised     differences of scores are multiplied by log2(e) itself and kept, however large;
//                 logarithms are kept as they are: no rounding to 1/128, no limits, log2(0) = -inf;
//                 no bits are cut in the pieces of 2^-D
//   pwl           2^-D is exp2
//   mitchell_add  log2|a +- b| is larger + log2(1 +- 2^-D), log2(0) where that cancels
//   mitchell_log  log2|v| is log2
//   mitchell_out  2^(log2|o| - log2 l) is exp2
//
// Where quantised is on and another one off, the latter's result is rounded to 1/128, halves up in
// magnitude (v's logarithm: upwards).
//
// Source: H-FA paper, section VI-B (a), (b), (c), of which (b) is split in three here.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_ENGINE_NUM_HFA_SOURCES_H
#define AMALGAM_NUM_ENGINE_NUM_HFA_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/engine/num_bf16.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct num_hfa_sources {
  bool quantised, pwl, mitchell_add, mitchell_log, mitchell_out;
  // Told of the 2^-|A-B| of every addition whose operands are not zero; NULL: nobody is.
  void (*seen)(void *context, double x, bool subtract);
  void *context;
} num_hfa_sources_t;

// An element of the triplet.
typedef struct num_hfa_log {
  double log;
  bool negative;
} num_hfa_log_t;

// Attention of one query, as num_engine_attention() of P = blocks and N >= n. Inputs hold neither
// infinities nor NaNs. scratch: 2 * (d + 1) elements.
void num_hfa_sources_attention(const num_hfa_sources_t *sources, size_t d, size_t blocks, const num_bf16_t *q,
                               const num_bf16_t *k, const num_bf16_t *v, const uint8_t *valid, size_t n,
                               num_bf16_t *out, num_hfa_log_t *scratch);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_ENGINE_NUM_HFA_SOURCES_H
