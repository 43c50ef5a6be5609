// FA-2: the same attention engine with BF16 floating point behind the scores as well.
//
// Same triplets, same order of operations as num_hfa.h; every operation rounds to BF16 as
// num_bf16.h describes. Whether a lane has one multiplier or two (one exponential of a pair is
// always 1) does not show in the bits.
//
// Source: H-FA paper, algorithm 2 and equation 1.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_ENGINE_NUM_FA2_H
#define AMALGAM_NUM_ENGINE_NUM_FA2_H

#include <stddef.h>

#include "num/engine/num_triplet.h"

#ifdef __cplusplus
extern "C" {
#endif

// An empty triplet, before the first key.
void num_fa2_clear(size_t d, num_triplet_t *triplet);

// One FAU: continues the triplet by n keys, in order. Arguments as of num_hfa_fau().
void num_fa2_fau(size_t d, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v, const uint8_t *valid,
                 size_t n, num_triplet_t *triplet);

// One ACC: a := a merged with b.
void num_fa2_acc(size_t d, num_triplet_t *a, const num_triplet_t *b);

// The attention output in BF16, o / l. All zero if no key took part (l = 0), NaN if poisoned.
void num_fa2_divider(size_t d, const num_triplet_t *triplet, num_bf16_t *out);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_ENGINE_NUM_FA2_H
