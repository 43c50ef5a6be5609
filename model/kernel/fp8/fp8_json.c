// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "kernel/bound.h"
#include "kernel/fp8/fp8.h"

static void add_shape(cJSON *root, const fp8_problem_t *problem) {
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "batch", problem->batch);
  json_add_count(shape, "seq_q", problem->seq_q);
  json_add_count(shape, "heads", problem->heads);
  json_add_count(shape, "seq_kv", problem->capacity);
  json_add_count(shape, "dk", NUM_FP8_KEY);
  json_add_count(shape, "dv", NUM_FP8_LATENT);
  json_add_count(shape, "kv_block", problem->block);
  json_add_count(shape, "top_k", problem->topk);
  json_add_count(shape, "page_size", problem->page_size);
  json_add_count(shape, "tokens", fp8_attended(problem));
}

static void add_kernel(cJSON *root, const fp8_run_t *run) {
  const config_t *config = &run->settings.attention.machine.soc.config;
  cJSON_AddStringToObject(root, "crossover", run->crossover ? "on" : "off");
  cJSON_AddStringToObject(root, "path", run->settings.direct ? "direct" : "gm");
  if (run->settings.attention.row_sum == NUM_ROW_SUM_TREE) {
    cJSON_AddStringToObject(root, "row_sum", "tree");
  }
  cJSON_AddStringToObject(root, "convert", config->vector.e4m3_emulated ? "emulated" : "native");
}

static void add_error(cJSON *root, const fp8_run_t *run) {
  cJSON *error = kernel_json_error(root, &run->kernel.result, "fp64, untiled, dequantised cache", "rows");
  if (error == NULL) {
    return;
  }
  cJSON_AddNumberToObject(error, "lse_max_abs", run->lse_error);
  cJSON *margin = cJSON_AddObjectToObject(error, "of_flashmla_tolerance");
  cJSON_AddNumberToObject(margin, "out", run->margin.out);
  cJSON_AddNumberToObject(margin, "cos_diff", run->margin.cos_diff);
  cJSON_AddNumberToObject(margin, "lse", run->margin.lse);
  if (run->has_bf16) {
    kernel_json_error_members(cJSON_AddObjectToObject(error, "bf16_cache"), &run->bf16_error);
  } else {
    cJSON_AddNullToObject(error, "bf16_cache");
  }
}

static void add_per_token(cJSON *root, const fp8_run_t *run) {
  const fp8_problem_t *problem = &run->problem;
  const soc_result_t *soc = &run->kernel.result.soc;
  const kernel_bound_t bound = kernel_bound(soc);
  cJSON *object = cJSON_AddObjectToObject(root, "per_token");
  cJSON_AddNumberToObject(object, "cycles", fp8_cycles_per_token(run));
  cJSON_AddNumberToObject(object, "hbm_read", fp8_per_token(problem, soc->hbm_read));
  cJSON_AddNumberToObject(object, "l2_read", fp8_per_token(problem, soc->l2_read));
  cJSON_AddNumberToObject(object, "l2_write", fp8_per_token(problem, soc->l2_write));
  cJSON *by = cJSON_AddObjectToObject(root, "bound");
  cJSON_AddStringToObject(by, "core", bound.core);
  cJSON_AddStringToObject(by, "pipe", bound.pipe == NULL ? "" : bound.pipe);
  cJSON_AddNumberToObject(by, "busy", bound.busy);
}

void fp8_json(const kernel_run_t *kernel, cJSON *root) {
  const fp8_run_t *run = (const fp8_run_t *)kernel;
  const kernel_result_t *result = &run->kernel.result;
  const kernel_machine_t *machine = &run->settings.attention.machine;
  kernel_json_head(root, "fp8", machine);
  kernel_json_data(root, run->problem.source, result);
  add_shape(root, &run->problem);
  cJSON_AddNumberToObject(root, "softmax_scale", (double)run->problem.scale);
  add_kernel(root, run);
  kernel_json_time(root, result, machine);
  add_error(root, run);
  if (result->verified) {
    json_add_count(root, "wrong_bits", result->wrong_bits);
  }
  kernel_json_traffic(root, &result->soc);
  kernel_json_energy(root, &machine->soc.config, &result->soc);
  add_per_token(root, run);
  kernel_json_pipes(root, &result->soc);
  kernel_json_guards(root, &result->soc);
  kernel_json_host(root, &result->soc);
}
