// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "cli/run/run_json.h"
#include "kernel/attention/attention_result.h"
#include "kernel/attention/attention_simulate.h"

static void add_shape(cJSON *root, const attention_problem_t *problem) {
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "batch", problem->batch);
  json_add_count(shape, "seq_q", problem->seq_q);
  json_add_count(shape, "heads", problem->heads);
  json_add_count(shape, "seq_kv", problem->keys);
  json_add_count(shape, "dk", problem->dk);
  json_add_count(shape, "dv", problem->dv);
  json_add_count(shape, "kv_block", problem->block);
}

static void fill_error(cJSON *object, const num_error_t *error) {
  cJSON_AddNumberToObject(object, "rel_fro", error->rel_fro);
  cJSON_AddNumberToObject(object, "max_abs", error->max_abs);
  cJSON_AddNumberToObject(object, "cos_diff", error->cos_diff);
}

// What the error was measured against.
static void add_golden(cJSON *error, const attention_result_t *result) {
  const attention_problem_t *problem = result->problem;
  char text[96] = "fp64, untiled";
  if (result->judged_rows != problem->rows) {
    snprintf(text, sizeof text, "fp64, untiled, %zu of %zu rows",
             problem->batch * result->judged_rows, problem->batch * problem->rows);
  }
  cJSON_AddStringToObject(error, "golden", text);
}

static void add_error(cJSON *root, const attention_result_t *result) {
  if (result->judged_rows == 0) {
    cJSON_AddNullToObject(root, "error");
    return;
  }
  cJSON *error = cJSON_AddObjectToObject(root, "error");
  fill_error(error, &result->error);
  add_golden(error, result);
  if (result->per_token == NULL) {
    cJSON_AddNullToObject(error, "per_token");
    return;
  }
  cJSON *tokens = cJSON_AddArrayToObject(error, "per_token");
  for (size_t i = 0; i < result->problem->batch * result->problem->seq_q; ++i) {
    fill_error(json_add_row(tokens), &result->per_token[i]);
  }
}

static void add_guards(cJSON *root, const soc_result_t *soc) {
  cJSON *guards = cJSON_AddObjectToObject(root, "guards");
  json_add_count(guards, "zero", soc->guard_zero);
  json_add_count(guards, "special", soc->guard_special);
  json_add_count(guards, "underflow", soc->guard_underflow);
  json_add_count(guards, "overflow", soc->guard_overflow);
  json_add_count(guards, "lanes", soc->guard_lanes);
}

void attention_result_json(const attention_result_t *result, cJSON *root) {
  const soc_result_t *soc = &result->soc;
  const config_t *config = &result->settings->soc.config;
  cJSON_AddStringToObject(root, "kernel", result->settings->kernel);
  run_json_config(root, result->options->config, &result->options->set);
  add_shape(root, result->problem);
  json_add_count(root, "cores", config->soc.ai_cores);
  if (result->settings->soc.timing_only) {
    cJSON_AddTrueToObject(root, "timing_only");
  }
  json_add_count(root, "cycles", soc->cycles);
  cJSON_AddNumberToObject(root, "time_us", (double)soc->cycles / config->soc.clock_mhz);
  json_add_count(root, "flops", attention_flops(result->problem));
  cJSON_AddNumberToObject(root, "fu", attention_fu(result->problem, config, soc->cycles));
  add_error(root, result);
  run_json_traffic(root, soc);
  run_json_pipes(root, soc);
  add_guards(root, soc);
  run_json_host(cJSON_AddObjectToObject(root, "host"), soc);
}
