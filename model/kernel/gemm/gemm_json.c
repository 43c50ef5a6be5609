// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "cli/run/run_json.h"
#include "kernel/gemm/gemm_result.h"

static void add_shape(cJSON *root, const gemm_problem_t *p) {
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "m", p->m);
  json_add_count(shape, "n", p->n);
  json_add_count(shape, "k", p->k);
  if (p->quantised) {
    json_add_count(shape, "group", p->group);
  }
}

static void add_how(cJSON *root, const gemm_result_t *result) {
  static const char *const zeros[W4A16_ZEROS_COUNT] = {"none", "fp16", "fp32"};
  const gemm_settings_t *s = result->settings;
  cJSON_AddStringToObject(root, "mode", s->splitk ? "splitk" : "dataparallel");
  json_add_count(root, "split_k", s->splits);
  json_add_count(root, "tile_n", s->tile_n);
  cJSON_AddStringToObject(root, "path", s->phases == W4A16_DIRECT ? "direct" : "gm");
  cJSON_AddBoolToObject(root, "overlap", s->phases != W4A16_SEQUENTIAL);
  cJSON_AddStringToObject(root, "nibbles", result->problem->is_unsigned ? "unsigned" : "signed");
  cJSON_AddStringToObject(root, "zero_points", zeros[result->problem->zeros]);
}

static void add_error(cJSON *root, const gemm_result_t *result) {
  char text[96] = "fp64, untiled, on the contract's weights";
  if (result->judged_cols == 0) {
    cJSON_AddNullToObject(root, "error");
    return;
  }
  cJSON *error = cJSON_AddObjectToObject(root, "error");
  cJSON_AddNumberToObject(error, "rel_fro", result->error.rel_fro);
  cJSON_AddNumberToObject(error, "max_abs", result->error.max_abs);
  cJSON_AddNumberToObject(error, "cos_diff", result->error.cos_diff);
  if (result->judged_cols != result->problem->n) {
    snprintf(text, sizeof text, "fp64, untiled, on the contract's weights, %zu of %zu columns",
             result->judged_cols, result->problem->n);
  }
  cJSON_AddStringToObject(error, "golden", text);
}

static void add_books(cJSON *object, const soc_traffic_t *traffic) {
  json_add_count(object, "hbm_read", traffic->hbm_read);
  json_add_count(object, "hbm_write", traffic->hbm_write);
  json_add_count(object, "l2_read", traffic->l2_read);
  json_add_count(object, "l2_write", traffic->l2_write);
}

static void add_parts(cJSON *root, const gemm_result_t *result) {
  const gemm_run_t *run = &result->run;
  const double mhz = result->settings->soc.config.soc.clock_mhz;
  cJSON *phases = cJSON_AddArrayToObject(root, "phases");
  for (size_t i = 0; i < run->phases; ++i) {
    cJSON *row = json_add_row(phases);
    cJSON_AddStringToObject(row, "name", run->phase[i].name);
    json_add_count(row, "cycles", run->phase[i].cycles);
    cJSON_AddNumberToObject(row, "time_us", (double)run->phase[i].cycles / mhz);
    add_books(row, &run->phase[i].traffic);
  }
  cJSON *arrays = cJSON_AddArrayToObject(root, "arrays");
  for (size_t i = 0; i < run->arrays; ++i) {
    cJSON *row = json_add_row(arrays);
    cJSON_AddStringToObject(row, "name", run->array[i].name);
    json_add_count(row, "bytes", run->array[i].bytes);
    add_books(row, &run->array[i].traffic);
  }
}

void gemm_result_json(const gemm_result_t *result, cJSON *root) {
  const soc_result_t *soc = &result->run.soc;
  const config_t *config = &result->settings->soc.config;
  cJSON_AddStringToObject(root, "kernel", result->settings->kernel);
  run_json_config(root, result->options->config, &result->options->set);
  add_shape(root, result->problem);
  if (result->problem->quantised) {
    add_how(root, result);
  }
  json_add_count(root, "cores", config->soc.ai_cores);
  if (result->settings->soc.timing_only) {
    cJSON_AddTrueToObject(root, "timing_only");
  }
  json_add_count(root, "cycles", soc->cycles);
  cJSON_AddNumberToObject(root, "time_us", (double)soc->cycles / config->soc.clock_mhz);
  json_add_count(root, "flops", gemm_flops(result->problem));
  cJSON_AddNumberToObject(root, "fu", gemm_fu(result->problem, config, soc->cycles));
  add_error(root, result);
  if (result->verified) {
    json_add_count(root, "wrong_bits", result->wrong_bits);
  }
  run_json_traffic(root, soc);
  add_parts(root, result);
  run_json_pipes(root, soc);
  run_json_host(cJSON_AddObjectToObject(root, "host"), soc);
}
