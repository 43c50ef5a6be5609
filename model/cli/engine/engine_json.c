// SPDX-License-Identifier: Apache-2.0
#include "cli/attention/attention_result.h"
#include "cli/engine/engine_result.h"
#include "cli/file/json_print.h"

static void put(cJSON *object, const char *name, uint64_t value) {
  cJSON_AddNumberToObject(object, name, (double)value);
}

static void add_config(cJSON *root, const engine_settings_t *settings) {
  const engine_shape_t *shape = &settings->shape;
  cJSON *config = cJSON_AddObjectToObject(root, "config");
  cJSON_AddStringToObject(config, "impl", settings->rtl ? "rtl" : "c");
  put(config, "blocks", shape->num.blocks);
  put(config, "queries", shape->queries);
  put(config, "rows", shape->num.rows);
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
  put(shape, "seq_q", input->problem.rows);
  put(shape, "seq_kv", input->problem.keys);
  put(shape, "head_dim", input->problem.dk);
  cJSON_AddBoolToObject(shape, "causal", input->causal);
  cJSON_AddBoolToObject(shape, "masked", input->masked);
}

static void add_time(cJSON *root, const engine_result_t *result) {
  const engine_cycles_t *cycles = &result->cycles;
  put(root, "cycles", cycles->total);
  cJSON_AddNumberToObject(root, "time_us",
                          (double)cycles->total / result->settings->clock_mhz);
  put(root, "flops", engine_result_flops(result));
  cJSON_AddNumberToObject(root, "fu", engine_result_fu(result));
  put(root, "load_cycles", cycles->load);
  put(root, "groups", cycles->groups);
  put(root, "rows", cycles->rows);
  put(root, "keys", cycles->keys);
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
  put(verify, "wrong_elements", result->wrong_bits);
  if (result->settings->rtl) {
    cJSON_AddBoolToObject(verify, "cycles_equal", !engine_result_cycles_differ(result));
  }
}

static void add_host(cJSON *root, const engine_result_t *result) {
  const engine_cycles_t *cycles = &result->cycles;
  cJSON *host = cJSON_AddObjectToObject(root, "host");
  cJSON_AddNumberToObject(host, "seconds", result->seconds);
  put(host, "rtl_cycles", result->settings->rtl ? cycles->load + cycles->total : 0);
  put(host, "scalar_instructions", 0);
  cJSON_AddNumberToObject(host, "peak_rss_mb", result_peak_rss_mb());
}

static void fill(cJSON *root, const engine_result_t *result) {
  cJSON_AddStringToObject(root, "kernel", result->settings->kernel);
  add_config(root, result->settings);
  add_shape(root, result->input);
  add_time(root, result);
  put(root, "poisoned_rows", result->input->poisoned_rows);
  add_error(root, result);
  add_verify(root, result);
  add_host(root, result);
}

bool engine_result_json(FILE *file, const engine_result_t *result, cli_error_t *error) {
  cJSON *root = cJSON_CreateObject();
  if (root != NULL) {
    fill(root, result);
  }
  const bool good = json_print(file, root, error);
  cJSON_Delete(root);
  return good;
}
