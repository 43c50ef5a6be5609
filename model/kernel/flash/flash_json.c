// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "kernel/flash/flash.h"

static void add_shape(cJSON *root, const flash_run_t *run) {
  const flash_problem_t *problem = &run->problem;
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "batch", problem->batch);
  json_add_count(shape, "heads", problem->heads);
  json_add_count(shape, "kv_heads", problem->kv_heads);
  json_add_count(shape, "seq_q", problem->seq_q);
  json_add_count(shape, "seq_kv", problem->keys);
  json_add_count(shape, "head_dim", problem->dk);
  json_add_count(shape, "dv", problem->dv);
  cJSON_AddBoolToObject(shape, "causal", problem->causal);
  if (problem->window > 0) {
    json_add_count(shape, "window", problem->window);
  }
  if (problem->sink != NULL) {
    cJSON_AddBoolToObject(shape, "sinks", true);
  }
  if (problem->cap != 0) {
    cJSON_AddNumberToObject(shape, "softcap", (double)problem->cap);
  }
  if (problem->table != NULL) {
    json_add_count(shape, "page_size", FLASH_PAGE);
  }
  cJSON_AddStringToObject(shape, "dtype", problem->fp16 ? "fp16" : "bf16");
  json_add_count(shape, "kv_block", problem->block);
  json_add_count(shape, "groups", flash_items(&run->deal));
  json_add_count(shape, "split_kv", problem->splits);
}

void flash_json(const kernel_run_t *kernel, cJSON *root) {
  const flash_run_t *run = (const flash_run_t *)kernel;
  const kernel_result_t *result = &run->kernel.result;
  kernel_json_head(root, "flash", &run->settings.machine);
  kernel_json_data(root, run->problem.source, result);
  add_shape(root, run);
  cJSON_AddNumberToObject(root, "softmax_scale", (double)run->problem.scale);
  kernel_json_time(root, result, &run->settings.machine);
  kernel_json_error(root, result, "fp64, untiled", "rows");
  if (result->verified) {
    json_add_count(root, "wrong_bits", result->wrong_bits);
  }
  kernel_json_traffic(root, &result->soc);
  kernel_json_energy(root, &run->settings.machine.soc.config, &result->soc);
  kernel_json_pipes(root, &result->soc);
  kernel_json_host(root, &result->soc);
}
