// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "kernel/ascend/ascend.h"

static void add_shape(cJSON *object, const npy_array_t *array) {
  cJSON *shape = cJSON_AddArrayToObject(object, "shape");
  for (size_t i = 0; i < array->dims; ++i) {
    cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)array->shape[i]));
  }
}

static void add_expected(cJSON *row, const ascend_argument_t *argument) {
  char index[NPY_SHAPE_BYTES];
  if (argument->want.data != NULL) {
    cJSON *expected = cJSON_AddObjectToObject(row, "expected");
    json_add_count(expected, "off", argument->off);
    cJSON_AddNumberToObject(expected, "largest", argument->largest);
  }
  if (argument->lost > 0) {
    cJSON *lost = cJSON_AddObjectToObject(row, "not_finite");
    json_add_count(lost, "elements", argument->lost);
    cJSON_AddStringToObject(lost, "first", npy_index_text(&argument->array, argument->lost_at, index));
  }
}

static void add_argument(cJSON *rows, const ascend_argument_t *argument) {
  cJSON *row = json_add_row(rows);
  cJSON_AddStringToObject(row, "name", argument->param->name);
  cJSON_AddStringToObject(row, "role", ascend_role_name(argument->role));
  if (argument->path != NULL) {
    cJSON_AddStringToObject(row, "file", argument->path);
  }
  if (argument->from != NULL) {
    cJSON_AddStringToObject(row, "result", argument->from->param->name);
  }
  if (argument->bytes > 0) {
    cJSON_AddStringToObject(row, "type", ascend_type_name(argument));
    add_shape(row, &argument->array);
  }
  add_expected(row, argument);
}

static void add_race(cJSON *rows, const soc_race_t *race) {
  cJSON *row = json_add_row(rows);
  cJSON_AddStringToObject(row, "space", race->space);
  json_add_count(row, "count", race->count);
  cJSON_AddStringToObject(row, "first", race->first);
  cJSON_AddStringToObject(row, "then", race->then);
  cJSON_AddStringToObject(row, "between", race->between);
  cJSON_AddStringToObject(row, "needed", race->needed);
  cJSON_AddBoolToObject(row, "compiler", race->compiler);
}

static void add_variant(cJSON *rows, const ascend_variant_t *variant) {
  cJSON *row = json_add_row(rows);
  char index[NPY_SHAPE_BYTES];
  cJSON_AddStringToObject(row, "machine", variant->change);
  json_add_count(row, "cycles", variant->cycles);
  cJSON_AddBoolToObject(row, "same", variant->argument == NULL && variant->stopped[0] == '\0');
  if (variant->argument != NULL) {
    cJSON_AddStringToObject(row, "array", variant->argument->param->name);
    cJSON_AddStringToObject(row, "first", npy_index_text(&variant->argument->array, variant->first, index));
  }
  if (variant->stopped[0] != '\0') {
    cJSON_AddStringToObject(row, "stopped", variant->stopped);
  }
}

static void add_checks(cJSON *root, const ascend_run_t *run) {
  const soc_result_t *soc = &run->kernel.result.soc;
  cJSON *races = run->machine.soc.list_races ? cJSON_AddArrayToObject(root, "races") : NULL;
  for (size_t i = 0; i < soc->race_count; ++i) {
    add_race(races, &soc->races[i]);
  }
  cJSON *rows = run->vary > 0 ? cJSON_AddArrayToObject(root, "vary") : NULL;
  for (size_t i = 0; i < run->variants; ++i) {
    add_variant(rows, &run->variant[i]);
  }
}

// The launches before, the first one first.
static void add_earlier(cJSON *rows, const ascend_run_t *run) {
  if (run == NULL) {
    return;
  }
  add_earlier(rows, run->earlier);
  cJSON *row = json_add_row(rows);
  cJSON_AddStringToObject(row, "source", run->source);
  cJSON_AddStringToObject(row, "entry", run->entry.name);
  json_add_count(row, "blocks", run->args.blocks);
  json_add_count(row, "cycles", run->kernel.result.soc.cycles);
  cJSON_AddNumberToObject(row, "time_us", run->kernel.result.time_us);
}

void ascend_json(const kernel_run_t *kernel, cJSON *root) {
  const ascend_run_t *run = (const ascend_run_t *)kernel;
  const soc_result_t *soc = &run->kernel.result.soc;
  cJSON_AddStringToObject(root, "kernel", "ascend");
  cJSON_AddStringToObject(root, "source", run->source);
  cJSON_AddStringToObject(root, "entry", run->entry.name);
  kernel_json_config(root, &run->machine);
  json_add_count(root, "cores", run->machine.soc.config.soc.ai_cores);
  json_add_count(root, "blocks", run->args.blocks);
  cJSON *rows = cJSON_AddArrayToObject(root, "arguments");
  for (size_t i = 0; i < run->arguments; ++i) {
    add_argument(rows, &run->argument[i]);
  }
  if (run->earlier != NULL) {
    add_earlier(cJSON_AddArrayToObject(root, "earlier"), run->earlier);
  }
  json_add_count(root, "cycles", soc->cycles);
  cJSON_AddNumberToObject(root, "time_us", run->kernel.result.time_us);
  kernel_json_launches(root, &run->kernel.result);
  add_checks(root, run);
  if (soc->flags_left > 0) {
    json_add_count(root, "flags_left", soc->flags_left);
  }
  kernel_json_traffic(root, soc);
  kernel_json_energy(root, &run->machine.soc.config, soc);
  kernel_json_pipes(root, soc);
  kernel_json_host(root, soc);
}
