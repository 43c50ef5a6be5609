// SPDX-License-Identifier: Apache-2.0
#include "kernel/lm/lm_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "llm/text/score.h"

enum { PATH_BYTES = 4096, MESSAGE_BYTES = 4352, USUAL_TOKENS = 200 };

static const char shipped_model[] = "tests/data/kjv_lm_bf16.bin";

lm_request_t lm_request(const kernel_machine_t *machine) {
  return (lm_request_t){.settings = {.attention = LM_HFA, .machine = *machine, .rtl = true}, .tokens = USUAL_TOKENS};
}

// --- before the run ---------------------------------------------------------------------------

static bool open_model(lm_run_t *run, base_error_t *error) {
  char path[PATH_BYTES];
  char message[MESSAGE_BYTES];
  const char *given = run->request.model;
  snprintf(path, sizeof path, "%s/%s", config_home(), shipped_model);
  if (!input_check(given != NULL ? given : path, error)) {
    return false;
  }
  run->lm = lm_open(given != NULL ? given : path, run->request.context, message, sizeof message);
  if (run->lm == NULL) {
    return base_fail(error, "%s", message);
  }
  run->model = given != NULL ? given : shipped_model;
  run->shape = lm_shape(run->lm);
  return !lm_has_machine(&run->request.settings) ||
         lm_settings_fit(&run->request.settings, run->shape, &run->options, error);
}

static bool prepare_windows(lm_run_t *run, base_error_t *error) {
  const checkpoint_config_t *shape = run->shape;
  const llm_vocab_t vocab = lm_vocab(shape);
  if (!llm_text_read(run->request.eval, &vocab, shape->max_position_embeddings, run->request.windows, &run->text,
                     error)) {
    return false;
  }
  const size_t logits = shape->max_position_embeddings * shape->vocab_size;
  run->windows = run->text.windows;
  run->scores = calloc(run->windows, sizeof *run->scores);
  run->fp32 = calloc(run->windows, sizeof *run->fp32);
  run->logits = malloc(logits * sizeof *run->logits);
  run->reference = malloc(logits * sizeof *run->reference);
  for (size_t i = 0; run->scores != NULL && i < run->windows; ++i) {
    run->scores[i].predictions = llm_window_predictions(&run->text, i);
  }
  return (run->scores != NULL && run->fp32 != NULL && run->logits != NULL && run->reference != NULL) ||
         base_fail(error, "out of memory");
}

static bool prepare_prompt(lm_run_t *run, base_error_t *error) {
  const lm_request_t *request = &run->request;
  const llm_vocab_t vocab = lm_vocab(run->shape);
  const size_t context = run->shape->max_position_embeddings;
  lm_generation_t *g = &run->generation;
  *g = (lm_generation_t){.tokens = request->tokens, .put = request->put, .put_context = request->context_of_these};
  if (!llm_tokens_from_text(request->prompt != NULL ? request->prompt : LM_SHIPPED_PROMPT, "--prompt", &vocab,
                            &g->prompt, error)) {
    return false;
  }
  if (g->prompt.count == 0) {
    return base_fail(error, "--prompt: empty; the first byte has to follow something");
  }
  if (g->prompt.count + g->tokens > context) {
    return base_fail(error, "--prompt of %zu bytes and --tokens %zu: the context has %zu; --context N makes it longer",
                     g->prompt.count, g->tokens, context);
  }
  g->text = malloc(g->tokens * sizeof *g->text);
  return g->text != NULL || base_fail(error, "out of memory");
}

bool lm_prepare(const lm_request_t *request, lm_run_t *run, base_error_t *error) {
  memset(run, 0, sizeof *run);
  run->request = *request;
  return open_model(run, error) && (request->eval != NULL ? prepare_windows(run, error) : prepare_prompt(run, error));
}

// --- the model's backend ----------------------------------------------------------------------

static void tell(const lm_run_t *run, double us) {
  if (run->request.step != NULL) {
    run->request.step(run->request.context_of_these, run->at_work, us);
  }
}

static void tell_cycles(void *context, uint64_t cycles, uint64_t flops) {
  const lm_run_t *run = context;
  (void)flops;
  tell(run, (double)cycles / run->options.soc.config.soc.clock_mhz);
}

static void note_lost(lm_run_t *run, const char *what, size_t layer, const float *x, size_t count) {
  if (run->lost_from[0] == '\0' && !llm_is_finite(x, count)) {
    snprintf(run->lost_from, sizeof run->lost_from, "%s of layer %zu", what, layer);
  }
}

// Counts and looks for Ctrl-C, then the engines or the host.
static bool attend(void *context, const lm_attention_t *a) {
  lm_run_t *run = context;
  const size_t hidden = run->shape->hidden_size, kv = run->shape->num_key_value_heads * run->shape->head_dim;
  if (host_interrupted()) {
    return false;
  }
  run->tokens += a->layer == 0 ? a->n : 0;
  note_lost(run, "queries", a->layer, a->q, a->n * hidden);
  note_lost(run, "keys", a->layer, a->k + a->first * kv, a->n * kv);
  note_lost(run, "values", a->layer, a->v + a->first * kv, a->n * kv);
  const bool good =
      run->request.settings.attention == LM_FP32 ? lm_attend_fp32(NULL, a) : lm_machine_attend(run->machine, a);
  if (good) {
    note_lost(run, "attention", a->layer, a->out, a->n * hidden);
  }
  return good;
}

static bool attend_reference(void *context, const lm_attention_t *attention) {
  (void)context;
  return !host_interrupted() && lm_attend_fp32(NULL, attention);
}

static lm_backend_t backend(lm_run_t *run) {
  return (lm_backend_t){.attend = attend,
                        .attend_context = run,
                        .multiply = run->request.settings.gemm_soc ? lm_machine_gemm : NULL,
                        .multiply_context = run->machine};
}

// --- a text -----------------------------------------------------------------------------------

static bool evaluate_window(lm_run_t *run, size_t index) {
  const size_t vocab = run->shape->vocab_size;
  const lm_backend_t machine = backend(run);
  const lm_backend_t host = {.attend = attend_reference};
  const bool both = lm_has_machine(&run->request.settings);
  const float *reference = both ? run->reference : run->logits;
  snprintf(run->at_work, sizeof run->at_work, "window %zu of %zu", index + 1, run->windows);
  tell(run, 0);
  if (!lm_window_logits(run->lm, &run->text, index, &machine, run->logits) ||
      (both && !lm_window_logits(run->lm, &run->text, index, &host, run->reference))) {
    return false;
  }
  run->scores[index] = lm_window_score(&run->text, index, vocab, run->logits, reference);
  run->fp32[index] = lm_window_score(&run->text, index, vocab, reference, reference);
  return true;
}

static bool evaluate(lm_run_t *run) {
  for (size_t i = 0; i < run->windows; ++i) {
    if (!evaluate_window(run, i)) {
      return false;
    }
    lm_score_add(&run->mean, &run->scores[i]);
    lm_score_add(&run->fp32_mean, &run->fp32[i]);
  }
  return true;
}

static bool generate(lm_run_t *run) {
  const lm_backend_t machine = backend(run);
  lm_generation_t *g = &run->generation;
  snprintf(run->at_work, sizeof run->at_work, "writing %zu bytes", g->tokens);
  if (run->request.begin != NULL) {
    run->request.begin(run->request.context_of_these, run);
  }
  return lm_generate(run->lm, &machine, g);
}

// --- the run ----------------------------------------------------------------------------------

static bool open_machine(lm_run_t *run, base_error_t *error) {
  const lm_settings_t *settings = &run->request.settings;
  if (!lm_has_machine(settings)) {
    return true;
  }
  run->options.soc.progress = tell_cycles;
  run->options.soc.progress_context = run;
  run->machine = lm_machine_open(&run->options, run->lm, settings->gemm_soc, error);
  return run->machine != NULL;
}

static base_exit_t fail(const lm_run_t *run, base_error_t *error) {
  if (host_interrupted()) {
    base_fail(error, "interrupted");
    return BASE_INTERRUPTED;
  }
  const soc_status_t status = run->machine == NULL ? SOC_DONE : lm_machine_status(run->machine, error);
  if (status == SOC_DONE) {
    base_fail(error, "out of memory");
    return BASE_BAD_INPUT;
  }
  return (base_exit_t)status;
}

base_exit_t lm_simulate(lm_run_t *run, base_error_t *error) {
  if (!open_machine(run, error)) {
    return BASE_BAD_INPUT;
  }
  host_hold_interrupts();
  const double start = host_seconds();
  const bool good = run->windows > 0 ? evaluate(run) : generate(run);
  run->seconds = host_seconds() - start;
  const base_exit_t code = good ? BASE_OK : fail(run, error);
  host_release_interrupts();
  if (run->machine != NULL) {
    run->books = lm_machine_books(run->machine);
    run->soc = lm_machine_result(run->machine);  // which writes the timeline
  }
  return code;
}

// --- after it ---------------------------------------------------------------------------------

uint64_t lm_run_cycles(const lm_run_t *run) { return run->books->cycles + run->books->gemm_cycles; }

double lm_run_cycles_per_token(const lm_run_t *run) { return (double)run->books->cycles / (double)run->tokens; }

double lm_agreement(const lm_score_t *score) { return (double)score->agree / (double)score->predictions; }

// What comes after the last attention is not looked at.
const char *lm_lost_from(const lm_run_t *run) {
  return run->lost_from[0] != '\0' ? run->lost_from : "operations behind the last attention";
}

size_t lm_lost(const lm_run_t *run, char first[48]) {
  if (run->windows == 0) {
    snprintf(first, 48, "byte %zu", run->generation.lost_at + 1);
    return run->generation.lost;
  }
  size_t window = 0;
  while (window + 1 < run->windows && run->scores[window].lost == 0) {
    ++window;
  }
  snprintf(first, 48, "window %zu", window + 1);
  return run->mean.lost;
}

base_exit_t lm_verdict(const lm_run_t *run, base_error_t *error) {
  char first[48];
  if (lm_lost(run, first) == 0 || run->request.allow_overflow) {
    return BASE_OK;
  }
  base_fail(error, "logits are not finite, first those of %s; infinities or NaNs begin with %s", first,
            lm_lost_from(run));
  return BASE_OUT_OF_TOLERANCE;
}

void lm_release(lm_run_t *run) {
  lm_machine_close(run->machine);
  lm_close(run->lm);
  llm_tokens_free(&run->text.tokens);
  llm_tokens_free(&run->generation.prompt);
  free(run->logits);
  free(run->reference);
  free(run->scores);
  free(run->fp32);
  free(run->generation.text);
}
