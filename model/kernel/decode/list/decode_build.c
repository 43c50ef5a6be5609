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

void decode_list_build(decode_list_t *list, const decode_ask_t *ask) {
  decode_list_begin(list, ask);
  for (size_t i = 0; i < list->graph->ops; ++i) {
    add_op(list, &list->graph->op[i]);
  }
}
