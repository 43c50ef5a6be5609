// config.json of a DeepSeek-V2, V3 or Kimi-K2 model, as Hugging Face's transformers and DeepSeek write it.
//
// The reader names and refuses what it does not support: other model types, other scalings of RoPE than those of
// checkpoint_rope.h, quantised weights but for FP8 by blocks, biases, activations other than SiLU, rotation of halves
// instead of pairs.
//
// Sources: configuration_deepseek_v2.py and configuration_deepseek_v3.py of github.com/huggingface/transformers for the
// keys, modeling_deepseek_v2.py and modeling_deepseek_v3.py for what they mean.
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
#define CONFIG_FAMILY(NAME, model_type, table, parts) CHECKPOINT_##NAME,
#include "llm/checkpoint/checkpoint_families.def"
#undef CONFIG_FAMILY
  CHECKPOINT_FAMILIES
} checkpoint_family_t;

// Keys that a model's family does not have are 0.
typedef struct checkpoint_config {
  checkpoint_family_t family;
  checkpoint_gate_t gate;  // of deepseek_v2: softmax, of the others: sigmoid
#define CONFIG_COUNT(key, part, smallest, largest, default) size_t key;
#define CONFIG_WIDTH(key, part, smallest, largest, default) size_t key;
#define CONFIG_REAL(key, smallest, largest, default) double key;
#define CONFIG_ONLY(key, value)
#include "llm/checkpoint/checkpoint_config.def"
#undef CONFIG_COUNT
#undef CONFIG_WIDTH
#undef CONFIG_REAL
#undef CONFIG_ONLY
  size_t num_key_value_heads;
  size_t head_dim;  // of a query and a key, all of it
  checkpoint_rope_t rope;
  bool norm_topk_prob;
  size_t block_rows, block_columns;  // matrices may be in FP8, with a scale for each such block; 0: they are not
  bool tie_word_embeddings;          // logits are products with the embedding
} checkpoint_config_t;

// What scores are multiplied by.
double checkpoint_score_scale(const checkpoint_config_t *config);

// RMSNorm of latents (q_a_layernorm, kv_a_layernorm) adds this and not rms_norm_eps, in transformers and in DeepSeek's
// own code.
#define CHECKPOINT_LATENT_EPS 1e-6

// False: error names the file and the key.
__attribute__((warn_unused_result)) bool checkpoint_config_read(const char *path, checkpoint_config_t *config,
                                                                base_error_t *error);

// Whether a layer is a mixture of experts.
static inline bool checkpoint_is_mixture(const checkpoint_config_t *config, size_t layer) {
  return config->n_routed_experts > 0 && layer >= config->first_k_dense_replace;
}

#endif
