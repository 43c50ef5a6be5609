// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_json.h"

#include "base/json.h"
#include "host/host.h"

void run_json_config(cJSON *root, const char *config, const option_list_t *set) {
  cJSON_AddStringToObject(root, "config", config);
  if (set->count == 0) {
    return;
  }
  cJSON *list = cJSON_AddArrayToObject(root, "set");
  for (size_t i = 0; i < set->count; ++i) {
    cJSON_AddItemToArray(list, cJSON_CreateString(set->item[i]));
  }
}

void run_json_traffic(cJSON *root, const soc_result_t *soc) {
  cJSON *traffic = cJSON_AddObjectToObject(root, "traffic");
  json_add_count(traffic, "hbm_read", soc->hbm_read);
  json_add_count(traffic, "hbm_write", soc->hbm_write);
  json_add_count(traffic, "l2_read", soc->l2_read);
  json_add_count(traffic, "l2_write", soc->l2_write);
  json_add_count(traffic, "atomic_bytes", soc->atomic_bytes);
}

void run_json_pipes(cJSON *root, const soc_result_t *soc) {
  cJSON *pipes = cJSON_AddArrayToObject(root, "pipes");
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    const soc_pipe_t *pipe = &soc->pipes[i];
    cJSON *entry = json_add_row(pipes);
    cJSON_AddStringToObject(entry, "core", pipe->core);
    cJSON_AddStringToObject(entry, "pipe", pipe->pipe);
    json_add_count(entry, "commands", pipe->commands);
    json_add_count(entry, "busy", pipe->busy);
    cJSON *stall = cJSON_AddObjectToObject(entry, "stall");
    for (size_t j = 0; j < pipe->stalls; ++j) {
      json_add_count(stall, pipe->stall[j].reason, pipe->stall[j].cycles);
    }
  }
}

void run_json_host(cJSON *host, const soc_result_t *soc) {
  cJSON_AddNumberToObject(host, "seconds", soc->seconds);
  json_add_count(host, "rtl_cycles", soc->rtl_cycles);
  json_add_count(host, "scalar_instructions", soc->scalar_instructions);
  cJSON_AddNumberToObject(host, "peak_rss_mb", host_peak_rss_mb());
  cJSON_AddNumberToObject(host, "matmul_seconds", soc->matmul_seconds);
  cJSON_AddNumberToObject(host, "vector_seconds", soc->vector_seconds);
  cJSON_AddNumberToObject(host, "copy_seconds", soc->copy_seconds);
  cJSON_AddNumberToObject(host, "rtl_seconds", soc->rtl_seconds);
  cJSON_AddNumberToObject(host, "scalar_seconds", soc->scalar_seconds);
}
