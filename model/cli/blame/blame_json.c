// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/json.h"
#include "cli/blame/blame.h"

static const char *const writers[] = {[BLAME_COMMAND] = "command", [BLAME_INPUT] = "input", [BLAME_NOBODY] = "nobody"};

// A number that is none is its word, so that nothing is lost.
static void add_value(cJSON *object, const char *name, double value) {
  if (isfinite(value)) {
    cJSON_AddNumberToObject(object, name, value);
  } else {
    cJSON_AddStringToObject(object, name, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
}

static void add_operand(const blame_found_t *found, const blame_operand_t *operand, cJSON *list) {
  char name[BLAME_NAME_BYTES];
  cJSON *row = json_add_row(list);
  blame_name(found->replay, &operand->at, name);
  cJSON_AddStringToObject(row, "field", operand->field);
  cJSON_AddStringToObject(row, "element", name);
  add_value(row, "value", operand->value);
}

static void add_link(const blame_found_t *found, const blame_link_t *link, cJSON *list) {
  char name[BLAME_NAME_BYTES], text[512];
  const soc_effect_t effect = soc_replay_effect(found->replay, link->effect);
  const command_t *command = &effect.what->command;
  cJSON *row = json_add_row(list);
  blame_name(found->replay, &link->at, name);
  core_disassemble(command, text, sizeof text);
  cJSON_AddStringToObject(row, "element", name);
  cJSON_AddStringToObject(row, "type", core_type_name(link->at.type));
  json_add_count(row, "cycle", effect.what->done);
  cJSON_AddStringToObject(row, "core", effect.core);
  cJSON_AddStringToObject(row, "pipe", core_pipe_name(command->header.pipe_));
  cJSON_AddStringToObject(row, "opcode", core_command_name(command->header.opcode_));
  cJSON_AddStringToObject(row, "command", text);
  cJSON_AddStringToObject(row, "line", soc_replay_line(found->replay, link->effect));
  add_value(row, "before", link->before);
  add_value(row, "value", link->after);
  add_value(row, "fp64", link->again);
  add_value(row, "slack", link->slack);
  cJSON_AddBoolToObject(row, "leaves", link->leaves);
  cJSON_AddStringToObject(row, "note", link->note);
  json_add_count(row, "products", blame_products(command));
  cJSON_AddNumberToObject(row, "followed", (double)link->followed);
  cJSON *operands = cJSON_AddArrayToObject(row, "operands");
  for (size_t i = 0; i < link->operands; ++i) {
    add_operand(found, &link->operand[i], operands);
  }
}

static void add_repairs(const blame_found_t *found, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "changes");
  for (size_t i = 0; i < found->repairs.count; ++i) {
    const blame_repair_t *repair = &found->repairs.list[i];
    cJSON *row = json_add_row(list);
    cJSON_AddStringToObject(row, "line", soc_replay_line(found->replay, repair->effect));
    cJSON_AddStringToObject(row, "change", repair->change);
    json_add_count(row, "commands", repair->commands);
    json_add_count(row, "off", repair->off);
  }
}

void blame_json(const void *data, cJSON *root) {
  const blame_found_t *found = data;
  char name[BLAME_NAME_BYTES];
  json_add_amalgam(root);
  cJSON_AddStringToObject(root, "kernel", found->kernel);
  blame_name(found->replay, &found->at, name);
  cJSON_AddStringToObject(root, "element", name);
  add_value(root, "value", found->have);
  if (found->expected.want != NULL && found->index < found->expected.count) {
    add_value(root, "expected", found->expected.want[found->index]);
    cJSON_AddStringToObject(root, "by", found->expected.by);
    json_add_count(root, "off", found->off);
    json_add_count(root, "elements", found->elements);
  }
  cJSON_AddStringToObject(root, "line", found->line);
  cJSON_AddStringToObject(root, "why", found->why);
  add_repairs(found, root);
  cJSON *list = cJSON_AddArrayToObject(root, "chain");
  for (size_t i = 0; i < found->chain.links; ++i) {
    add_link(found, &found->chain.link[i], list);
  }
  cJSON *end = cJSON_AddObjectToObject(root, "end");
  blame_name(found->replay, &found->chain.end, name);
  cJSON_AddStringToObject(end, "element", name);
  cJSON_AddStringToObject(end, "from", writers[found->chain.from]);
}
