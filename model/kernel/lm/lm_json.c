// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "kernel/lm/lm_run.h"

// --- what was computed ------------------------------------------------------------------------

static void add_engine(cJSON *root, const lm_settings_t *settings) {
  const soc_options_t *soc = &settings->machine.soc;
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
  json_add_count(engine, "chunk", settings->chunk);
  if (settings->attention == LM_HFA) {
    const num_hfa_t *hfa = &soc->engine_num.hfa;
    cJSON_AddStringToObject(engine, "lns", hfa->corrected ? "corrected" : "mitchell");
    cJSON_AddBoolToObject(engine, "zero_exact", hfa->zero_exact);
  }
  cJSON_AddNumberToObject(engine, "clock_mhz", soc->config.engine.clock_mhz);
}

static void add_shape(cJSON *root, const lm_run_t *run) {
  const checkpoint_config_t *s = run->shape;
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "dim", s->hidden_size);
  json_add_count(shape, "hidden", s->intermediate_size);
  json_add_count(shape, "layers", s->num_hidden_layers);
  json_add_count(shape, "heads", s->num_attention_heads);
  json_add_count(shape, "kv_heads", s->num_key_value_heads);
  json_add_count(shape, "head_dim", s->head_dim);
  json_add_count(shape, "vocab", s->vocab_size);
  json_add_count(shape, "context", s->max_position_embeddings);
  if (run->windows > 0) {
    json_add_count(shape, "predictions", run->mean.predictions);
  } else {
    json_add_count(shape, "prompt_bytes", run->generation.prompt.count);
    json_add_count(shape, "tokens", run->generation.tokens);
  }
}

static void add_time(cJSON *root, const lm_run_t *run) {
  if (run->soc == NULL) {
    cJSON_AddNullToObject(root, "cycles");
    cJSON_AddNullToObject(root, "time_us");
    return;
  }
  const uint64_t cycles = lm_run_cycles(run);
  json_add_count(root, "cycles", cycles);
  cJSON_AddNumberToObject(root, "time_us", (double)cycles / run->request.settings.machine.soc.config.soc.clock_mhz);
}

static void fill_score(cJSON *object, const lm_score_t *score, const lm_score_t *fp32) {
  cJSON_AddNumberToObject(object, "nats_per_byte", score->loss);
  cJSON_AddNumberToObject(object, "argmax_agreement", lm_agreement(score));
  cJSON_AddNumberToObject(object, "fp32_nats_per_byte", fp32->loss);
}

static void add_lost(cJSON *root, const lm_run_t *run) {
  char first[48];
  const size_t rows = lm_lost(run, first);
  if (rows > 0) {
    cJSON *lost = cJSON_AddObjectToObject(root, "not_finite");
    json_add_count(lost, "rows", rows);
    cJSON_AddStringToObject(lost, "first", first);
    cJSON_AddStringToObject(lost, "from", lm_lost_from(run));
  }
}

static void add_scores(cJSON *root, const lm_run_t *run) {
  if (run->windows == 0) {
    cJSON_AddNullToObject(root, "nats_per_byte");
    cJSON_AddNullToObject(root, "argmax_agreement");
    cJSON_AddNullToObject(root, "fp32_nats_per_byte");
    cJSON_AddNullToObject(root, "windows");
    return;
  }
  fill_score(root, &run->mean, &run->fp32_mean);
  cJSON *windows = cJSON_AddArrayToObject(root, "windows");
  for (size_t i = 0; i < run->windows; ++i) {
    cJSON *window = json_add_row(windows);
    json_add_count(window, "predictions", run->scores[i].predictions);
    fill_score(window, &run->scores[i], &run->fp32[i]);
  }
}

static void add_generated(cJSON *root, const lm_run_t *run) {
  const lm_generation_t *g = &run->generation;
  if (run->windows > 0) {
    cJSON_AddNullToObject(root, "prompt");
    cJSON_AddNullToObject(root, "text");
    cJSON_AddNullToObject(root, "smallest_gap");
    cJSON_AddNullToObject(root, "smallest_gap_at");
    return;
  }
  llm_json_bytes(root, "prompt", g->prompt.list, g->prompt.count);
  llm_json_bytes(root, "text", g->text, g->tokens);
  cJSON_AddNumberToObject(root, "smallest_gap", g->gap);
  json_add_count(root, "smallest_gap_at", g->gap_at);
}

// --- where the cycles went --------------------------------------------------------------------

static void add_attention(cJSON *root, const lm_run_t *run) {
  cJSON *attention = cJSON_AddObjectToObject(root, "attention");
  const lm_arithmetic_t arithmetic = run->request.settings.attention;
  cJSON_AddStringToObject(attention, "arithmetic", lm_arithmetic_names[arithmetic]);
  json_add_count(attention, "tokens", run->tokens);
  if (arithmetic == LM_FP32) {
    cJSON_AddNullToObject(attention, "launches");
    cJSON_AddNullToObject(attention, "cycles");
    cJSON_AddNullToObject(attention, "cycles_per_token");
    cJSON_AddNullToObject(attention, "layers");
    return;
  }
  json_add_count(attention, "launches", run->books->launches);
  json_add_count(attention, "cycles", run->books->cycles);
  cJSON_AddNumberToObject(attention, "cycles_per_token", lm_run_cycles_per_token(run));
  cJSON *layers = cJSON_AddArrayToObject(attention, "layers");
  for (size_t i = 0; i < run->shape->num_hidden_layers; ++i) {
    cJSON_AddItemToArray(layers, cJSON_CreateNumber((double)run->books->layer_cycles[i]));
  }
}

static void add_gemm(cJSON *root, const lm_run_t *run) {
  cJSON *gemm = cJSON_AddObjectToObject(root, "gemm");
  cJSON_AddStringToObject(gemm, "where", run->request.settings.gemm_soc ? "soc" : "host");
  if (run->request.settings.gemm_soc) {
    json_add_count(gemm, "launches", run->books->gemm_launches);
    json_add_count(gemm, "cycles", run->books->gemm_cycles);
  } else {
    cJSON_AddNullToObject(gemm, "launches");
    cJSON_AddNullToObject(gemm, "cycles");
  }
}

static void add_soc(cJSON *root, const lm_run_t *run) {
  if (run->soc == NULL) {
    cJSON_AddNullToObject(root, "traffic");
    cJSON_AddNullToObject(root, "energy");
    cJSON_AddNullToObject(root, "pipes");
  } else {
    kernel_json_traffic(root, run->soc);
    kernel_json_energy(root, &run->request.settings.machine.soc.config, run->soc);
    kernel_json_pipes(root, run->soc);
  }
  const soc_result_t none = {.status = SOC_DONE};
  cJSON *host = kernel_json_host(root, run->soc != NULL ? run->soc : &none);
  cJSON_AddNumberToObject(host, "run_seconds", run->seconds);
}

void lm_json(const lm_run_t *run, cJSON *root) {
  const lm_settings_t *settings = &run->request.settings;
  cJSON_AddStringToObject(root, "kernel", "lm");
  if (lm_has_machine(settings)) {
    kernel_json_config(root, &settings->machine);
  } else {
    cJSON_AddNullToObject(root, "config");
  }
  add_engine(root, settings);
  add_shape(root, run);
  add_time(root, run);
  add_lost(root, run);
  add_scores(root, run);
  add_attention(root, run);
  add_gemm(root, run);
  add_generated(root, run);
  add_soc(root, run);
}
