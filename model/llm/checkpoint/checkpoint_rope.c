// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint_rope.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static double clamp(double x) { return fmin(fmax(x, 0.0), 1.0); }

// The pair, as a real number, that goes round so many times in the tokens of training.
static double pair_of_turns(const checkpoint_rope_t *rope, size_t columns, double turns) {
  return (double)columns * log(rope->original_max_position_embeddings / (turns * 2.0 * PI)) / (2.0 * log(rope->theta));
}

// The share of a pair's turn that is not stretched.
static double yarn_share(const checkpoint_rope_t *rope, size_t columns, size_t pair) {
  double low = pair_of_turns(rope, columns, rope->beta_fast), high = pair_of_turns(rope, columns, rope->beta_slow);
  if (rope->truncate) {
    low = floor(low);
    high = ceil(high);
  }
  low = fmax(low, 0.0);
  high = fmin(high, (double)columns - 1.0);
  return 1.0 - clamp(((double)pair - low) / (high == low ? 0.001 : high - low));
}

static double llama3_share(const checkpoint_rope_t *rope, double turn) {
  const double turns = rope->original_max_position_embeddings * turn / (2.0 * PI);
  return clamp((turns - rope->low_freq_factor) / (rope->high_freq_factor - rope->low_freq_factor));
}

double checkpoint_rope_turn(const checkpoint_rope_t *rope, size_t columns, size_t pair, size_t context) {
  const double turn = pow(rope->theta, -2.0 * (double)pair / (double)columns);
  if (rope->type == CHECKPOINT_ROPE_LONG) {
    const bool longer = (double)context > rope->original_max_position_embeddings;
    return turn / (double)(longer ? rope->long_factor : rope->short_factor)[pair];
  }
  if (rope->type == CHECKPOINT_ROPE_DEFAULT) {
    return turn;
  }
  const double share = rope->type == CHECKPOINT_ROPE_YARN     ? yarn_share(rope, columns, pair)
                       : rope->type == CHECKPOINT_ROPE_LLAMA3 ? llama3_share(rope, turn)
                                                              : 0.0;
  return share * turn + (1.0 - share) * turn / rope->factor;
}

static double yarn_magnitude(double factor, double mscale) {
  return factor <= 1.0 ? 1.0 : 0.1 * mscale * log(factor) + 1.0;
}

static double long_magnitude(const checkpoint_rope_t *rope) {
  return rope->factor <= 1.0 ? 1.0 : sqrt(1.0 + log(rope->factor) / log(rope->original_max_position_embeddings));
}

double checkpoint_rope_magnitude(const checkpoint_rope_t *rope) {
  if (rope->type != CHECKPOINT_ROPE_YARN && rope->type != CHECKPOINT_ROPE_LONG) {
    return 1.0;
  }
  if (rope->attention_factor > 0.0) {
    return rope->attention_factor;
  }
  if (rope->type == CHECKPOINT_ROPE_LONG) {
    return long_magnitude(rope);
  }
  return rope->mscale > 0.0 && rope->mscale_all_dim > 0.0
             ? yarn_magnitude(rope->factor, rope->mscale) / yarn_magnitude(rope->factor, rope->mscale_all_dim)
             : yarn_magnitude(rope->factor, 1.0);
}

double checkpoint_rope_score_factor(const checkpoint_rope_t *rope) {
  const double magnitude = rope->mscale_all_dim > 0.0 ? yarn_magnitude(rope->factor, rope->mscale_all_dim) : 1.0;
  return magnitude * magnitude;
}
