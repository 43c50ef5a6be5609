// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "kernel/attention/attention.h"

static void add_shape(cJSON *root, const attention_run_t *run) {
  const attention_problem_t *problem = &run->problem;
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "batch", problem->batch);
  json_add_count(shape, "seq_q", problem->seq_q);
  json_add_count(shape, "heads", problem->heads);
  json_add_count(shape, "seq_kv", problem->keys);
  json_add_count(shape, "dk", problem->dk);
  json_add_count(shape, "dv", problem->dv);
  json_add_count(shape, "kv_block", problem->block);
  if (run->settings.row_sum == NUM_ROW_SUM_TREE) {
    cJSON_AddStringToObject(shape, "row_sum", "tree");
  }
}

static void add_tokens(cJSON *error, const attention_run_t *run) {
  if (error == NULL) {
    return;
  }
  if (run->per_token == NULL) {
    cJSON_AddNullToObject(error, "per_token");
    return;
  }
  cJSON *tokens = cJSON_AddArrayToObject(error, "per_token");
  for (size_t i = 0; i < run->problem.batch * run->problem.seq_q; ++i) {
    kernel_json_error_members(json_add_row(tokens), &run->per_token[i]);
  }
}

void attention_json(const kernel_run_t *kernel, cJSON *root) {
  const attention_run_t *run = (const attention_run_t *)kernel;
  const kernel_result_t *result = &run->kernel.result;
  kernel_json_head(root, run->settings.kernel, &run->settings.machine);
  kernel_json_data(root, run->problem.source, result);
  add_shape(root, run);
  cJSON_AddNumberToObject(root, "softmax_scale", (double)run->problem.scale);
  kernel_json_time(root, result, &run->settings.machine);
  add_tokens(kernel_json_error(root, result, "fp64, untiled", "rows"), run);
  kernel_json_traffic(root, &result->soc);
  kernel_json_energy(root, &run->settings.machine.soc.config, &result->soc);
  kernel_json_pipes(root, &result->soc);
  kernel_json_guards(root, &result->soc);
  kernel_json_host(root, &result->soc);
}
