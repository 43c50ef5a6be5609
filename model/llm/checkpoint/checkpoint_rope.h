// Rotary embedding (RoPE): how far each pair of columns turns from one position to the next, also where a model
// stretches that beyond the lengths it was trained on.
//
// Sources: RoPE, arXiv 2104.09864; YaRN, arXiv 2309.00071 (section 3); Llama 3.1's scaling and all names of keys:
// modeling_rope_utils.py of github.com/huggingface/transformers.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_CHECKPOINT_CHECKPOINT_ROPE_H
#define AMALGAM_LLM_CHECKPOINT_CHECKPOINT_ROPE_H

#include <stdbool.h>
#include <stddef.h>

// With f the turn of a pair without any scaling, theta^(-2 pair / columns), and L the tokens it was trained on:
//
//   default   f
//   linear    f / factor
//   llama3    f if it goes round more than high_freq_factor times in L, f / factor if less than low_freq_factor times,
//             and between them a mean of both, by the number of times
//   yarn      likewise with beta_fast and beta_slow, the mean by the number of the pair
//   longrope  f / a number of the pair's own, of two lists: one for runs of at most L tokens, one for longer ones
typedef enum checkpoint_rope_type {
  CHECKPOINT_ROPE_DEFAULT,
  CHECKPOINT_ROPE_LINEAR,
  CHECKPOINT_ROPE_LLAMA3,
  CHECKPOINT_ROPE_YARN,
  CHECKPOINT_ROPE_LONG,
  CHECKPOINT_ROPE_TYPES
} checkpoint_rope_type_t;

enum { CHECKPOINT_MOST_PAIRS = 256 };

// Members that a type does not have are 0.
typedef struct checkpoint_rope {
  checkpoint_rope_type_t type;
  double theta, factor;
  double original_max_position_embeddings;
  double low_freq_factor, high_freq_factor;
  double beta_fast, beta_slow;
  bool truncate;                                    // yarn: the first and the last pair of the mean are whole numbers
  double attention_factor, mscale, mscale_all_dim;  // 0: not given
  float short_factor[CHECKPOINT_MOST_PAIRS], long_factor[CHECKPOINT_MOST_PAIRS];
} checkpoint_rope_t;

// Radians a position, of pair 0 .. columns / 2 - 1 of so many columns that are rotated, in a run of `context` tokens.
double checkpoint_rope_turn(const checkpoint_rope_t *rope, size_t columns, size_t pair, size_t context);

// What cosines and sines are multiplied by: 1, but for yarn and longrope.
double checkpoint_rope_magnitude(const checkpoint_rope_t *rope);

// What DeepSeek's models multiply the scale of scores by: 1, or with mscale_all_dim its magnitude squared.
double checkpoint_rope_score_factor(const checkpoint_rope_t *rope);

#endif
