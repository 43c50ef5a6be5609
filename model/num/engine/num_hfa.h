// H-FA: flash attention with scores in BF16 and everything behind them in the logarithmic domain.
//
// Logarithms are Q9.7 in 16 bits, two's complement; NUM_HFA_ZERO stands for log2(0). Nothing here
// can fail. A row's poison flag is raised by infinities and NaNs among its inputs and stays; what the
// triplet then holds is still defined, but means nothing.
//
// Source: H-FA paper, section IV, equations 14-17, and section V.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_ENGINE_NUM_HFA_H
#define AMALGAM_NUM_ENGINE_NUM_HFA_H

#include <stddef.h>

#include "num/engine/num_triplet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NUM_HFA_ZERO INT16_MIN

// One Q9.7 unit is 1/128.
enum { NUM_HFA_FRACTION_BITS = 7 };

typedef struct num_hfa {
  bool corrected;   // log2(1 +- 2^-D) by num_hfa_correct(), not by Mitchell's +- 2^-D
  bool zero_exact;  // Mitchell: x - x gives log2(0) instead of the formula's x / 2
} num_hfa_t;

// Distance of a below b, in powers of two: -quant[(a - b) log2 e], 0 .. 2768 in Q.7. a <= b.
uint16_t num_hfa_quant(num_bf16_t a, num_bf16_t b);

// log2|v| by Mitchell's approximation, which is the bits themselves. NUM_HFA_ZERO for zero and
// subnormals. The sign is v's, also of a zero.
num_element_t num_hfa_log2(num_bf16_t v);

// x * 2^(-t / 128), saturating to NUM_HFA_ZERO; zero stays zero.
num_element_t num_hfa_scale(num_element_t x, uint16_t t);

// 2^-f, f in [0, 1), as eight straight pieces: value at the left end and fall per 1/128, with 12
// fraction bits.
typedef struct num_hfa_piece {
  uint16_t value, fall;
} num_hfa_piece_t;
extern const num_hfa_piece_t num_hfa_pieces[8];

// 2^-(d/128) in Q.7, d = 0 .. 65535: the pieces for the fraction, a shift, one rounding.
uint16_t num_hfa_pow2(uint32_t d);

// |log2(1 +- 2^-(d/128))| in Q.7, the plus or (subtract) the minus; d = 0 .. 65535, and not 0 with
// subtract. From a table in which eight or sixteen neighbours share an entry: its errors by octave
// of the distance are told in rtl/hfa/hfa_correct.v. In a file of its own, num_hfa_correct.c.
uint16_t num_hfa_correct(uint32_t d, bool subtract);

// x + y.
num_element_t num_hfa_add(const num_hfa_t *hfa, num_element_t x, num_element_t y);

// An empty triplet, before the first key.
void num_hfa_clear(size_t d, num_triplet_t *triplet);

// One FAU: continues the triplet by n keys, in order. q [d] is scaled already; k, v [n,d]; a key
// whose valid[i] is 0 is skipped with everything it holds; valid NULL: all keys take part.
void num_hfa_fau(const num_hfa_t *hfa, size_t d, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                 const uint8_t *valid, size_t n, num_triplet_t *triplet);

// One ACC: a := a merged with b.
void num_hfa_acc(const num_hfa_t *hfa, size_t d, num_triplet_t *a, const num_triplet_t *b);

// LogDiv: the attention output in BF16, o / l. All zero if no key took part, NaN if poisoned.
void num_hfa_logdiv(size_t d, const num_triplet_t *triplet, num_bf16_t *out);

// One element of it.
num_bf16_t num_hfa_logdiv_element(num_element_t o, num_element_t l);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_ENGINE_NUM_HFA_H
