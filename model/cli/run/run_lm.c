// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/run/recording.h"
#include "cli/text/text.h"

enum { STEP_BYTES = 128 };

typedef struct own {
  kernel_run_t kernel;
  lm_run_t lm;
  bool streams;  // text goes to a terminal as it comes
} own_t;

// --- options that belong together -------------------------------------------------------------

static bool check_input(const options_t *options, base_error_t *error) {
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

static bool check_machine(const options_t *options, base_error_t *error) {
  const lm_arithmetic_t attention = (lm_arithmetic_t)options->attention.value;
  const bool machine = attention != LM_FP32 || options->gemm.value != 0;
  const given_t of_hfa[] = {{"lns", options->lm_lns.given}, {"zero-exact", options->zero_exact}};
  const given_t of_engines[] = {
      {"impl", options->lm_impl.given},       {"blocks", options->lm_blocks.given},
      {"queries", options->lm_queries.given}, {"engines", options->lm_engines.given},
      {"chunk", options->lm_chunk.given},
  };
  const given_t of_machine[] = {{"config", options->lm_config != NULL},
                                {"set", options->set.count > 0},
                                {"firmware", options->lm_firmware.given},
                                {"timeline", options->timeline != NULL},
                                {"critical-path", options->critical_path != NULL},
                                {"csv", options->csv != NULL},
                                {"profile", options->profile},
                                {"log", options->log != NULL},
                                {"dump", options->dump.count > 0},
                                {"trace", options->trace != NULL}};
  return (attention == LM_HFA || REFUSE_GIVEN(of_hfa, "needs --attention hfa", error)) &&
         (attention != LM_FP32 ||
          REFUSE_GIVEN(of_engines, "needs attention engines: --attention hfa, fa2 or expmul", error)) &&
         (machine || REFUSE_GIVEN(of_machine, "needs a machine: --attention hfa, fa2 or expmul, or --gemm soc", error));
}

// --- what the options say ---------------------------------------------------------------------

static bool read_machine(const run_t *run, kernel_machine_t *machine, base_error_t *error) {
  const options_t *o = &run->options;
  config_t *config = &machine->soc.config;
  if (!machine_config(o, o->lm_config != NULL ? o->lm_config : "engines", machine, error)) {
    return false;
  }
  config->soc.engines = (config_uint_t)option_count_or(&o->lm_engines, config->soc.engines);
  config->engine.blocks = (config_uint_t)option_count_or(&o->lm_blocks, config->engine.blocks);
  config->engine.queries = (config_uint_t)option_count_or(&o->lm_queries, config->engine.queries);
  machine->soc.firmware = o->lm_firmware.value != 0 ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  machine->soc.building = progress_building(&run->progress);
  machine->soc.init_check = !o->no_init_check;
  return recording_soc(run, &machine->soc, error);
}

static void read_settings(const options_t *o, lm_settings_t *settings) {
  settings->attention = (lm_arithmetic_t)o->attention.value;
  settings->gemm_soc = o->gemm.value != 0;
  settings->rtl = o->lm_impl.value == 0;
  settings->hfa = (num_hfa_t){.corrected = o->lm_lns.value != 0, .zero_exact = o->zero_exact};
  settings->chunk = option_count_or(&o->lm_chunk, 0);
}

// --- who looks on -----------------------------------------------------------------------------

static void tell_step(void *context, const char *what, double us) {
  const run_t *run = context;
  char text[STEP_BYTES];
  snprintf(text, sizeof text, us > 0 ? "%s; %.0f us simulated" : "%s", what, us);
  progress_late_note(&run->progress, text);
}

static void begin_text(void *context, const lm_run_t *lm) {
  run_t *run = context;
  const own_t *own = (const own_t *)run->own;
  if (own->streams) {
    progress_note(&run->progress, "");
    run->progress.enabled = false;  // both would write to the same line
    text_lm_head(stdout, lm);
    for (size_t i = 0; i < lm->generation.prompt.count; ++i) {
      putchar((int)lm->generation.prompt.list[i]);
    }
    fflush(stdout);
  }
}

static void put_byte(void *context, uint32_t byte) {
  const run_t *run = context;
  const own_t *own = (const own_t *)run->own;
  if (own->streams) {
    putchar((int)byte);
    fflush(stdout);
  }
}

static bool prepare(run_t *run) {
  const options_t *o = &run->options;
  own_t *own = (own_t *)run->own;
  kernel_machine_t machine;
  if (!check_input(o, &run->error) || !check_machine(o, &run->error) || !read_machine(run, &machine, &run->error)) {
    return false;
  }
  own->kernel.ops = &lm_ops;
  lm_request_t request = lm_request(&machine);
  read_settings(o, &request.settings);
  request.model = o->model;
  request.context = option_count_or(&o->context, 0);
  request.eval = o->eval;
  request.windows = option_count_or(&o->windows, 0);
  request.prompt = o->prompt;
  request.tokens = option_count_or(&o->tokens, request.tokens);
  request.allow_overflow = o->allow_overflow;
  request.step = tell_step;
  request.begin = begin_text;
  request.put = put_byte;
  request.context_of_these = run;
  own->streams = o->eval == NULL && !o->quiet && isatty(STDOUT_FILENO) != 0;
  return lm_prepare(&request, &own->lm, &run->error);
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t simulate(kernel_run_t *kernel, base_error_t *error) {
  own_t *own = (own_t *)kernel;
  const base_exit_t code = lm_simulate(&own->lm, error);
  if (own->streams) {
    putchar('\n');
  }
  return code;
}

static void write_json(const kernel_run_t *kernel, cJSON *root) { lm_json(&((const own_t *)kernel)->lm, root); }

static void print(FILE *file, const kernel_run_t *kernel) {
  const own_t *own = (const own_t *)kernel;
  if (!own->streams) {
    text_lm_head(file, &own->lm);
    text_lm_generated(file, &own->lm);
  }
  text_lm(file, &own->lm);
}

static base_exit_t verdict(const kernel_run_t *kernel, base_error_t *error) {
  return lm_verdict(&((const own_t *)kernel)->lm, error);
}

static void release(kernel_run_t *kernel) { lm_release(&((own_t *)kernel)->lm); }

const kernel_ops_t lm_ops = {
    .run_bytes = sizeof(own_t), .simulate = simulate, .verdict = verdict, .json = write_json, .release = release};

static const manual_row_t files[] = {{"tests/data/kjv_*", "the shipped model and text"},
                                     {"model/config/engines.yaml", "the usual machine: four engines beside an AI core"},
                                     {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run lm", "lets the shipped model write"},
    {"run lm --prompt 'And God said unto Moses, ' --tokens 300 --lns corrected", "with better additions"},
    {"run lm --eval tests/data/kjv_val.txt --windows 1", "loss on held-out text, beside FP32's"},
    {"run lm --impl c --gemm soc", "products on the cube core, too"},
    {NULL, NULL}};

const run_front_t run_lm = {
    .about =
        "a byte-level language model with its attention on the SoC's attention engines. It has the "
        "Llama architecture. Its loss on a text is measured (--eval), or it writes text (--prompt).",
    .notes =
        "A text is cut into windows of context + 1 bytes, each predicted from a fresh start. When the "
        "model writes, it takes\nthe best byte each time. Every loss is shown beside that of the model "
        "in FP32 on the host. Without --eval and --prompt\nthe model continues \"" LM_SHIPPED_PROMPT
        "\".\nexit codes: 0 done, 1 logits are not finite (see --allow-overflow), 2 bad usage or input, 3 the model "
        "stopped the firmware, 130 "
        "interrupted (SIGTERM 143, SIGHUP 129)",
    .examples = examples,
    .files = files,
    .prepare = prepare,
    .print = print,
};
