// The places in global memory of everything that a step needs.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_LIST_DECODE_ARRAYS_H
#define AMALGAM_KERNEL_DECODE_LIST_DECODE_ARRAYS_H

#include "kernel/decode/list/decode_weights.h"

static inline size_t decode_type_bytes(unsigned type) { return type == TYPE_F32 || type == TYPE_S32 ? 4 : 2; }

typedef enum decode_array {
#define DECODE_ARRAY(NAME, name, kind, bytes) DECODE_AT_##NAME,
#include "kernel/decode/list/decode_arrays.def"
#undef DECODE_ARRAY
  DECODE_AT_KV_CACHE,  // [layer][entry][place], after the values
  DECODE_AT_VALUES,    // the first of the graph's
  DECODE_ARRAYS = DECODE_AT_VALUES + LLM_MOST_VALUES
} decode_array_t;

// The largest step that there will be.
typedef struct decode_limits {
  size_t entries;    // of the batch
  size_t query;      // query tokens of each
  size_t context;    // places of each one's cache
  size_t head_rows;  // rows of which logits are wanted
  size_t parts;      // of a step; 0: one
} decode_limits_t;

// Sizes that follow from the model, the settings and these limits.
typedef struct decode_shape {
  decode_limits_t limits;
  decode_attention_t attention;
  size_t rows;           // entries * query
  size_t parts, layers;  // of a step; of the model
  llm_attention_t attends;
  size_t mixtures;              // layers that are
  size_t logit_pitch, o_pitch;  // bytes
  size_t cores, group_rows;     // AI cores; rows of a group of attention
  bool pairs;                   // of AI cores, for FP8
  size_t block, slots, key_slots, split_rows;
  size_t visible_bytes, visible_pitch;
  size_t ring_bytes, ops, list_bytes;                    // ops: room for so many
  size_t quantised_bytes, row_scales_bytes, sums_bytes;  // of W8A8's products, the largest
  size_t place_bytes, batch_bytes, cache_bytes;          // of a token, of an entry's tokens, of a layer
  // Of heads: a layer's cache has keys [entry][kv_head][place][dk], then values likewise.
  size_t ropes;        // 2: layers with windows have angles of their own, after the others'
  size_t entry_rows;   // of a head of keys and values
  size_t token_bytes;  // of their tokens, as VISIBLE's and SINKS' of a part
  size_t sinks_bytes;  // of a layer
  // In 8 bits it has codes in that order, then scales, FP32 likewise; new rows, and all of a layer, also lie in BF16.
  bool packed;
  size_t new_bytes, plain_bytes;  // of keys, and as much for values
} decode_shape_t;

decode_shape_t decode_shape(const llm_graph_t *graph, const decode_settings_t *settings, const decode_limits_t *limits);

// Rows of a value, at most.
size_t decode_value_rows(const decode_shape_t *shape, const checkpoint_config_t *model, const llm_value_t *value);

// Splits of the keys of a step's attention over latents.
size_t decode_splits(const decode_shape_t *shape, const decode_settings_t *settings, size_t entries, size_t query,
                     size_t keys);

typedef struct decode_arrays {
  soc_buffer_t *list;  // owned: the arrays that there are, then the model's weights, then each layer's
  size_t count, first_weights;
  size_t index[DECODE_ARRAYS];  // in the list
} decode_arrays_t;

// Weights are read unless timing_only says that no values are wanted. seconds: what that took. False: out of memory, or
// a file could not be read.
bool decode_arrays_make(decode_arrays_t *arrays, const decode_shape_t *shape, const decode_settings_t *settings,
                        decode_weights_list_t *weights, double *seconds, base_error_t *error);
void decode_arrays_free(decode_arrays_t *arrays);

// 0: there is none.
uint64_t decode_address(const decode_arrays_t *arrays, decode_array_t array);
static inline uint64_t decode_value(const decode_arrays_t *arrays, int value) {
  return value == LLM_NOTHING ? 0 : decode_address(arrays, (decode_array_t)(DECODE_AT_VALUES + value));
}

#endif
