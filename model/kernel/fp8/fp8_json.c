// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "cli/run/run_json.h"
#include "kernel/fp8/fp8_bound.h"
#include "kernel/fp8/fp8_result.h"

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

static void add_kernel(cJSON *root, const fp8_result_t *result) {
  const fp8_settings_t *settings = result->settings;
  cJSON_AddStringToObject(root, "crossover", settings->crossover ? "on" : "off");
  cJSON_AddStringToObject(root, "path", settings->direct ? "direct" : "gm");
  cJSON_AddStringToObject(root, "convert",
                          settings->attention.soc.config.vector.e4m3_emulated ? "emulated"
                                                                              : "native");
}

static void fill_error(cJSON *object, const num_error_t *error) {
  cJSON_AddNumberToObject(object, "rel_fro", error->rel_fro);
  cJSON_AddNumberToObject(object, "max_abs", error->max_abs);
  cJSON_AddNumberToObject(object, "cos_diff", error->cos_diff);
}

static void add_error(cJSON *root, const fp8_result_t *result) {
  const fp8_problem_t *problem = result->problem;
  if (result->judged_rows == 0) {
    cJSON_AddNullToObject(root, "error");
    return;
  }
  cJSON *error = cJSON_AddObjectToObject(root, "error");
  char text[96] = "fp64, untiled, dequantised cache";
  if (result->judged_rows != fp8_list_rows(problem)) {
    snprintf(text, sizeof text, "fp64, untiled, dequantised cache, %zu of %zu rows",
             fp8_lists(problem) * result->judged_rows, fp8_rows(problem));
  }
  fill_error(error, &result->error);
  cJSON_AddStringToObject(error, "golden", text);
  cJSON_AddNumberToObject(error, "lse_max_abs", result->lse_error);
  cJSON *margin = cJSON_AddObjectToObject(error, "of_flashmla_tolerance");
  cJSON_AddNumberToObject(margin, "out", result->margin.out);
  cJSON_AddNumberToObject(margin, "cos_diff", result->margin.cos_diff);
  cJSON_AddNumberToObject(margin, "lse", result->margin.lse);
  if (result->has_bf16) {
    fill_error(cJSON_AddObjectToObject(error, "bf16_cache"), &result->bf16_error);
  } else {
    cJSON_AddNullToObject(error, "bf16_cache");
  }
}

static void add_per_token(cJSON *root, const fp8_result_t *result) {
  const fp8_problem_t *problem = result->problem;
  const fp8_bound_t bound = fp8_bound(&result->soc);
  cJSON *object = cJSON_AddObjectToObject(root, "per_token");
  cJSON_AddNumberToObject(object, "cycles",
                          fp8_cycles_per_token(problem, result->settings, &result->soc));
  cJSON_AddNumberToObject(object, "hbm_read", fp8_per_token(problem, result->soc.hbm_read));
  cJSON_AddNumberToObject(object, "l2_read", fp8_per_token(problem, result->soc.l2_read));
  cJSON_AddNumberToObject(object, "l2_write", fp8_per_token(problem, result->soc.l2_write));
  cJSON *by = cJSON_AddObjectToObject(root, "bound");
  cJSON_AddStringToObject(by, "core", bound.core);
  cJSON_AddStringToObject(by, "pipe", bound.pipe == NULL ? "" : bound.pipe);
  cJSON_AddNumberToObject(by, "busy", bound.busy);
}

static void add_guards(cJSON *root, const soc_result_t *soc) {
  cJSON *guards = cJSON_AddObjectToObject(root, "guards");
  json_add_count(guards, "zero", soc->guard_zero);
  json_add_count(guards, "special", soc->guard_special);
  json_add_count(guards, "underflow", soc->guard_underflow);
  json_add_count(guards, "overflow", soc->guard_overflow);
  json_add_count(guards, "lanes", soc->guard_lanes);
}

void fp8_result_json(const fp8_result_t *result, cJSON *root) {
  const soc_result_t *soc = &result->soc;
  const config_t *config = &result->settings->attention.soc.config;
  cJSON_AddStringToObject(root, "kernel", "fp8");
  run_json_config(root, result->options->fp8_config, &result->options->set);
  add_shape(root, result->problem);
  add_kernel(root, result);
  json_add_count(root, "cores", config->soc.ai_cores);
  if (result->settings->attention.soc.timing_only) {
    cJSON_AddTrueToObject(root, "timing_only");
  }
  json_add_count(root, "cycles", soc->cycles);
  cJSON_AddNumberToObject(root, "time_us", (double)soc->cycles / config->soc.clock_mhz);
  json_add_count(root, "flops", fp8_flops(result->problem));
  cJSON_AddNumberToObject(root, "fu", fp8_fu(result->problem, config, soc->cycles));
  add_error(root, result);
  if (result->verified) {
    json_add_count(root, "wrong_bits", result->wrong_bits);
  }
  run_json_traffic(root, soc);
  add_per_token(root, result);
  run_json_pipes(root, soc);
  add_guards(root, soc);
  run_json_host(cJSON_AddObjectToObject(root, "host"), soc);
}
