// Adds operations to a list, by a function for each kind (llm/family/ops.def), and what these functions share.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_LIST_DECODE_OPS_H
#define AMALGAM_KERNEL_DECODE_LIST_DECODE_OPS_H

#include "kernel/decode/list/decode_list.h"

#define LLM_OP(NAME, name, who, text) \
  LLM_IN_STEP_##who(void decode_add_##name(decode_list_t *list, const llm_op_t *op);)
#include "llm/family/ops.def"
#undef LLM_OP

// Without operations.
void decode_list_begin(decode_list_t *list);

// Appends the operation, named as `op`, with a copy of its arguments.
decode_op_t *decode_add(decode_list_t *list, enum step_op kind, const llm_op_t *op, const void *args, size_t bytes);

// A copy of something that arguments point to, and where it is.
const void *decode_store(decode_list_t *list, const void *what, size_t bytes, uint64_t *address);

// Where a value's rows are: pitch from row to row, `part` bytes from part to part of one.
typedef struct decode_place {
  uint64_t address;
  unsigned type;
  size_t parts, columns, part, pitch;
} decode_place_t;

decode_place_t decode_place(const decode_list_t *list, int value);
const decode_matrix_t *decode_weight(const decode_list_t *list, const llm_op_t *op);

// All of a value's rows, with the operation's first stage.
decode_output_t decode_output(const decode_list_t *list, const llm_op_t *op, int value);

static inline uint64_t decode_at(const decode_list_t *list, decode_array_t array) {
  return decode_address(list->arrays, array);
}
static inline size_t decode_rows(const decode_list_t *list) { return decode_ask_rows(&list->ask); }

// y = RMSNorm of the operation's input, with its weight.
decode_op_t *decode_add_norm_of(decode_list_t *list, const llm_op_t *op, double eps);

#endif
