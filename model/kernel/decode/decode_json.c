// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "kernel/decode/decode.h"
#include "kernel/decode/decode_bound.h"

// --- what was computed ------------------------------------------------------------------------

static void add_model(cJSON *root, const decode_run_t *run) {
  const checkpoint_config_t *m = run->model;
  const decode_weights_list_t *weights = decode_machine_weights(run->machine);
  cJSON *model = cJSON_AddObjectToObject(root, "model");
  cJSON_AddStringToObject(model, "name", run->name);
  cJSON_AddBoolToObject(model, "random_weights", run->request.model.random);
  json_add_count(model, "layers", m->num_hidden_layers);
  json_add_count(model, "hidden_size", m->hidden_size);
  json_add_count(model, "heads", m->num_attention_heads);
  json_add_count(model, "vocab_size", m->vocab_size);
  json_add_count(model, "experts", m->n_routed_experts);
  json_add_count(model, "experts_here", weights->experts);
  json_add_count(model, "experts_per_token", m->n_routed_experts > 0 ? m->num_experts_per_tok : 0);
  json_add_count(model, "matrix_bytes", weights->matrix_bytes);
  if (m->skipped[0] != '\0') {
    cJSON_AddStringToObject(model, "skipped", m->skipped);
  }
}

// Weights or a past that are made up are drawn from the seed.
static void add_seed(cJSON *root, const decode_run_t *run) {
  cJSON_AddNumberToObject(root, "softmax_scale", (double)(float)checkpoint_score_scale(run->model));
  if (run->request.model.random || run->request.timing) {
    json_add_count(root, "seed", run->request.model.seed);
  } else {
    cJSON_AddNullToObject(root, "seed");
  }
}

static void add_settings(cJSON *root, const decode_run_t *run) {
  const decode_settings_t *s = &run->request.settings;
  cJSON_AddStringToObject(root, "attention", decode_attention_names[s->attention]);
  if (s->attention == DECODE_FP8) {
    cJSON_AddStringToObject(root, "fp8_scale", s->fp8_scale == NUM_FP8_SCALE_AMAX ? "amax" : "ue8m0");
  }
  if (s->cache_given) {
    cJSON_AddStringToObject(root, "kv_cache", decode_cache_names[s->cache]);
  }
  cJSON_AddStringToObject(root, "weights", decode_weights_names[s->weights]);
  if (s->weights == DECODE_W4A16) {
    cJSON_AddBoolToObject(root, "zero_points", s->zero_points);
  }
  cJSON_AddStringToObject(root, "launch", decode_launch_names[s->launch]);
  json_add_count(root, "mtp", s->mtp);
  json_add_count(root, "batch", run->request.batch);
  cJSON_AddBoolToObject(root, "timing_only", s->machine.soc.timing_only);
}

static void add_lost(cJSON *root, const decode_run_t *run) {
  if (run->lost > 0) {
    cJSON *lost = cJSON_AddObjectToObject(root, "not_finite");
    json_add_count(lost, "rows", run->lost);
    cJSON_AddStringToObject(lost, "first", run->lost_at);
    cJSON_AddStringToObject(lost, "from", decode_lost_from(run));
  }
}

static void add_loss(cJSON *root, const decode_run_t *run) {
  if (run->windows == 0 || run->request.settings.machine.soc.timing_only) {
    cJSON_AddNullToObject(root, "nats_per_token");
    cJSON_AddNullToObject(root, "nats_by_window");
    return;
  }
  cJSON_AddNumberToObject(root, "nats_per_token", run->mean_loss);
  cJSON *windows = cJSON_AddArrayToObject(root, "nats_by_window");
  for (size_t i = 0; i < run->windows; ++i) {
    cJSON_AddItemToArray(windows, cJSON_CreateNumber(run->loss[i]));
  }
}

static void add_numbers(cJSON *root, const char *name, const uint32_t *tokens, size_t count) {
  cJSON *list = cJSON_AddArrayToObject(root, name);
  for (size_t i = 0; i < count; ++i) {
    cJSON_AddItemToArray(list, cJSON_CreateNumber(tokens[i]));
  }
}

// What tokens of a tokenizer stand for.
static void add_text(cJSON *root, const char *name, const decode_run_t *run, const uint32_t *tokens, size_t count) {
  uint8_t *bytes = malloc(count * LLM_TOKEN_BYTES + 1);
  size_t used = 0;
  for (size_t i = 0; bytes != NULL && i < count; ++i) {
    used += llm_tokenizer_bytes(run->tokenizer, tokens[i], (char *)bytes + used);
  }
  if (bytes != NULL) {
    json_add_bytes(root, name, bytes, used);
  }
  free(bytes);
}

static void add_sampling(cJSON *root, const decode_run_t *run) {
  const llm_sampling_t *s = &run->request.sampling;
  if (run->candidates != NULL) {
    cJSON *object = cJSON_AddObjectToObject(root, "sampling");
    cJSON_AddNumberToObject(object, "temperature", s->temperature);
    json_add_count(object, "top_k", s->top_k);
    cJSON_AddNumberToObject(object, "top_p", s->top_p);
    json_add_count(object, "seed", run->request.model.seed);
  }
}

static void add_prompts(cJSON *root, const decode_run_t *run) {
  cJSON *prompts = run->prompts > 1 ? cJSON_AddArrayToObject(root, "prompts") : NULL;
  for (size_t i = 0; prompts != NULL && i < run->prompts; ++i) {
    cJSON *row = json_add_row(prompts);
    json_add_count(row, "length", decode_prompt_length(run, i));
    add_numbers(row, "tokens", run->written + i * run->request.tokens, run->request.tokens);
  }
}

static void add_written(cJSON *root, const decode_run_t *run) {
  if (run->written == NULL) {
    return;
  }
  add_sampling(root, run);
  if (run->vocab.bytes) {
    llm_json_bytes(root, "prompt", run->text.list, decode_prompt_length(run, 0));
    llm_json_bytes(root, "text", run->written, run->request.tokens);
  } else {
    add_numbers(root, "prompt_tokens", run->text.list, decode_prompt_length(run, 0));
  }
  if (run->tokenizer != NULL) {
    add_text(root, "prompt", run, run->text.list, decode_prompt_length(run, 0));
    add_text(root, "text", run, run->written, run->request.tokens);
  }
  add_numbers(root, "tokens", run->written, run->request.tokens);
  add_prompts(root, run);
  cJSON_AddNumberToObject(root, "smallest_gap", run->gap);
  json_add_count(root, "smallest_gap_at", run->gap_at);
}

// --- where the cycles went --------------------------------------------------------------------

static void add_steps(cJSON *root, const char *name, const decode_books_t *books) {
  cJSON *steps = cJSON_AddObjectToObject(root, name);
  json_add_count(steps, "steps", books->steps);
  json_add_count(steps, "tokens", books->tokens);
  json_add_count(steps, "launches", books->launches);
  json_add_count(steps, "cycles", books->cycles);
  json_add_count(steps, "launch_cycles", books->launch_cycles);
}

// The mean of all steps of that kind.
static void add_operation(cJSON *list, const decode_run_t *run, const decode_op_t *op, const decode_sums_t *sums) {
  const double steps = (double)decode_main_books(run)->steps;
  cJSON *row = json_add_row(list);
  cJSON_AddStringToObject(row, "name", op->name);
  if (op->layer == LLM_NO_LAYER) {
    cJSON_AddNullToObject(row, "layer");
  } else {
    json_add_count(row, "layer", op->layer);
  }
  cJSON_AddNumberToObject(row, "cycles", (double)sums->cycles / steps);
  cJSON_AddNumberToObject(row, "hbm_read", (double)sums->hbm_read / steps);
  cJSON_AddNumberToObject(row, "l2_read", (double)sums->l2_read / steps);
  cJSON_AddNumberToObject(row, "flop", sums->flop / steps);
  cJSON_AddStringToObject(row, "bound", decode_bound(&run->request.settings.machine.soc.config, sums).name);
}

static void add_time(cJSON *root, const decode_run_t *run) {
  const decode_books_t *books = decode_main_books(run);
  const decode_list_t *list = decode_machine_list(run->machine);
  json_add_count(root, "cycles", run->cycles);
  cJSON_AddNumberToObject(root, "step_cycles", books->steps == 0 ? 0 : (double)books->cycles / (double)books->steps);
  cJSON_AddNumberToObject(root, "step_us", decode_step_us(run));
  cJSON_AddNumberToObject(root, "tokens_per_second", decode_tokens_per_second(run));
  json_add_count(root, "launches", run->prefill.launches + run->decode.launches);
  add_steps(root, "prefill", &run->prefill);
  add_steps(root, "decode", &run->decode);
  cJSON *operations = cJSON_AddArrayToObject(root, "operations");
  size_t number = 0;  // of parts of a step the first one alone
  for (size_t i = 0; books->steps > 0 && i < list->count; ++i) {
    if (list->ops[i].number == number) {
      add_operation(operations, run, &list->ops[i], &decode_machine_sums(run->machine)[number++]);
    }
  }
}

// --- what was compared ------------------------------------------------------------------------

static void add_verify(cJSON *root, const decode_run_t *run) {
  static const char *const names[] = {
#define STEP_OP(NAME, name, cores, text) #name,
#include "kernels/step/step_ops.def"
#undef STEP_OP
  };
  if (run->verify == NULL) {
    cJSON_AddNullToObject(root, "verify");
    return;
  }
  cJSON *verify = cJSON_AddObjectToObject(root, "verify");
  for (size_t op = 0; op < STEP_OPS; ++op) {
    const decode_verified_t *found = decode_verify_found(run->verify, (enum step_op)op);
    if (found->operations > 0) {
      cJSON *of_op = cJSON_AddObjectToObject(verify, names[op]);
      json_add_count(of_op, "operations", found->operations);
      json_add_count(of_op, "elements", found->elements);
      json_add_count(of_op, "wrong", found->wrong);
    }
  }
}

static void add_check(cJSON *root, const decode_run_t *run) {
  size_t differ, of;
  if (run->check == NULL) {
    cJSON_AddNullToObject(root, "check");
    return;
  }
  cJSON *check = cJSON_AddObjectToObject(root, "check");
  cJSON_AddNumberToObject(check, "tolerance", decode_tolerance(run));
  decode_check_choices(run->check, &differ, &of);
  json_add_count(check, "choices", of);
  json_add_count(check, "choices_differ", differ);
  cJSON *stages = cJSON_AddArrayToObject(check, "stages");
  for (size_t i = 0; i < decode_check_count(run->check); ++i) {
    const decode_stage_t stage = decode_check_stage(run->check, i);
    cJSON *row = json_add_row(stages);
    cJSON_AddStringToObject(row, "operation", stage.name);
    cJSON_AddStringToObject(row, "stage", stage.stage);
    if (stage.layer == LLM_NO_LAYER) {
      cJSON_AddNullToObject(row, "layer");
    } else {
      json_add_count(row, "layer", stage.layer);
    }
    cJSON_AddNumberToObject(row, "error", stage.error);
    json_add_count(row, "rows", stage.rows);
  }
}

void decode_json(const decode_run_t *run, cJSON *root) {
  kernel_json_head(root, "decode", &run->request.settings.machine);
  json_add_count(root, "cores", run->request.settings.machine.soc.config.soc.ai_cores);
  add_model(root, run);
  add_seed(root, run);
  add_settings(root, run);
  add_lost(root, run);
  add_loss(root, run);
  add_written(root, run);
  add_time(root, run);
  add_verify(root, run);
  add_check(root, run);
  kernel_json_traffic(root, run->soc);
  kernel_json_energy(root, &run->request.settings.machine.soc.config, run->soc);
  kernel_json_pipes(root, run->soc);
  kernel_json_guards(root, run->soc);
  cJSON *host = kernel_json_host(root, run->soc);
  cJSON_AddNumberToObject(host, "load_seconds", run->load_seconds);
  cJSON_AddNumberToObject(host, "run_seconds", run->seconds);
}
