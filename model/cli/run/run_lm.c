// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_lm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/recording.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "kernel/lm/lm_result.h"

enum { PATH_BYTES = 1024, MESSAGE_BYTES = 1280, USUAL_TOKENS = 200, STEP_BYTES = 64 };

static const char shipped_model[] = "tests/data/kjv_lm_bf16.bin";

#define SHIPPED_PROMPT "In the beginning "

typedef struct lm_run {
  run_t *run;
  lm_settings_t settings;
  lm_t *lm;
  lm_machine_t *machine;   // NULL: none
  lm_windows_t windows;    // of --eval
  lm_result_t result;
  float *logits, *reference;   // [context,vocab] each, of --eval
  char step[STEP_BYTES];   // what is at work, for the progress
  bool streams;            // text goes to a terminal as it comes
} lm_run_t;

// --- before the run ---------------------------------------------------------------------------

static bool check_options(const options_t *options, base_error_t *error) {
  if (options->eval != NULL && options->prompt != NULL) {
    return base_fail(error, "--eval, --prompt: only one of them");
  }
  if (options->windows.given && options->eval == NULL) {
    return base_fail(error, "--windows: needs --eval");
  }
  if (options->tokens.given && options->prompt == NULL) {
    return base_fail(error, "--tokens: needs --prompt");
  }
  return options->prompt == NULL || options->prompt[0] != '\0' ||
         base_fail(error, "--prompt: empty; the first byte has to follow something");
}

static bool open_model(lm_run_t *own) {
  char path[PATH_BYTES];
  char message[MESSAGE_BYTES];
  const char *given = own->result.options->model;
  snprintf(path, sizeof path, "%s/%s", config_home(), shipped_model);
  own->lm = lm_open(given != NULL ? given : path, option_count_or(&own->result.options->context, 0),
                    message, sizeof message);
  if (own->lm == NULL) {
    return base_fail(&own->run->error, "%s", message);
  }
  own->result.model = given != NULL ? given : shipped_model;
  own->result.shape = lm_shape(own->lm);
  return lm_settings_fit(&own->settings, own->result.shape, &own->run->error);
}

static bool prepare_windows(lm_run_t *own) {
  lm_result_t *result = &own->result;
  const lm_shape_t *shape = result->shape;
  const options_t *options = result->options;
  if (!lm_windows_read(options->eval, shape, option_count_or(&options->windows, 0), &own->windows,
                       &own->run->error)) {
    return false;
  }
  const size_t logits = shape->context * shape->vocab;
  result->text = options->eval;
  result->windows = own->windows.windows;
  result->scores = calloc(result->windows, sizeof *result->scores);
  result->fp32 = calloc(result->windows, sizeof *result->fp32);
  own->logits = malloc(logits * sizeof *own->logits);
  own->reference = malloc(logits * sizeof *own->reference);
  for (size_t i = 0; result->scores != NULL && i < result->windows; ++i) {
    result->scores[i].predictions = lm_windows_at(&own->windows, i).predictions;
  }
  return (result->scores != NULL && result->fp32 != NULL && own->logits != NULL &&
          own->reference != NULL) ||
         base_fail(&own->run->error, "out of memory");
}

static void put_byte(void *context, uint8_t byte) {
  const lm_run_t *own = context;
  if (own->streams) {
    putchar(byte);
    fflush(stdout);
  }
}

static bool check_prompt(const lm_generation_t *g, const lm_shape_t *shape, base_error_t *error) {
  for (size_t i = 0; i < g->prompt_bytes; ++i) {
    if (g->prompt[i] >= shape->vocab) {
      return base_fail(error, "--prompt: byte %zu is %u; the model knows 0 to %zu", i, g->prompt[i],
                       shape->vocab - 1);
    }
  }
  return g->prompt_bytes + g->tokens <= shape->context ||
         base_fail(error,
                   "--prompt of %zu bytes and --tokens %zu: the context has %zu; --context N "
                   "makes it longer",
                   g->prompt_bytes, g->tokens, shape->context);
}

static bool prepare_prompt(lm_run_t *own) {
  const options_t *options = own->result.options;
  const char *prompt = options->prompt != NULL ? options->prompt : SHIPPED_PROMPT;
  lm_generation_t *g = &own->result.generation;
  *g = (lm_generation_t){.prompt = (const uint8_t *)prompt,
                         .prompt_bytes = strlen(prompt),
                         .tokens = option_count_or(&options->tokens, USUAL_TOKENS),
                         .put = put_byte,
                         .put_context = own};
  if (!check_prompt(g, own->result.shape, &own->run->error)) {
    return false;
  }
  own->streams = !options->quiet && isatty(STDOUT_FILENO) != 0;
  g->text = malloc(g->tokens);
  return g->text != NULL || base_fail(&own->run->error, "out of memory");
}

static bool prepare(run_t *run) {
  lm_run_t *own = run->own;
  const options_t *options = &run->options;
  own->run = run;
  own->result.options = options;
  own->result.settings = &own->settings;
  return check_options(options, &run->error) &&
         lm_settings_read(&own->settings, options, &run->error) &&
         recording_soc(run, &own->settings.options.soc, &run->error) && open_model(own) &&
         (options->eval != NULL ? prepare_windows(own) : prepare_prompt(own));
}

// --- the model's backend ----------------------------------------------------------------------

static void tell_step(void *context, uint64_t cycles, uint64_t flops) {
  const lm_run_t *own = context;
  char text[STEP_BYTES + 48];
  (void)flops;
  snprintf(text, sizeof text, "%s; %.0f us simulated", own->step,
           (double)cycles / own->settings.options.soc.config.soc.clock_mhz);
  progress_late_note(&own->run->progress, text);
}

// Counts and looks for Ctrl-C, then the engines or the host.
static bool attend(void *context, const lm_attention_t *attention) {
  lm_run_t *own = context;
  if (host_interrupted()) {
    return false;
  }
  own->result.tokens += attention->layer == 0 ? attention->n : 0;
  return own->settings.attention == LM_FP32 ? lm_attend_fp32(NULL, attention)
                                            : lm_machine_attend(own->machine, attention);
}

static bool attend_reference(void *context, const lm_attention_t *attention) {
  (void)context;
  return !host_interrupted() && lm_attend_fp32(NULL, attention);
}

static lm_backend_t backend(lm_run_t *own) {
  return (lm_backend_t){.attend = attend,
                        .attend_context = own,
                        .multiply = own->settings.gemm_soc ? lm_machine_gemm : NULL,
                        .multiply_context = own->machine};
}

// --- a text -----------------------------------------------------------------------------------

static bool evaluate_window(lm_run_t *own, size_t index) {
  const lm_window_t window = lm_windows_at(&own->windows, index);
  const size_t vocab = own->result.shape->vocab;
  const lm_backend_t machine = backend(own);
  const lm_backend_t host = {.attend = attend_reference};
  const float *reference = own->settings.machine ? own->reference : own->logits;
  snprintf(own->step, sizeof own->step, "window %zu of %zu", index + 1, own->result.windows);
  progress_late_note(&own->run->progress, own->step);
  if (!lm_window_logits(own->lm, &window, &machine, own->logits) ||
      (own->settings.machine &&
       !lm_window_logits(own->lm, &window, &host, own->reference))) {
    return false;
  }
  own->result.scores[index] = lm_window_score(&window, vocab, own->logits, reference);
  own->result.fp32[index] = lm_window_score(&window, vocab, reference, reference);
  return true;
}

static bool evaluate(lm_run_t *own) {
  lm_result_t *result = &own->result;
  for (size_t i = 0; i < result->windows; ++i) {
    if (!evaluate_window(own, i)) {
      return false;
    }
    lm_score_add(&result->mean, &result->scores[i]);
    lm_score_add(&result->fp32_mean, &result->fp32[i]);
  }
  return true;
}

static bool generate(lm_run_t *own) {
  const lm_backend_t machine = backend(own);
  lm_generation_t *g = &own->result.generation;
  if (own->streams) {
    progress_note(&own->run->progress, "");
    own->run->progress.enabled = false;   // both would write to the same line
    lm_result_text_head(stdout, &own->result);
    fwrite(g->prompt, 1, g->prompt_bytes, stdout);
    fflush(stdout);
  }
  snprintf(own->step, sizeof own->step, "writing %zu bytes", g->tokens);
  const bool good = lm_generate(own->lm, &machine, g);
  if (own->streams) {
    putchar('\n');
  }
  return good;
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t open_machine(lm_run_t *own) {
  lm_machine_options_t *options = &own->settings.options;
  if (!own->settings.machine) {
    return BASE_OK;
  }
  options->soc.building = run_building;
  options->soc.progress = tell_step;
  options->soc.progress_context = own;
  own->machine = lm_machine_open(options, own->lm, own->settings.gemm_soc, &own->run->error);
  return own->machine != NULL ? BASE_OK : BASE_BAD_INPUT;
}

static bool evaluate_or_generate(lm_run_t *own) {
  host_hold_interrupts();
  const bool good = own->result.options->eval != NULL ? evaluate(own) : generate(own);
  host_release_interrupts();
  return good;
}

static base_exit_t fail(lm_run_t *own) {
  base_error_t *error = &own->run->error;
  if (host_interrupted()) {
    base_fail(error, "interrupted");
    return BASE_INTERRUPTED;
  }
  const soc_status_t status =
      own->machine == NULL ? SOC_DONE : lm_machine_status(own->machine, error);
  if (status == SOC_DONE) {
    base_fail(error, "out of memory");
    return BASE_BAD_INPUT;
  }
  return (base_exit_t)status;
}

static base_exit_t compute(run_t *run) {
  lm_run_t *own = run->own;
  const base_exit_t opened = open_machine(own);
  if (opened != BASE_OK) {
    return opened;
  }
  progress_start(&run->progress, run->options.quiet, 0, 1);
  const double start = host_seconds();
  const bool good = evaluate_or_generate(own);
  own->result.seconds = host_seconds() - start;
  const base_exit_t status = good ? BASE_OK : fail(own);
  if (own->machine != NULL) {
    own->result.books = lm_machine_books(own->machine);
    own->result.soc = lm_machine_result(own->machine);   // which writes the timeline
  }
  return status;
}

// --- what came of it --------------------------------------------------------------------------

static void fill_json(const run_t *run, cJSON *root) {
  const lm_run_t *own = run->own;
  lm_result_json(&own->result, root);
}

static void print(const run_t *run) {
  const lm_run_t *own = run->own;
  if (!own->streams) {
    lm_result_text_head(stdout, &own->result);
    lm_result_text_generated(stdout, &own->result);
  }
  lm_result_text(stdout, &own->result);
}

static void release(run_t *run) {
  lm_run_t *own = run->own;
  lm_machine_close(own->machine);
  lm_close(own->lm);
  lm_windows_free(&own->windows);
  free(own->logits);
  free(own->reference);
  free(own->result.scores);
  free(own->result.fp32);
  free(own->result.generation.text);
}

static const manual_row_t files[] = {
    {"tests/data/kjv_*", "the shipped model and text"},
    {"model/config/engines.yaml", "the usual machine: four engines beside an AI core"},
    {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run lm", "lets the shipped model write"},
    {"run lm --prompt 'And God said unto Moses, ' --tokens 300 --lns corrected", "with better additions"},
    {"run lm --eval tests/data/kjv_val.txt --windows 1", "loss on held-out text, beside FP32's"},
    {"run lm --impl c --gemm soc", "products on the cube core, too"},
    {NULL, NULL}};

const run_kernel_t run_lm = {
    .name = "lm",
    .command = CLI_RUN_LM,
    .about = "a byte-level language model with its attention on the SoC's attention engines. Of the "
             "Llama architecture; its loss on a text (--eval), or the text it writes (--prompt).",
    .notes = "The text is cut into windows of context + 1 bytes, each predicted from a fresh start. "
             "Writing takes the\nbest byte each time. The model in FP32 on the host stands beside "
             "every loss. Without --eval and --prompt\nthe model continues \"" SHIPPED_PROMPT
             "\".\nexit codes: 0 done, 2 bad usage or input, 3 the model stopped the firmware, 130 "
             "interrupted",
    .examples = examples,
    .files = files,
    .own_bytes = sizeof(lm_run_t),
    .prepare = prepare,
    .compute = compute,
    .fill_json = fill_json,
    .print = print,
    .release = release,
};
