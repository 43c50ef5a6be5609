// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "host/host.h"
#include "kernel/engine/engine.h"

static void add_config(cJSON *root, const engine_settings_t *settings) {
  const engine_shape_t *shape = &settings->shape;
  cJSON *config = cJSON_AddObjectToObject(root, "config");
  cJSON_AddStringToObject(config, "impl", settings->rtl ? "rtl" : "c");
  cJSON_AddStringToObject(config, "bus", settings->shape.axi ? "axi" : "none");
  json_add_count(config, "blocks", shape->num.blocks);
  json_add_count(config, "queries", shape->queries);
  json_add_count(config, "rows", shape->num.rows);
  if (shape->num.design == NUM_DESIGN_HFA) {
    cJSON_AddStringToObject(config, "lns", shape->num.hfa.corrected ? "corrected" : "mitchell");
    cJSON_AddBoolToObject(config, "zero_exact", shape->num.hfa.zero_exact);
  } else if (shape->num.design == NUM_DESIGN_FA2) {
    cJSON_AddBoolToObject(config, "one_mul", shape->one_mul);
  }
  cJSON_AddNumberToObject(config, "clock_mhz", settings->clock_mhz);
}

static void add_shape(cJSON *root, const engine_problem_t *problem) {
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "seq_q", problem->attention.rows);
  json_add_count(shape, "seq_kv", problem->attention.keys);
  json_add_count(shape, "head_dim", problem->attention.dk);
  cJSON_AddBoolToObject(shape, "causal", problem->causal);
  cJSON_AddBoolToObject(shape, "masked", problem->masked);
}

static void add_time(cJSON *root, const engine_run_t *run) {
  const engine_cycles_t *cycles = &run->cycles;
  json_add_count(root, "cycles", cycles->total);
  cJSON_AddNumberToObject(root, "time_us", run->kernel.result.time_us);
  json_add_count(root, "flops", run->kernel.result.flops);
  cJSON_AddNumberToObject(root, "fu", run->kernel.result.fu);
  json_add_count(root, "load_cycles", cycles->load);
  json_add_count(root, "groups", cycles->groups);
  json_add_count(root, "rows", cycles->rows);
  json_add_count(root, "keys", cycles->keys);
}

// An error that is no number, as one against an infinite output, becomes null.
static void add_error(cJSON *root, const engine_run_t *run) {
  char golden[96] = "fp64, untiled";
  if (run->kernel.result.judged == 0) {
    cJSON_AddNullToObject(root, "error");
    return;
  }
  cJSON *error = cJSON_AddObjectToObject(root, "error");
  cJSON_AddNumberToObject(error, "rel_fro", run->kernel.result.error.rel_fro);
  cJSON_AddNumberToObject(error, "mean_rel", run->mean_rel);
  cJSON_AddNumberToObject(error, "max_abs", run->kernel.result.error.max_abs);
  cJSON_AddNumberToObject(error, "cos_diff", run->kernel.result.error.cos_diff);
  if (run->kernel.result.error.absolute) {
    cJSON_AddTrueToObject(error, "absolute");
  }
  kernel_json_lost(error, &run->kernel.result.lost);
  if (run->kernel.result.judged != run->kernel.result.judged_of) {
    snprintf(golden, sizeof golden, "fp64, untiled, %zu of %zu rows", run->kernel.result.judged,
             run->kernel.result.judged_of);
  }
  cJSON_AddStringToObject(error, "golden", golden);
}

static void add_verify(cJSON *root, const engine_run_t *run) {
  if (!run->kernel.result.verified) {
    cJSON_AddNullToObject(root, "verify");
    return;
  }
  cJSON *verify = cJSON_AddObjectToObject(root, "verify");
  json_add_count(verify, "wrong_elements", run->kernel.result.wrong_bits);
  if (run->settings.rtl && !run->settings.shape.axi) {
    cJSON_AddBoolToObject(verify, "cycles_equal", !engine_cycles_differ(run));
  }
}

static void add_host(cJSON *root, const engine_run_t *run) {
  const engine_cycles_t *cycles = &run->cycles;
  cJSON *host = cJSON_AddObjectToObject(root, "host");
  cJSON_AddNumberToObject(host, "seconds", run->seconds);
  cJSON_AddNumberToObject(host, "processor_seconds", host_processor_seconds());
  json_add_count(host, "rtl_cycles", run->settings.rtl ? cycles->load + cycles->total : 0);
  json_add_count(host, "scalar_instructions", 0);
  cJSON_AddNumberToObject(host, "peak_rss_mb", host_peak_rss_mb());
}

void engine_json(const kernel_run_t *kernel, cJSON *root) {
  const engine_run_t *run = (const engine_run_t *)kernel;
  cJSON_AddStringToObject(root, "kernel", run->settings.kernel);
  add_config(root, &run->settings);
  kernel_json_data(root, run->problem.attention.source, &run->kernel.result);
  add_shape(root, &run->problem);
  cJSON_AddNumberToObject(root, "softmax_scale", (double)run->problem.attention.scale);
  add_time(root, run);
  json_add_count(root, "poisoned_rows", run->problem.poisoned_rows);
  kernel_json_energy(root, &run->priced, &run->kernel.result.soc);
  add_error(root, run);
  add_verify(root, run);
  add_host(root, run);
}
