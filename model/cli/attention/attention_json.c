// SPDX-License-Identifier: Apache-2.0
#include "cli/attention/attention_result.h"
#include "cli/attention/attention_simulate.h"
#include "cli/file/json_print.h"

static void put(cJSON *object, const char *name, uint64_t value) {
  cJSON_AddNumberToObject(object, name, (double)value);
}

static void add_shape(cJSON *root, const attention_problem_t *problem) {
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  put(shape, "batch", problem->batch);
  put(shape, "seq_q", problem->seq_q);
  put(shape, "heads", problem->heads);
  put(shape, "seq_kv", problem->keys);
  put(shape, "dk", problem->dk);
  put(shape, "dv", problem->dv);
  put(shape, "kv_block", problem->block);
}

static void fill_error(cJSON *object, const num_error_t *error) {
  cJSON_AddNumberToObject(object, "rel_fro", error->rel_fro);
  cJSON_AddNumberToObject(object, "max_abs", error->max_abs);
  cJSON_AddNumberToObject(object, "cos_diff", error->cos_diff);
}

// What the error was measured against.
static void add_golden(cJSON *error, const result_t *result) {
  const attention_problem_t *problem = result->problem;
  char text[96] = "fp64, untiled";
  if (result->judged_rows != problem->rows) {
    snprintf(text, sizeof text, "fp64, untiled, %zu of %zu rows",
             problem->batch * result->judged_rows, problem->batch * problem->rows);
  }
  cJSON_AddStringToObject(error, "golden", text);
}

static void add_error(cJSON *root, const result_t *result) {
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
    cJSON *token = cJSON_CreateObject();
    fill_error(token, &result->per_token[i]);
    cJSON_AddItemToArray(tokens, token);
  }
}

void result_json_traffic(cJSON *root, const soc_result_t *soc) {
  cJSON *traffic = cJSON_AddObjectToObject(root, "traffic");
  put(traffic, "hbm_read", soc->hbm_read);
  put(traffic, "hbm_write", soc->hbm_write);
  put(traffic, "l2_read", soc->l2_read);
  put(traffic, "l2_write", soc->l2_write);
  put(traffic, "atomic_bytes", soc->atomic_bytes);
}

void result_json_pipes(cJSON *root, const soc_result_t *soc) {
  cJSON *pipes = cJSON_AddArrayToObject(root, "pipes");
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    const soc_pipe_t *pipe = &soc->pipes[i];
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(pipes, entry);
    cJSON_AddStringToObject(entry, "core", pipe->core);
    cJSON_AddStringToObject(entry, "pipe", pipe->pipe);
    put(entry, "commands", pipe->commands);
    put(entry, "busy", pipe->busy);
    cJSON *stall = cJSON_AddObjectToObject(entry, "stall");
    for (size_t j = 0; j < pipe->stalls; ++j) {
      put(stall, pipe->stall[j].reason, pipe->stall[j].cycles);
    }
  }
}

static void add_guards(cJSON *root, const soc_result_t *soc) {
  cJSON *guards = cJSON_AddObjectToObject(root, "guards");
  put(guards, "zero", soc->guard_zero);
  put(guards, "special", soc->guard_special);
  put(guards, "underflow", soc->guard_underflow);
  put(guards, "overflow", soc->guard_overflow);
  put(guards, "lanes", soc->guard_lanes);
}

void result_json_host(cJSON *host, const soc_result_t *soc) {
  cJSON_AddNumberToObject(host, "seconds", soc->seconds);
  put(host, "rtl_cycles", soc->rtl_cycles);
  put(host, "scalar_instructions", soc->scalar_instructions);
  cJSON_AddNumberToObject(host, "peak_rss_mb", result_peak_rss_mb());
  cJSON_AddNumberToObject(host, "matmul_seconds", soc->matmul_seconds);
  cJSON_AddNumberToObject(host, "vector_seconds", soc->vector_seconds);
  cJSON_AddNumberToObject(host, "copy_seconds", soc->copy_seconds);
  cJSON_AddNumberToObject(host, "rtl_seconds", soc->rtl_seconds);
  cJSON_AddNumberToObject(host, "scalar_seconds", soc->scalar_seconds);
}

void result_json_config(cJSON *root, const char *config, const option_list_t *set) {
  cJSON_AddStringToObject(root, "config", config);
  if (set->count == 0) {
    return;
  }
  cJSON *list = cJSON_AddArrayToObject(root, "set");
  for (size_t i = 0; i < set->count; ++i) {
    cJSON_AddItemToArray(list, cJSON_CreateString(set->item[i]));
  }
}

static void fill(cJSON *root, const result_t *result) {
  const soc_result_t *soc = &result->soc;
  const config_t *config = &result->settings->soc.config;
  cJSON_AddStringToObject(root, "kernel", result->settings->kernel);
  result_json_config(root, result->options->config, &result->options->set);
  add_shape(root, result->problem);
  put(root, "cores", config->soc.ai_cores);
  if (result->settings->soc.timing_only) {
    cJSON_AddTrueToObject(root, "timing_only");
  }
  put(root, "cycles", soc->cycles);
  cJSON_AddNumberToObject(root, "time_us", (double)soc->cycles / config->soc.clock_mhz);
  put(root, "flops", attention_flops(result->problem));
  cJSON_AddNumberToObject(root, "fu", attention_fu(result->problem, config, soc->cycles));
  add_error(root, result);
  result_json_traffic(root, soc);
  result_json_pipes(root, soc);
  add_guards(root, soc);
  result_json_host(cJSON_AddObjectToObject(root, "host"), soc);
}

bool result_json(FILE *file, const result_t *result, cli_error_t *error) {
  cJSON *root = cJSON_CreateObject();
  if (root != NULL) {
    fill(root, result);
  }
  const bool good = json_print(file, root, error);
  cJSON_Delete(root);
  return good;
}
