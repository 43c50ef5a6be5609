// The weights of a model as they lie in global memory: an array for each layer and one for what no layer has. Matrices
// are strips of 16 columns in FP16 or BF16, nibbles with their scales, or strips of 32 columns in S8 with a scale a
// column; vectors are FP32, the embedding is as in the checkpoint.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_LIST_DECODE_WEIGHTS_H
#define AMALGAM_KERNEL_DECODE_LIST_DECODE_WEIGHTS_H

#include "kernel/decode/decode_settings.h"
#include "llm/family/graph.h"

// B [k][n] of each group, or a vector, or the embedding, of k rows. Addresses are offsets in its array until
// decode_weights_place.
typedef struct decode_matrix {
  size_t groups, n, k;  // groups 0: there is none; n as it is, its strips are whole
  size_t group;         // rows that share a scale, 0: 16 bits
  bool bf16;
  bool biased;                     // the last STRIP rows are a bias, and zeros; of S8 it is apart
  bool s8;                         // scales and bias are FP32 [n]
  uint64_t at, scale, zero, bias;  // of group 0; zero or bias 0: there are none
  uint64_t bytes, scale_bytes;     // from group to group; zeros and biases as scales
} decode_matrix_t;

typedef struct decode_layer {
  decode_matrix_t matrix[LLM_MOST_WEIGHTS];  // by numbers of the graph
  uint64_t bytes;
  size_t buffer;  // its array, in the list of all
} decode_layer_t;

typedef struct decode_weights_list {
  const checkpoint_t *checkpoint;
  const llm_graph_t *graph;
  size_t experts;  // of a mixture that are here
  size_t layers;
  decode_layer_t *layer;  // [layers + 1], the last one is the model's own; owned
  uint64_t matrix_bytes;  // of all matrices, embedding not counted
} decode_weights_list_t;

// Sizes and offsets. False: out of memory.
bool decode_weights_plan(decode_weights_list_t *weights, const checkpoint_t *checkpoint, const llm_graph_t *graph,
                         const decode_settings_t *settings, size_t experts, base_error_t *error);

// Writes those of a layer (number `layers`: the model's own) to `bytes`, of layer.bytes, before they are placed. False:
// the file could not be read, or a weight is beyond FP16.
bool decode_weights_load(const decode_weights_list_t *weights, size_t layer, bool zero_points, size_t threads,
                         uint8_t *bytes, base_error_t *error);

// From here on addresses are those of global memory.
void decode_weights_place(decode_weights_list_t *weights, size_t layer, uint64_t address);

void decode_weights_free(decode_weights_list_t *weights);

// Is it a matrix that --weights speaks of?
static inline bool decode_weights_quantised(llm_form_t form) { return form == LLM_WEIGHTS || form == LLM_EXPERTS; }

// Rows that share a scale: STEP_GROUP, or as many as divide k. 0: k has no such divisor, and the matrix keeps 16 bits.
size_t decode_weights_group(size_t k);

#endif
