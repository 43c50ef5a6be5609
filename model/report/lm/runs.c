// The language model's losses and texts, its attention by the engines' C golden.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "kernel/lm/lm_settings.h"
#include "base/json.h"
#include "llm/lm/lm_engine.h"
#include "report/lm/lm.h"

enum { PATH_BYTES = 4096, MESSAGE_BYTES = 4352 };

#define H_FA(P, table) \
  { .design = NUM_DESIGN_HFA, .hfa = {.corrected = (table)}, .blocks = (P) }
#define FA_2(P) \
  { .design = NUM_DESIGN_FA2, .blocks = (P) }
#define EXPMUL(P) \
  { .design = NUM_DESIGN_EXPMUL, .blocks = (P) }

const report_lm_kind_t report_lm_kinds[REPORT_LM_ROWS] = {
    {.name = "fp32", .text = "FP32", .writes = true},
    {.name = "fa2", .text = "FA-2", .engine = true, .it = FA_2(1)},
    {.name = "fa2", .text = "FA-2", .engine = true, .it = FA_2(4), .writes = true},
    {.name = "mitchell", .text = "H-FA", .engine = true, .it = H_FA(1, false)},
    {.name = "mitchell", .text = "H-FA", .engine = true, .it = H_FA(4, false), .writes = true},
    {.name = "corrected", .text = "H-FA corrected", .engine = true, .it = H_FA(1, true)},
    {.name = "corrected", .text = "H-FA corrected", .engine = true, .it = H_FA(4, true), .writes = true},
    {.name = "expmul", .text = "ExpMul", .engine = true, .it = EXPMUL(1)},
    {.name = "expmul", .text = "ExpMul", .engine = true, .it = EXPMUL(4), .writes = true},
};

const size_t report_lm_blocks[REPORT_LM_BLOCKS] = {1, 4};

// --- what computes ----------------------------------------------------------------------------

// engine: of report_lm_kinds[kind], for the model's heads and the report's machine.
static lm_backend_t backend(const report_lm_t *report, const lm_t *lm, size_t kind, lm_engine_t *engine) {
  if (!report_lm_kinds[kind].engine) {
    return (lm_backend_t){0};
  }
  *engine = (lm_engine_t){report_lm_kinds[kind].it, parallel_host_threads()};
  engine->engine.d = lm_shape(lm)->head_dim;
  engine->engine.rows = report->chunk[kind];
  return (lm_backend_t){.attend = lm_attend_engine, .attend_context = engine};
}

static bool out_of_memory(base_error_t *error) { return base_fail(error, "lm: out of memory"); }

// --- losses -----------------------------------------------------------------------------------

typedef struct losses {
  llm_text_t windows;
  float *logits;
  float *fp32[REPORT_LM_WINDOWS];
} losses_t;

static bool open_losses(const lm_t *lm, losses_t *losses, base_error_t *error) {
  char path[PATH_BYTES];
  const checkpoint_config_t *shape = lm_shape(lm);
  const size_t count = shape->max_position_embeddings * shape->vocab_size;
  const llm_vocab_t vocab = lm_vocab(shape);
  snprintf(path, sizeof path, "%s/tests/data/kjv_val.txt", config_home());
  if (!llm_text_read(path, &vocab, shape->max_position_embeddings, REPORT_LM_WINDOWS, &losses->windows, error)) {
    return false;
  }
  if (losses->windows.windows != REPORT_LM_WINDOWS) {
    return base_fail(error, "%s: %zu windows; expected %d", path, losses->windows.windows, REPORT_LM_WINDOWS);
  }
  losses->logits = malloc(count * sizeof *losses->logits);
  bool good = losses->logits != NULL;
  for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
    losses->fp32[i] = malloc(count * sizeof *losses->logits);
    good = good && losses->fp32[i] != NULL;
  }
  return good || out_of_memory(error);
}

static void close_losses(losses_t *losses) {
  llm_tokens_free(&losses->windows.tokens);
  free(losses->logits);
  for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
    free(losses->fp32[i]);
  }
}

// FP32's logits are kept, the others' overwritten by the next.
static bool fill_row(const lm_backend_t *backend, bool fp32, lm_t *lm, losses_t *losses, report_lm_row_t *row) {
  for (size_t i = 0; i < REPORT_LM_WINDOWS; ++i) {
    float *logits = fp32 ? losses->fp32[i] : losses->logits;
    if (report_interrupted() || !lm_window_logits(lm, &losses->windows, i, backend, logits)) {
      return false;
    }
    row->window[i] = lm_window_score(&losses->windows, i, lm_shape(lm)->vocab_size, logits, losses->fp32[i]);
    lm_score_add(&row->mean, &row->window[i]);
  }
  return true;
}

// --- texts ------------------------------------------------------------------------------------

static bool take_sample(const cJSON *sample, report_lm_prompt_t *prompt) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "prompt"));
  const char *greedy = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "greedy200"));
  if (text == NULL || greedy == NULL || text[0] == '\0' || strlen(text) >= sizeof prompt->prompt ||
      strlen(greedy) != REPORT_LM_TOKENS) {
    return false;
  }
  snprintf(prompt->prompt, sizeof prompt->prompt, "%s", text);
  for (size_t i = 0; i < REPORT_LM_TOKENS; ++i) {
    prompt->recorded[i] = (uint8_t)greedy[i];
  }
  return true;
}

static bool take_samples(const cJSON *root, report_lm_t *report) {
  const cJSON *samples = cJSON_GetObjectItem(root, "samples");
  bool good = cJSON_GetArraySize(samples) == REPORT_LM_PROMPTS;
  for (int i = 0; good && i < REPORT_LM_PROMPTS; ++i) {
    good = take_sample(cJSON_GetArrayItem(samples, i), &report->prompt[i]);
  }
  return good;
}

static bool read_prompts(report_lm_t *report, base_error_t *error) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/tests/data/kjv_lm_reference.json", config_home());
  cJSON *root = json_read(path);
  const bool good = take_samples(root, report);
  cJSON_Delete(root);
  return good || base_fail(error, "%s: expected %d samples with prompt and greedy200", path, REPORT_LM_PROMPTS);
}

static size_t same_bytes(const uint32_t *a, const uint32_t *b) {
  size_t same = 0;
  while (same < REPORT_LM_TOKENS && a[same] == b[same]) {
    ++same;
  }
  return same;
}

// gaps: FP32's, which writes first.
static bool write_text(const lm_backend_t *backend, lm_t *lm, size_t kind, double gaps[REPORT_LM_TOKENS],
                       report_lm_prompt_t *prompt) {
  report_lm_text_t *text = &prompt->by[kind];
  const llm_vocab_t vocab = lm_vocab(lm_shape(lm));
  base_error_t error;
  lm_generation_t g = {.tokens = REPORT_LM_TOKENS, .text = text->text, .gaps = kind == 0 ? gaps : NULL};
  const bool good =
      llm_tokens_from_text(prompt->prompt, "prompt", &vocab, &g.prompt, &error) && lm_generate(lm, backend, &g);
  llm_tokens_free(&g.prompt);
  if (!good) {
    return false;
  }
  text->same = same_bytes(prompt->by[0].text, text->text);
  text->gap = text->same < REPORT_LM_TOKENS ? gaps[text->same] : NAN;
  return true;
}

static bool write_texts(const report_context_t *context, report_lm_t *report, lm_t *lm, base_error_t *error) {
  double gaps[REPORT_LM_TOKENS];
  lm_engine_t engine;
  for (size_t i = 0; i < REPORT_LM_PROMPTS; ++i) {
    report_lm_prompt_t *prompt = &report->prompt[i];
    for (size_t kind = 0; kind < REPORT_LM_ROWS; ++kind) {
      const lm_backend_t what = backend(report, lm, kind, &engine);
      if (report_interrupted()) {
        return base_fail(error, "interrupted");
      }
      if (report_lm_kinds[kind].writes && !write_text(&what, lm, kind, gaps, prompt)) {
        return base_fail(error, "%s: out of memory", context->name);
      }
    }
    prompt->recorded_same = same_bytes(prompt->by[0].text, prompt->recorded);
  }
  return true;
}

// --- everything -------------------------------------------------------------------------------

// The kinds, the texts, the error's sources.
enum { STEPS = REPORT_LM_ROWS + 2 };

static bool fill_rows(const report_context_t *context, unsigned kinds, report_lm_t *report, lm_t *lm, losses_t *losses,
                      base_exit_t *code, base_error_t *error) {
  lm_engine_t engine;
  for (size_t i = 0; i < REPORT_LM_ROWS; ++i) {
    if ((kinds >> i & 1) == 0) {
      continue;
    }
    const report_lm_kind_t *kind = &report_lm_kinds[i];
    const lm_backend_t what = backend(report, lm, i, &engine);
    char step[64];
    snprintf(step, sizeof step, kind->engine ? "losses, %s, P %zu" : "losses, %s", kind->text, kind->it.blocks);
    if (!report_step(context, i + 1, STEPS, step, code, error)) {
      return false;
    }
    if (!fill_row(&what, i == 0, lm, losses, &report->row[i])) {
      return base_fail(error, report_interrupted() ? "interrupted" : "lm: out of memory");
    }
  }
  return true;
}

static bool fill_sources(report_lm_t *report, base_error_t *error) {
  report_queries_t queries;
  if (!report_queries_set(REPORT_LM, 0, &queries, error)) {
    return false;
  }
  bool good = report_mitchell_inputs(&queries, report->inputs, error);
  for (size_t i = 0; good && i < REPORT_LM_BLOCKS; ++i) {
    good = report_errors(&queries, report_lm_blocks[i], &report->errors[i], error);
  }
  report_queries_free(&queries);
  return good;
}

static bool fill_losses(const report_context_t *context, unsigned kinds, report_lm_t *report, lm_t *lm,
                        base_exit_t *code, base_error_t *error) {
  losses_t losses = {.logits = NULL};
  const bool good = open_losses(lm, &losses, error) && fill_rows(context, kinds, report, lm, &losses, code, error);
  close_losses(&losses);
  return good;
}

enum { ALL_KINDS = (1 << REPORT_LM_ROWS) - 1 };

static bool run(const report_context_t *context, report_lm_t *report, lm_t *lm, base_exit_t *code,
                base_error_t *error) {
  return read_prompts(report, error) && fill_losses(context, ALL_KINDS, report, lm, code, error) &&
         report_step(context, STEPS - 1, STEPS, "texts", code, error) && write_texts(context, report, lm, error) &&
         report_step(context, STEPS, STEPS, "sources of the error", code, error) && fill_sources(report, error);
}

static lm_t *open_model(report_lm_t *report, base_error_t *error) {
  char path[PATH_BYTES];
  char message[MESSAGE_BYTES];
  for (size_t i = 0; i < REPORT_LM_ROWS; ++i) {
    const size_t blocks = report_lm_kinds[i].it.blocks;
    report->chunk[i] = blocks == 0 ? 0 : lm_usual_chunk(report->rows, blocks);
  }
  snprintf(path, sizeof path, "%s/tests/data/kjv_lm_bf16.bin", config_home());
  lm_t *lm = lm_open(path, 0, message, sizeof message);
  if (lm == NULL) {
    base_fail(error, "%s", message);
  }
  return lm;
}

bool report_lm_losses(const report_context_t *context, unsigned kinds, report_lm_t *report, base_exit_t *code,
                      base_error_t *error) {
  lm_t *lm = open_model(report, error);
  const bool good = lm != NULL && fill_losses(context, kinds, report, lm, code, error);
  lm_close(lm);
  return good;
}

bool report_lm_run(const report_context_t *context, report_lm_t *report, base_exit_t *code, base_error_t *error) {
  lm_t *lm = open_model(report, error);
  const bool good = lm != NULL && run(context, report, lm, code, error);
  lm_close(lm);
  return good;
}
