// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "kernel/lm/lm_result.h"
#include "kernel/result.h"

// --- what was computed ------------------------------------------------------------------------

static void add_engine(cJSON *root, const lm_settings_t *settings) {
  const soc_options_t *soc = &settings->options.soc;
  if (settings->attention == LM_FP32) {
    cJSON_AddNullToObject(root, "engine");
    return;
  }
  cJSON *engine = cJSON_AddObjectToObject(root, "engine");
  cJSON_AddStringToObject(engine, "impl", soc->engine == SOC_ENGINE_RTL ? "rtl" : "c");
  json_add_count(engine, "engines", soc->config.soc.engines);
  json_add_count(engine, "blocks", soc->config.engine.blocks);
  json_add_count(engine, "queries", soc->config.engine.queries);
  json_add_count(engine, "rows", soc->config.engine.rows);
  json_add_count(engine, "chunk", settings->options.chunk);
  if (settings->attention == LM_HFA) {
    const num_hfa_t *hfa = &soc->engine_num.hfa;
    cJSON_AddStringToObject(engine, "lns", hfa->corrected ? "corrected" : "mitchell");
    cJSON_AddBoolToObject(engine, "zero_exact", hfa->zero_exact);
  }
  cJSON_AddNumberToObject(engine, "clock_mhz", soc->config.engine.clock_mhz);
}

static void add_shape(cJSON *root, const lm_result_t *result) {
  const lm_shape_t *s = result->shape;
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "dim", s->dim);
  json_add_count(shape, "hidden", s->hidden);
  json_add_count(shape, "layers", s->layers);
  json_add_count(shape, "heads", s->heads);
  json_add_count(shape, "kv_heads", s->kv_heads);
  json_add_count(shape, "head_dim", s->head_dim);
  json_add_count(shape, "vocab", s->vocab);
  json_add_count(shape, "context", s->context);
  if (result->windows > 0) {
    json_add_count(shape, "predictions", result->mean.predictions);
  } else {
    json_add_count(shape, "prompt_bytes", result->generation.prompt_bytes);
    json_add_count(shape, "tokens", result->generation.tokens);
  }
}

static void add_time(cJSON *root, const lm_result_t *result) {
  if (result->soc == NULL) {
    cJSON_AddNullToObject(root, "cycles");
    cJSON_AddNullToObject(root, "time_us");
    return;
  }
  const uint64_t cycles = lm_result_cycles(result);
  json_add_count(root, "cycles", cycles);
  cJSON_AddNumberToObject(root, "time_us",
                          (double)cycles / result->settings->options.soc.config.soc.clock_mhz);
}

static void fill_score(cJSON *object, const lm_score_t *score, const lm_score_t *fp32) {
  cJSON_AddNumberToObject(object, "nats_per_byte", score->loss);
  cJSON_AddNumberToObject(object, "argmax_agreement", lm_result_agreement(score));
  cJSON_AddNumberToObject(object, "fp32_nats_per_byte", fp32->loss);
}

static void add_scores(cJSON *root, const lm_result_t *result) {
  if (result->windows == 0) {
    cJSON_AddNullToObject(root, "nats_per_byte");
    cJSON_AddNullToObject(root, "argmax_agreement");
    cJSON_AddNullToObject(root, "fp32_nats_per_byte");
    cJSON_AddNullToObject(root, "windows");
    return;
  }
  fill_score(root, &result->mean, &result->fp32_mean);
  cJSON *windows = cJSON_AddArrayToObject(root, "windows");
  for (size_t i = 0; i < result->windows; ++i) {
    cJSON *window = json_add_row(windows);
    json_add_count(window, "predictions", result->scores[i].predictions);
    fill_score(window, &result->scores[i], &result->fp32[i]);
  }
}

static void add_generated(cJSON *root, const lm_result_t *result) {
  const lm_generation_t *g = &result->generation;
  if (result->windows > 0) {
    cJSON_AddNullToObject(root, "prompt");
    cJSON_AddNullToObject(root, "text");
    cJSON_AddNullToObject(root, "smallest_gap");
    cJSON_AddNullToObject(root, "smallest_gap_at");
    return;
  }
  json_add_bytes(root, "prompt", g->prompt, g->prompt_bytes);
  json_add_bytes(root, "text", g->text, g->tokens);
  cJSON_AddNumberToObject(root, "smallest_gap", g->gap);
  json_add_count(root, "smallest_gap_at", g->gap_at);
}

// --- where the cycles went --------------------------------------------------------------------

static void add_attention(cJSON *root, const lm_result_t *result) {
  cJSON *attention = cJSON_AddObjectToObject(root, "attention");
  const lm_arithmetic_t arithmetic = result->settings->attention;
  cJSON_AddStringToObject(attention, "arithmetic", lm_arithmetic_names[arithmetic]);
  json_add_count(attention, "tokens", result->tokens);
  if (arithmetic == LM_FP32) {
    cJSON_AddNullToObject(attention, "launches");
    cJSON_AddNullToObject(attention, "cycles");
    cJSON_AddNullToObject(attention, "cycles_per_token");
    cJSON_AddNullToObject(attention, "layers");
    return;
  }
  json_add_count(attention, "launches", result->books->launches);
  json_add_count(attention, "cycles", result->books->cycles);
  cJSON_AddNumberToObject(attention, "cycles_per_token", lm_result_cycles_per_token(result));
  cJSON *layers = cJSON_AddArrayToObject(attention, "layers");
  for (size_t i = 0; i < result->shape->layers; ++i) {
    cJSON_AddItemToArray(layers, cJSON_CreateNumber((double)result->books->layer_cycles[i]));
  }
}

static void add_gemm(cJSON *root, const lm_result_t *result) {
  cJSON *gemm = cJSON_AddObjectToObject(root, "gemm");
  cJSON_AddStringToObject(gemm, "where", result->settings->gemm_soc ? "soc" : "host");
  if (result->settings->gemm_soc) {
    json_add_count(gemm, "launches", result->books->gemm_launches);
    json_add_count(gemm, "cycles", result->books->gemm_cycles);
  } else {
    cJSON_AddNullToObject(gemm, "launches");
    cJSON_AddNullToObject(gemm, "cycles");
  }
}

static void add_soc(cJSON *root, const lm_result_t *result) {
  if (result->soc == NULL) {
    cJSON_AddNullToObject(root, "traffic");
    cJSON_AddNullToObject(root, "pipes");
  } else {
    kernel_json_traffic(root, result->soc);
    kernel_json_pipes(root, result->soc);
  }
  const soc_result_t none = {.status = SOC_DONE};
  cJSON *host = kernel_json_host(root, result->soc != NULL ? result->soc : &none);
  cJSON_AddNumberToObject(host, "run_seconds", result->seconds);
}

void lm_result_json(const lm_result_t *result, cJSON *root) {
  cJSON_AddStringToObject(root, "kernel", "lm");
  if (result->settings->machine) {
    kernel_json_config(root, &(kernel_machine_t){.config = result->settings->config,
                                                 .set = result->options->set.item,
                                                 .sets = result->options->set.count});
  } else {
    cJSON_AddNullToObject(root, "config");
  }
  add_engine(root, result->settings);
  add_shape(root, result);
  add_time(root, result);
  add_scores(root, result);
  add_attention(root, result);
  add_gemm(root, result);
  add_generated(root, result);
  add_soc(root, result);
}
