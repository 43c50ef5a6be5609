// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/list/decode_ops.h"

static void add_op(decode_list_t *list, const llm_op_t *op) {
  switch (op->kind) {
#define LLM_OP(NAME, name, who, text) LLM_IN_STEP_##who(case LLM_##NAME : decode_add_##name(list, op); break;)
#include "llm/family/ops.def"
#undef LLM_OP
    default:
      break;
  }
}

// Does it ask where the tokens of an entry are, and not only for rows?
static bool is_of_entries(const llm_op_t *op) {
  switch (op->kind) {
    case LLM_LATENT_CACHE:
    case LLM_LATENT_ATTENTION:
    case LLM_QUERIES:
    case LLM_CACHE_KEYS:
    case LLM_CACHE_VALUES:
    case LLM_HEADS_ATTENTION:
    case LLM_HEADS:
    case LLM_HEAD:
      return true;
    default:
      return false;
  }
}

static decode_ask_t whole_of(const decode_ask_t *parts, size_t count) {
  decode_ask_t whole = {.query = 1, .past = parts[0].past};
  for (size_t i = 0; i < count; ++i) {
    whole.entries += decode_ask_rows(&parts[i]);
  }
  return count == 1 ? parts[0] : whole;
}

void decode_list_build(decode_list_t *list, const decode_ask_t *parts, size_t count) {
  const decode_ask_t whole = whole_of(parts, count);
  decode_list_begin(list);
  list->wanted = 0;
  for (size_t i = 0; i < count; ++i) {
    list->wanted += decode_ask_head_rows(&parts[i]);
  }
  for (size_t i = 0; i < list->graph->ops; ++i) {
    const llm_op_t *op = &list->graph->op[i];
    const bool of_entries = is_of_entries(op);
    const size_t number = list->numbers;
    for (size_t part = 0; part < (of_entries ? count : 1); ++part) {
      list->numbers = number;
      list->ask = of_entries ? parts[part] : whole;
      add_op(list, op);
    }
  }
  list->ask = whole;
}
