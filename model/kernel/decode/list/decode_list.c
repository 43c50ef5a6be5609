// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/list/decode_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "kernel/decode/list/decode_ops.h"

enum { ALIGN = 64 };

bool decode_list_make(decode_list_t *list, const llm_graph_t *graph, const decode_settings_t *settings,
                      const decode_shape_t *shape, const decode_arrays_t *arrays,
                      const decode_weights_list_t *weights) {
  *list = (decode_list_t){.graph = graph,
                          .settings = settings,
                          .shape = shape,
                          .arrays = arrays,
                          .weights = weights,
                          .room = shape->list_bytes,
                          .entries_room = shape->ops};
  list->bytes = calloc(list->room, 1);
  list->ops = calloc(list->entries_room, sizeof *list->ops);
  return list->bytes != NULL && list->ops != NULL;
}

void decode_list_free(decode_list_t *list) {
  free(list->bytes);
  free(list->ops);
  list->bytes = NULL;
  list->ops = NULL;
}

void decode_op_name(const decode_op_t *op, char name[DECODE_OP_NAME_BYTES]) {
  if (op->layer == LLM_NO_LAYER) {
    snprintf(name, DECODE_OP_NAME_BYTES, "%s", op->name);
  } else {
    snprintf(name, DECODE_OP_NAME_BYTES, "%s of layer %zu", op->name, op->layer);
  }
}

step_args_t decode_list_all(const decode_list_t *list) {
  return (step_args_t){.entries = decode_address(list->arrays, DECODE_AT_LIST), .count = (uint32_t)list->count};
}

step_args_t decode_list_one(const decode_list_t *list, size_t index) {
  return (step_args_t){.entries = decode_address(list->arrays, DECODE_AT_LIST) + index * sizeof(step_entry_t),
                       .count = 1};
}

void decode_list_begin(decode_list_t *list) {
  list->count = 0;
  list->numbers = 0;
  list->used = round_up(list->entries_room * sizeof(step_entry_t), ALIGN);
  list->pending = NULL;
  list->quantised = LLM_NOTHING;
}

// --- what operations are made of --------------------------------------------------------------

const void *decode_store(decode_list_t *list, const void *what, size_t bytes, uint64_t *address) {
  uint8_t *to = list->bytes + list->used;
  memcpy(to, what, bytes);
  *address = decode_at(list, DECODE_AT_LIST) + list->used;
  list->used = round_up(list->used + bytes, ALIGN);
  return to;
}

decode_op_t *decode_add(decode_list_t *list, enum step_op kind, const llm_op_t *op, const void *args, size_t bytes) {
  step_entry_t entry = {.op = kind, .number = (uint32_t)list->count};
  const void *stored = decode_store(list, args, bytes, &entry.args);
  memcpy(list->bytes + list->count * sizeof entry, &entry, sizeof entry);
  decode_op_t *added = &list->ops[list->count++];
  *added = (decode_op_t){.op = kind, .name = op->name, .layer = op->layer, .number = list->numbers++, .args = stored};
  return added;
}

decode_place_t decode_place(const decode_list_t *list, int value) {
  const llm_value_t *v = &list->graph->value[value];
  const size_t part = v->columns * decode_type_bytes(v->type);
  const size_t pitch = v->parts * part + v->ones * decode_type_bytes(v->type);
  const size_t row = v->rows == LLM_WANTED ? list->ask.first_wanted : list->ask.first_row;
  return (decode_place_t){.address = decode_value(list->arrays, value) + row * pitch,
                          .type = v->type,
                          .parts = v->parts,
                          .columns = v->columns,
                          .part = part,
                          .pitch = pitch};
}

const decode_matrix_t *decode_weight(const decode_list_t *list, const llm_op_t *op) {
  const decode_weights_list_t *weights = list->weights;
  return &weights->layer[op->layer == LLM_NO_LAYER ? weights->layers : op->layer].matrix[op->weight];
}

decode_output_t decode_output(const decode_list_t *list, const llm_op_t *op, int value) {
  const decode_place_t place = decode_place(list, value);
  const llm_rows_t rows = list->graph->value[value].rows;
  return (decode_output_t){.stage = op->stage[0],
                           .layer = op->layer == LLM_NO_LAYER ? 0 : op->layer,
                           .expert = rows == LLM_SLOTS    ? DECODE_BY_SLOT
                                     : rows == LLM_SHARED ? list->graph->config->n_routed_experts
                                                          : 0,
                           .address = place.address,
                           .type = place.type,
                           .rows = decode_rows(list),
                           .rows_of_entry = list->ask.query,
                           .entry_bytes = list->ask.query * place.pitch,
                           .pitch = place.pitch,
                           .parts = place.parts,
                           .part_cols = place.columns,
                           .part_bytes = place.part,
                           .stage_cols = place.columns};
}
