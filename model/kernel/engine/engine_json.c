// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "host/host.h"
#include "kernel/engine/engine_result.h"

static void add_config(cJSON *root, const engine_settings_t *settings) {
  const engine_shape_t *shape = &settings->shape;
  cJSON *config = cJSON_AddObjectToObject(root, "config");
  cJSON_AddStringToObject(config, "impl", settings->rtl ? "rtl" : "c");
  json_add_count(config, "blocks", shape->num.blocks);
  json_add_count(config, "queries", shape->queries);
  json_add_count(config, "rows", shape->num.rows);
  if (shape->num.design == NUM_DESIGN_HFA) {
    cJSON_AddStringToObject(config, "lns", shape->num.hfa.corrected ? "corrected" : "mitchell");
    cJSON_AddBoolToObject(config, "zero_exact", shape->num.hfa.zero_exact);
  } else {
    cJSON_AddBoolToObject(config, "one_mul", shape->one_mul);
  }
  cJSON_AddNumberToObject(config, "clock_mhz", settings->clock_mhz);
}

static void add_shape(cJSON *root, const engine_input_t *input) {
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "seq_q", input->problem.rows);
  json_add_count(shape, "seq_kv", input->problem.keys);
  json_add_count(shape, "head_dim", input->problem.dk);
  cJSON_AddBoolToObject(shape, "causal", input->causal);
  cJSON_AddBoolToObject(shape, "masked", input->masked);
}

static void add_time(cJSON *root, const engine_result_t *result) {
  const engine_cycles_t *cycles = &result->cycles;
  json_add_count(root, "cycles", cycles->total);
  cJSON_AddNumberToObject(root, "time_us",
                          (double)cycles->total / result->settings->clock_mhz);
  json_add_count(root, "flops", engine_result_flops(result));
  cJSON_AddNumberToObject(root, "fu", engine_result_fu(result));
  json_add_count(root, "load_cycles", cycles->load);
  json_add_count(root, "groups", cycles->groups);
  json_add_count(root, "rows", cycles->rows);
  json_add_count(root, "keys", cycles->keys);
}

// What is no number, as an error against an infinite output, becomes null.
static void add_error(cJSON *root, const engine_result_t *result) {
  const size_t rows = result->input->problem.rows;
  char golden[96] = "fp64, untiled";
  if (result->judged_rows == 0) {
    cJSON_AddNullToObject(root, "error");
    return;
  }
  cJSON *error = cJSON_AddObjectToObject(root, "error");
  cJSON_AddNumberToObject(error, "rel_fro", result->error.rel_fro);
  cJSON_AddNumberToObject(error, "mean_rel", result->mean_rel);
  cJSON_AddNumberToObject(error, "max_abs", result->error.max_abs);
  cJSON_AddNumberToObject(error, "cos_diff", result->error.cos_diff);
  if (result->judged_rows != rows) {
    snprintf(golden, sizeof golden, "fp64, untiled, %zu of %zu rows", result->judged_rows, rows);
  }
  cJSON_AddStringToObject(error, "golden", golden);
}

static void add_verify(cJSON *root, const engine_result_t *result) {
  if (!result->verified) {
    cJSON_AddNullToObject(root, "verify");
    return;
  }
  cJSON *verify = cJSON_AddObjectToObject(root, "verify");
  json_add_count(verify, "wrong_elements", result->wrong_bits);
  if (result->settings->rtl) {
    cJSON_AddBoolToObject(verify, "cycles_equal", !engine_result_cycles_differ(result));
  }
}

static void add_host(cJSON *root, const engine_result_t *result) {
  const engine_cycles_t *cycles = &result->cycles;
  cJSON *host = cJSON_AddObjectToObject(root, "host");
  cJSON_AddNumberToObject(host, "seconds", result->seconds);
  json_add_count(host, "rtl_cycles", result->settings->rtl ? cycles->load + cycles->total : 0);
  json_add_count(host, "scalar_instructions", 0);
  cJSON_AddNumberToObject(host, "peak_rss_mb", host_peak_rss_mb());
}

void engine_result_json(const engine_result_t *result, cJSON *root) {
  cJSON_AddStringToObject(root, "kernel", result->settings->kernel);
  add_config(root, result->settings);
  add_shape(root, result->input);
  add_time(root, result);
  json_add_count(root, "poisoned_rows", result->input->poisoned_rows);
  add_error(root, result);
  add_verify(root, result);
  add_host(root, result);
}
