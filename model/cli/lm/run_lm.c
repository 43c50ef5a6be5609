// SPDX-License-Identifier: Apache-2.0
#include "cli/lm/run_lm.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/file/output.h"
#include "cli/lm/lm_result.h"
#include "cli/run/progress.h"

enum { PATH_BYTES = 1024, MESSAGE_BYTES = 1280, USUAL_TOKENS = 200, STEP_BYTES = 64 };

static const char shipped_model[] = "tests/data/kjv_lm_bf16.bin";
static const char shipped_prompt[] = "In the beginning ";

// Everything of one run.
typedef struct run {
  options_t options;
  lm_settings_t settings;
  lm_t *lm;
  lm_machine_t *machine;   // NULL: none
  lm_windows_t windows;    // of --eval
  lm_result_t result;
  float *logits, *reference;   // [context,vocab] each, of --eval
  outputs_t outputs;
  size_t json, timeline;   // valid where the option was given
  char step[STEP_BYTES];   // what is at work, for the progress
  bool streams;            // text goes to a terminal as it comes
  cli_error_t error;
} run_t;

// soc_options_t's building has no context.
static progress_t progress;

static void building(const char *what) { progress_note(&progress, what); }

static void print_help(void) {
  printf("amalgam run lm [options]: a byte-level language model of the Llama architecture, its "
         "attention on the\nSoC's attention engines; its loss on a text (--eval), or the text it "
         "writes (--prompt).\n");
  options_help(stdout, CLI_RUN_LM);
  printf(
      "\nThe text is cut into windows of context + 1 bytes, each predicted from a fresh start. "
      "Writing takes the\nbest byte each time. The model in FP32 on the host stands beside every "
      "loss. Without --eval and --prompt\nthe model continues \"%s\".\nexit codes: 0 done, 2 bad "
      "usage or input, 3 the model stopped the firmware, 130 interrupted\n", shipped_prompt);
}

// --- before the run ---------------------------------------------------------------------------

static bool check_options(const options_t *options, cli_error_t *error) {
  if (options->words > 0) {
    return cli_fail(error, "run lm: unexpected argument '%s'", options->word[0]);
  }
  if (options->eval != NULL && options->prompt != NULL) {
    return cli_fail(error, "--eval, --prompt: only one of them");
  }
  if (options->windows.given && options->eval == NULL) {
    return cli_fail(error, "--windows: needs --eval");
  }
  if (options->tokens.given && options->prompt == NULL) {
    return cli_fail(error, "--tokens: needs --prompt");
  }
  return options->prompt == NULL || options->prompt[0] != '\0' ||
         cli_fail(error, "--prompt: empty; the first byte has to follow something");
}

static bool open_model(run_t *run) {
  char path[PATH_BYTES];
  char message[MESSAGE_BYTES];
  const char *given = run->options.model;
  snprintf(path, sizeof path, "%s/%s", config_home(), shipped_model);
  run->lm = lm_open(given != NULL ? given : path, option_count_or(&run->options.context, 0),
                    message, sizeof message);
  if (run->lm == NULL) {
    return cli_fail(&run->error, "%s", message);
  }
  run->result.model = given != NULL ? given : shipped_model;
  run->result.shape = lm_shape(run->lm);
  return lm_settings_fit(&run->settings, run->result.shape, &run->error);
}

static bool prepare_windows(run_t *run) {
  lm_result_t *result = &run->result;
  const lm_shape_t *shape = result->shape;
  if (!lm_windows_read(run->options.eval, shape, option_count_or(&run->options.windows, 0),
                       &run->windows, &run->error)) {
    return false;
  }
  const size_t logits = shape->context * shape->vocab;
  result->text = run->options.eval;
  result->windows = run->windows.windows;
  result->scores = calloc(result->windows, sizeof *result->scores);
  result->fp32 = calloc(result->windows, sizeof *result->fp32);
  run->logits = malloc(logits * sizeof *run->logits);
  run->reference = malloc(logits * sizeof *run->reference);
  for (size_t i = 0; result->scores != NULL && i < result->windows; ++i) {
    result->scores[i].predictions = lm_windows_at(&run->windows, i).predictions;
  }
  return (result->scores != NULL && result->fp32 != NULL && run->logits != NULL &&
          run->reference != NULL) || cli_fail(&run->error, "out of memory");
}

static void put_byte(void *context, uint8_t byte) {
  const run_t *run = context;
  if (run->streams) {
    putchar(byte);
    fflush(stdout);
  }
}

static bool check_prompt(const lm_generation_t *g, const lm_shape_t *shape, cli_error_t *error) {
  for (size_t i = 0; i < g->prompt_bytes; ++i) {
    if (g->prompt[i] >= shape->vocab) {
      return cli_fail(error, "--prompt: byte %zu is %u; the model knows 0 to %zu", i, g->prompt[i],
                      shape->vocab - 1);
    }
  }
  return g->prompt_bytes + g->tokens <= shape->context ||
         cli_fail(error, "--prompt of %zu bytes and --tokens %zu: the context has %zu; --context N "
                         "makes it longer", g->prompt_bytes, g->tokens, shape->context);
}

static bool prepare_prompt(run_t *run) {
  const char *prompt = run->options.prompt != NULL ? run->options.prompt : shipped_prompt;
  lm_generation_t *g = &run->result.generation;
  *g = (lm_generation_t){.prompt = (const uint8_t *)prompt,
                         .prompt_bytes = strlen(prompt),
                         .tokens = option_count_or(&run->options.tokens, USUAL_TOKENS),
                         .put = put_byte,
                         .put_context = run};
  if (!check_prompt(g, run->result.shape, &run->error)) {
    return false;
  }
  run->streams = !run->options.quiet && isatty(STDOUT_FILENO) != 0;
  g->text = malloc(g->tokens);
  return g->text != NULL || cli_fail(&run->error, "out of memory");
}

static bool prepare(run_t *run) {
  const options_t *options = &run->options;
  return check_options(options, &run->error) &&
         lm_settings_read(&run->settings, options, &run->error) &&
         (options->json == NULL ||
          outputs_add(&run->outputs, options->json, &run->json, &run->error)) &&
         (options->timeline == NULL ||
          outputs_add(&run->outputs, options->timeline, &run->timeline, &run->error)) &&
         open_model(run) && (options->eval != NULL ? prepare_windows(run) : prepare_prompt(run));
}

// --- Ctrl-C -----------------------------------------------------------------------------------

static volatile sig_atomic_t stop;

static void on_interrupt(int signal) {
  (void)signal;
  stop = 1;
}

// The machine catches SIGINT itself while it runs.
static void catch_interrupts(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// --- the model's backend ----------------------------------------------------------------------

static void tell_step(void *context, uint64_t cycles, uint64_t flops) {
  const run_t *run = context;
  char text[STEP_BYTES + 48];
  (void)flops;
  snprintf(text, sizeof text, "%s; %.0f us simulated", run->step,
           (double)cycles / run->settings.options.soc.config.soc.clock_mhz);
  progress_late_note(&progress, text);
}

// Counts and looks for Ctrl-C, then the engines or the host.
static bool attend(void *context, const lm_attention_t *attention) {
  run_t *run = context;
  if (stop != 0) {
    return false;
  }
  run->result.tokens += attention->layer == 0 ? attention->n : 0;
  return run->settings.attention == LM_FP32 ? lm_attend_fp32(NULL, attention)
                                            : lm_machine_attend(run->machine, attention);
}

static bool attend_reference(void *context, const lm_attention_t *attention) {
  (void)context;
  return stop == 0 && lm_attend_fp32(NULL, attention);
}

static lm_backend_t backend(run_t *run) {
  return (lm_backend_t){.attend = attend,
                        .attend_context = run,
                        .multiply = run->settings.gemm_soc ? lm_machine_gemm : NULL,
                        .multiply_context = run->machine};
}

// --- a text -----------------------------------------------------------------------------------

static bool evaluate_window(run_t *run, size_t index) {
  const lm_window_t window = lm_windows_at(&run->windows, index);
  const size_t vocab = run->result.shape->vocab;
  const lm_backend_t machine = backend(run);
  const lm_backend_t host = {.attend = attend_reference};
  const float *reference = run->settings.machine ? run->reference : run->logits;
  snprintf(run->step, sizeof run->step, "window %zu of %zu", index + 1, run->result.windows);
  progress_late_note(&progress, run->step);
  if (!lm_window_logits(run->lm, &window, &machine, run->logits) ||
      (run->settings.machine &&
       !lm_window_logits(run->lm, &window, &host, run->reference))) {
    return false;
  }
  run->result.scores[index] = lm_window_score(&window, vocab, run->logits, reference);
  run->result.fp32[index] = lm_window_score(&window, vocab, reference, reference);
  return true;
}

static bool evaluate(run_t *run) {
  lm_result_t *result = &run->result;
  for (size_t i = 0; i < result->windows; ++i) {
    if (!evaluate_window(run, i)) {
      return false;
    }
    lm_score_add(&result->mean, &result->scores[i]);
    lm_score_add(&result->fp32_mean, &result->fp32[i]);
  }
  return true;
}

static bool generate(run_t *run) {
  const lm_backend_t machine = backend(run);
  lm_generation_t *g = &run->result.generation;
  if (run->streams) {
    progress_note(&progress, "");
    progress.enabled = false;   // both would write to the same line
    lm_result_text_head(stdout, &run->result);
    fwrite(g->prompt, 1, g->prompt_bytes, stdout);
    fflush(stdout);
  }
  snprintf(run->step, sizeof run->step, "writing %zu bytes", g->tokens);
  const bool good = lm_generate(run->lm, &machine, g);
  if (run->streams) {
    putchar('\n');
  }
  return good;
}

// --- one run ----------------------------------------------------------------------------------

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static cli_exit_t fail(run_t *run) {
  if (stop != 0) {
    cli_fail(&run->error, "interrupted");
    return CLI_INTERRUPTED;
  }
  const soc_status_t status =
      run->machine == NULL ? SOC_DONE : lm_machine_status(run->machine, &run->error);
  if (status == SOC_DONE) {
    cli_fail(&run->error, "out of memory");
    return CLI_BAD_INPUT;
  }
  return (cli_exit_t)status;
}

static cli_exit_t open_machine(run_t *run) {
  lm_machine_options_t *options = &run->settings.options;
  if (!run->settings.machine) {
    return CLI_OK;
  }
  options->soc.building = building;
  options->soc.progress = tell_step;
  options->soc.progress_context = run;
  if (run->options.timeline != NULL) {
    options->soc.timeline = outputs_path(&run->outputs, run->timeline);
  }
  run->machine = lm_machine_open(options, run->lm, run->settings.gemm_soc, &run->error);
  if (run->machine != NULL) {
    return CLI_OK;
  }
  if (stop != 0) {
    cli_fail(&run->error, "interrupted");
    return CLI_INTERRUPTED;
  }
  return CLI_BAD_INPUT;
}

static cli_exit_t compute(run_t *run) {
  const cli_exit_t opened = open_machine(run);
  if (opened != CLI_OK) {
    return opened;
  }
  const double start = now();
  progress_start(&progress, run->options.quiet, 0, 1);
  if (!(run->options.eval != NULL ? evaluate(run) : generate(run))) {
    return fail(run);
  }
  run->result.seconds = now() - start;
  if (run->machine != NULL) {
    run->result.books = lm_machine_books(run->machine);
    run->result.soc = lm_machine_result(run->machine);
  }
  return CLI_OK;
}

// The file that the SoC itself has written.
static void take_timeline(run_t *run) {
  if (run->options.timeline != NULL &&
      access(outputs_path(&run->outputs, run->timeline), F_OK) == 0) {
    outputs_written(&run->outputs, run->timeline);
  }
}

// What was recorded of a stopped run shows why it stopped.
static int stopped(run_t *run, cli_exit_t status) {
  cli_error_t ignored;
  if (run->machine != NULL && status != CLI_BAD_INPUT) {
    lm_machine_result(run->machine);
    take_timeline(run);
    outputs_commit(&run->outputs, &ignored);
  }
  return cli_report(status, &run->error);
}

static bool write_files(run_t *run) {
  take_timeline(run);
  if (run->options.json != NULL) {
    FILE *file = outputs_open(&run->outputs, run->json, &run->error);
    if (file == NULL || !lm_result_json(file, &run->result, &run->error)) {
      return false;
    }
  }
  return outputs_commit(&run->outputs, &run->error);
}

static void print(const run_t *run) {
  if (!run->streams) {
    lm_result_text_head(stdout, &run->result);
    lm_result_text_generated(stdout, &run->result);
  }
  lm_result_text(stdout, &run->result);
}

static int finish(run_t *run) {
  if (!write_files(run)) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  if (!run->options.quiet) {
    print(run);
  }
  return output_printed(&run->error) ? (int)CLI_OK : cli_report(CLI_BAD_INPUT, &run->error);
}

static int simulate(run_t *run) {
  if (!prepare(run)) {
    return cli_report(CLI_BAD_INPUT, &run->error);
  }
  progress_start(&progress, run->options.quiet, 0, 1);
  catch_interrupts(on_interrupt);
  const cli_exit_t status = compute(run);
  catch_interrupts(SIG_DFL);
  progress_note(&progress, "");
  return status == CLI_OK ? finish(run) : stopped(run, status);
}

static void release(run_t *run) {
  lm_machine_close(run->machine);
  lm_close(run->lm);
  lm_windows_free(&run->windows);
  free(run->logits);
  free(run->reference);
  free(run->result.scores);
  free(run->result.fp32);
  free(run->result.generation.text);
  outputs_discard(&run->outputs);
  free(run);
}

int run_lm(const char *kernel, int argc, char **argv) {
  run_t *run = calloc(1, sizeof *run);
  if (run == NULL) {
    return CLI_BAD_INPUT;
  }
  (void)kernel;
  run->result.options = &run->options;
  run->result.settings = &run->settings;
  int code = CLI_OK;
  if (!options_parse(&run->options, CLI_RUN_LM, argc, argv, &run->error)) {
    code = cli_report(CLI_BAD_INPUT, &run->error);
  } else if (run->options.help) {
    print_help();
  } else {
    code = simulate(run);
  }
  release(run);
  return code;
}
