// config.json of a language model, as Hugging Face's transformers and the models' makers write it; of one that sees
// pictures, too, its text_config.
//
// The reader names and refuses what it does not support: other model types than those of checkpoint_families.def, other
// scalings of RoPE than those of checkpoint_rope.h, quantised weights but for FP8 by blocks, what compressed-tensors
// writes in 8 bits, and MXFP4, other activations than the family's, and keys of checkpoint_config.def with other values
// than the only one.
//
// Sources: configuration_FAMILY.py of github.com/huggingface/transformers for the keys, modeling_FAMILY.py for what
// they mean.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_CHECKPOINT_CHECKPOINT_CONFIG_H
#define AMALGAM_LLM_CHECKPOINT_CHECKPOINT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "llm/checkpoint/checkpoint_rope.h"

// The ways in which a mixture chooses experts for a token, from its logits; both within the topk_group best groups.
//
//              score              chosen by             a group counts    weight of a chosen expert
//   softmax    softmax(logits)    score                 its largest       score
//   sigmoid    sigmoid(logits)    score + its bias      its two largest   score
//
// With norm_topk_prob weights are divided by their sum; then they are multiplied by routed_scaling_factor.
typedef enum checkpoint_gate { CHECKPOINT_GATE_SOFTMAX, CHECKPOINT_GATE_SIGMOID } checkpoint_gate_t;

typedef enum checkpoint_family {
#define CONFIG_FAMILY(NAME, model_type, table, parts, traits) CHECKPOINT_##NAME,
#include "llm/checkpoint/checkpoint_families.def"
#undef CONFIG_FAMILY
  CHECKPOINT_FAMILIES
} checkpoint_family_t;

typedef enum checkpoint_trait {
#define CONFIG_TRAIT(NAME, text) CHECKPOINT_NUMBER_OF_##NAME,
#include "llm/checkpoint/checkpoint_traits.def"
#undef CONFIG_TRAIT
#define CONFIG_TRAIT(NAME, text) CHECKPOINT_HAS_##NAME = 1 << CHECKPOINT_NUMBER_OF_##NAME,
#include "llm/checkpoint/checkpoint_traits.def"
#undef CONFIG_TRAIT
} checkpoint_trait_t;

enum { CHECKPOINT_MOST_LAYERS = 1 << 10 };

// Keys that a model's family does not have are 0.
typedef struct checkpoint_config {
  checkpoint_family_t family;
  unsigned traits;  // of checkpoint_trait_t
  checkpoint_gate_t gate;
#define CONFIG_COUNT(key, part, smallest, largest, default) size_t key;
#define CONFIG_WIDTH(key, part, smallest, largest, default) size_t key;
#define CONFIG_REAL(key, smallest, largest, default) double key;
#define CONFIG_ONLY(key, part, value)
#define CONFIG_ALIAS(key, alias)
#include "llm/checkpoint/checkpoint_config.def"
#undef CONFIG_COUNT
#undef CONFIG_WIDTH
#undef CONFIG_REAL
#undef CONFIG_ONLY
#undef CONFIG_ALIAS
  size_t rotated;                         // columns of a head that RoPE turns
  checkpoint_rope_t rope, window_rope;    // window_rope: of layers with a window
  bool windowed[CHECKPOINT_MOST_LAYERS];  // tokens of that layer see sliding_window others
  bool mixture[CHECKPOINT_MOST_LAYERS];   // that layer is a mixture of experts
  char skipped[200];                      // keys that nobody looks at, with commas between; empty: there are none
  bool norm_topk_prob;
  size_t block_rows, block_columns;  // matrices may be in 8 bits, with a scale for each such block; 0: they are not
  bool s8;                           // and these are integers, else FP8
  const char *scale_suffix;          // of the names of their scales
  bool mxfp4;                        // experts may be in MXFP4
  bool tie_word_embeddings;          // logits are products with the embedding
} checkpoint_config_t;

// A block that is as long as the matrix.
enum { CHECKPOINT_WHOLE = 1 << 30 };

// What scores are multiplied by.
double checkpoint_score_scale(const checkpoint_config_t *config);

// RMSNorm of latents (q_a_layernorm, kv_a_layernorm) adds this and not rms_norm_eps, in transformers and in DeepSeek's
// own code.
#define CHECKPOINT_LATENT_EPS 1e-6

// False: error names the file and the key.
__attribute__((warn_unused_result)) bool checkpoint_config_read(const char *path, checkpoint_config_t *config,
                                                                base_error_t *error);

// For those who look at no value: any scaling of RoPE and any quantisation will do.
__attribute__((warn_unused_result)) bool checkpoint_config_shapes(const char *path, checkpoint_config_t *config,
                                                                  base_error_t *error);

static inline bool checkpoint_has(const checkpoint_config_t *config, checkpoint_trait_t trait) {
  return (config->traits & (unsigned)trait) != 0;
}

// Tokens that a token of a layer sees, itself among them; 0: all before it.
static inline size_t checkpoint_window(const checkpoint_config_t *config, size_t layer) {
  return config->windowed[layer] ? config->sliding_window : 0;
}

static inline const checkpoint_rope_t *checkpoint_rope_of(const checkpoint_config_t *config, size_t layer) {
  return config->windowed[layer] ? &config->window_rope : &config->rope;
}

// Whether a layer is a mixture of experts.
static inline bool checkpoint_is_mixture(const checkpoint_config_t *config, size_t layer) {
  return config->n_routed_experts > 0 && config->mixture[layer];
}

// How many layers are.
static inline size_t checkpoint_mixtures(const checkpoint_config_t *config) {
  size_t count = 0;
  for (size_t layer = 0; layer < config->num_hidden_layers; ++layer) {
    count += checkpoint_is_mixture(config, layer);
  }
  return count;
}

#endif
