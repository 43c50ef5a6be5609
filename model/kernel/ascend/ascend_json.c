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
  if (argument->bytes > 0) {
    cJSON_AddStringToObject(row, "type", ascend_type_name(argument));
    add_shape(row, &argument->array);
  }
  add_expected(row, argument);
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
  json_add_count(root, "cycles", soc->cycles);
  cJSON_AddNumberToObject(root, "time_us", run->kernel.result.time_us);
  kernel_json_launches(root, &run->kernel.result);
  if (soc->flags_left > 0) {
    json_add_count(root, "flags_left", soc->flags_left);
  }
  kernel_json_traffic(root, soc);
  kernel_json_energy(root, &run->machine.soc.config, soc);
  kernel_json_pipes(root, soc);
  kernel_json_host(root, soc);
}
