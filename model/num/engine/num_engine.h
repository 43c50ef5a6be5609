// The attention engine as a whole: P blocks of keys side by side, in any of the arithmetics.
//
// The engine holds N keys. A longer sequence is cut into chunks of N, the last one ragged, whose
// results continue each other. The n keys of a chunk are cut into P runs of ceil(n / P) consecutive
// keys, the last ones shorter or empty:
//
//   keys   0 .. R-1     R .. 2R-1     ...                 R = ceil(n / P)
//            |             |
//   carry -> FAU 0       FAU 1        ...  FAU P-1        the carry is the chunk before's triplet,
//            |             |                 |            which FAU 0 continues; others start empty
//            +--> ACC <----+
//                  +-----> ACC ...  -------> ACC --> LogDiv or divider, or the next chunk's carry
//
// With P = 1 the cut into chunks does not show in the bits.
//
// Source: H-FA paper, section III-B, figure 2; the cut into blocks is as above.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_ENGINE_NUM_ENGINE_H
#define AMALGAM_NUM_ENGINE_NUM_ENGINE_H

#include "num/engine/num_expmul.h"
#include "num/engine/num_fa2.h"
#include "num/engine/num_hfa.h"

#ifdef __cplusplus
extern "C" {
#endif

// The RTL's parameter ARITHMETIC.
typedef enum num_design { NUM_DESIGN_HFA, NUM_DESIGN_FA2, NUM_DESIGN_EXPMUL, NUM_DESIGNS } num_design_t;

// The design of the name "hfa", "fa2" or "expmul"; false: there is none of this name.
bool num_engine_design(const char *name, num_design_t *design);

// Its name, and as a text is to say it: "hfa", "H-FA".
const char *num_engine_name(num_design_t design);
const char *num_engine_title(num_design_t design);

typedef struct num_engine {
  num_design_t design;
  num_hfa_t hfa;  // of H-FA only
  size_t d;       // elements of a query, key or value; at least 1
  size_t blocks;  // P, at least 1
  size_t rows;    // N, keys held at a time, all blocks together; at least 1
} num_engine_t;

// The units, whichever the design.
void num_engine_clear(const num_engine_t *engine, num_triplet_t *triplet);
void num_engine_fau(const num_engine_t *engine, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                    const uint8_t *valid, size_t n, num_triplet_t *triplet);
void num_engine_acc(const num_engine_t *engine, num_triplet_t *a, const num_triplet_t *b);
void num_engine_divide(const num_engine_t *engine, const num_triplet_t *triplet, num_bf16_t *out);

// One chunk: carry becomes the merged triplet of its n <= rows keys. scratch: d + 1 elements.
void num_engine_chunk(const num_engine_t *engine, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                      const uint8_t *valid, size_t n, num_triplet_t *carry, num_element_t *scratch);

// One query: q [d], already scaled, over k, v [s,d]; valid [s] or NULL. The result goes to out [d].
// scratch: 2 * (d + 1) elements.
void num_engine_attention(const num_engine_t *engine, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                          const uint8_t *valid, size_t s, num_bf16_t *out, num_element_t *scratch);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_ENGINE_NUM_ENGINE_H
