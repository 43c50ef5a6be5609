// The list of operations of a step, as the kernel takes it (sw/kernels/step/step_args.h), and what the host wants to
// know about each.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_LIST_DECODE_LIST_H
#define AMALGAM_KERNEL_DECODE_LIST_DECODE_LIST_H

#include "kernel/decode/list/decode_arrays.h"
#include "kernels/step/step_args.h"
#include "llm/family/graph.h"

// The tokens of a step, or of a part of one: `query` of each of `entries`, at places past .. past + query - 1.
typedef struct decode_ask {
  size_t entries, query, past;
  bool all_rows;  // logits of all query tokens, else of each entry's last one
  // Of a part: the entry, the row and the row of logits where it begins, and its number.
  size_t first_entry, first_row, first_wanted, part;
} decode_ask_t;

enum { DECODE_OUTPUTS = 3, DECODE_TYPE_FP8 = 100 };  // a token of an FP8 cache; else TYPE_* of hal/command.h
#define DECODE_BY_SLOT SIZE_MAX                      // decode_output.expert: rows are slots

// An output of an operation, and the stage of a walk (llm/walk/walk.h) that has the same.
typedef struct decode_output {
  walk_stage_t stage;
  size_t layer, expert;
  uint64_t address;  // of row 0; 0: there is none
  unsigned type;
  size_t rows, rows_of_entry;  // row r is token query - rows_of_entry + r % rows_of_entry of entry r / rows_of_entry
  size_t entry_bytes, pitch;   // from entry to entry, from row to row of an entry
  size_t parts, part_cols, part_bytes;  // of a row; columns of a part, bytes from part to part
  size_t stage_cols, stage_skip;        // of the stage: columns of a part, and how many of them come before
} decode_output_t;

typedef struct decode_op {
  enum step_op op;
  const char *name;
  size_t layer;                   // LLM_NO_LAYER: of no layer
  size_t number;                  // equal for all parts of a step; 0, 1, .. of a step of one part
  const void *args;               // its step_NAME_args_t; ATTENTION: see below
  const void *attention;          // attention_args_t, fp8_args_t or flash_args_t
  double flop;                    // with routing of a slot
  const step_routing_t *routing;  // NULL: no rows are routed
  decode_output_t output[DECODE_OUTPUTS];
} decode_op_t;

// "attention of layer 1"
enum { DECODE_OP_NAME_BYTES = 64 };
void decode_op_name(const decode_op_t *op, char name[DECODE_OP_NAME_BYTES]);

typedef struct decode_list {
  const llm_graph_t *graph;
  const decode_settings_t *settings;
  const decode_shape_t *shape;
  const decode_arrays_t *arrays;
  const decode_weights_list_t *weights;
  decode_ask_t ask;  // of several parts: entries of one token each, as many as there are rows
  size_t wanted;     // rows of logits, of all parts
  size_t numbers;    // of operations, so far
  uint8_t *bytes;    // what goes to the array `list`; owned
  size_t used, room, entries_room;
  decode_op_t *ops;  // owned
  size_t count;
  const llm_op_t *pending;  // what the next norm has to add to the residual stream; NULL: nothing
  uint64_t weights_of_experts;
  int quantised;  // the value whose rows lie in QUANTISED, as long as nothing but products followed; or LLM_NOTHING
} decode_list_t;

// Room for the list of any step within the shape's limits. What it is given must outlive it. False: out of memory.
bool decode_list_make(decode_list_t *list, const llm_graph_t *graph, const decode_settings_t *settings,
                      const decode_shape_t *shape, const decode_arrays_t *arrays, const decode_weights_list_t *weights);
void decode_list_free(decode_list_t *list);

// The operations of one step, in place of those that were there. Entries of its parts differ in query tokens and past;
// their rows lie one part behind the other. Operations that ask where an entry's tokens are, of cache and attention,
// are there once for each part, all others once.
void decode_list_build(decode_list_t *list, const decode_ask_t *parts, size_t count);

// The kernel's arguments: all operations, or one of them.
step_args_t decode_list_all(const decode_list_t *list);
step_args_t decode_list_one(const decode_list_t *list, size_t index);

// The first place that the first query token of a layer with such a window sees (decode_heads.c).
size_t decode_heads_start(const decode_ask_t *ask, size_t window);

static inline size_t decode_ask_rows(const decode_ask_t *ask) { return ask->entries * ask->query; }
static inline size_t decode_ask_head_rows(const decode_ask_t *ask) {
  return ask->all_rows ? decode_ask_rows(ask) : ask->entries;
}

#endif
