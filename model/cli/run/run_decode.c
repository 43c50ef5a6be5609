// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

enum { STEP_BYTES = 128 };

typedef struct own {
  kernel_run_t kernel;
  decode_run_t decode;
  bool streams;  // text goes to a terminal as it comes
} own_t;

// --- options that belong together -------------------------------------------------------------

static bool check_input(const options_t *o, base_error_t *error) {
  const bool timing = o->decode_past.given || o->decode_steps.given || o->timing_only;
  const bool prompts = o->decode_prompt != NULL || o->decode_prompt_tokens != NULL;
  if (o->decode_eval != NULL && prompts) {
    return base_fail(error, "--eval, --prompt%s: only one of them", o->decode_prompt != NULL ? "" : "-tokens");
  }
  if (o->decode_prompt != NULL && o->decode_prompt_tokens != NULL) {
    return base_fail(error, "--prompt, --prompt-tokens: only one of them");
  }
  const given_t of_eval[] = {{"windows", o->decode_windows.given}, {"context", o->decode_context.given}};
  const given_t of_text[] = {{"eval", o->decode_eval != NULL},
                             {"prompt", o->decode_prompt != NULL},
                             {"prompt-tokens", o->decode_prompt_tokens != NULL},
                             {"chunk", o->decode_chunk.given},
                             {"tokens", o->decode_tokens.given},
                             {"temperature", o->decode_temperature.given},
                             {"logits", o->decode_logits != NULL}};
  return (o->decode_eval != NULL || REFUSE_GIVEN(of_eval, "needs --eval", error)) &&
         (!timing ||
          REFUSE_GIVEN(of_text, "steps after a past that is made up (--past, --steps, --timing-only) have no text",
                       error)) &&
         (o->decode_eval == NULL || !o->decode_tokens.given || base_fail(error, "--tokens: needs --prompt"));
}

static bool check_sampling(const options_t *o, base_error_t *error) {
  const bool draws = o->decode_temperature.given && o->decode_temperature.value > 0;
  const given_t of_drawing[] = {{"top-k", o->decode_top_k.given}, {"top-p", o->decode_top_p.given}};
  if (!draws && !REFUSE_GIVEN(of_drawing, "needs a --temperature above 0", error)) {
    return false;
  }
  if (o->decode_top_p.given && !(o->decode_top_p.value > 0)) {
    return base_fail(error, "--top-p: expected more than 0, at most 1");
  }
  return o->decode_eval == NULL || !o->decode_temperature.given ||
         base_fail(error, "--temperature: needs --prompt, as --eval writes nothing");
}

static bool check_values(const options_t *o, base_error_t *error) {
  if (o->decode_zeros && o->decode_weights.value != DECODE_W4A16) {
    return base_fail(error, "--zero-points: needs --weights w4a16");
  }
  if (o->fp8_scale.given && (!o->decode_attention.given || o->decode_attention.value != DECODE_FP8)) {
    return base_fail(error, "--fp8-scale: needs --attention fp8");
  }
  return !o->decode_tolerance.given || o->decode_check.given || base_fail(error, "--tolerance: needs --check stages");
}

// --- what the options say ---------------------------------------------------------------------

static void read_settings(const options_t *o, decode_settings_t *settings) {
  settings->attention_given = o->decode_attention.given;
  settings->attention = o->decode_attention.given ? (decode_attention_t)o->decode_attention.value : settings->attention;
  settings->cache_given = o->decode_kv_cache.given;
  settings->cache = o->decode_kv_cache.given ? (decode_cache_t)o->decode_kv_cache.value
                    : settings->attention_given && settings->attention == DECODE_FP8 ? DECODE_CACHE_FP8
                                                                                     : DECODE_CACHE_BF16;
  settings->fp8_scale = o->fp8_scale.value == 0 ? NUM_FP8_SCALE_AMAX : NUM_FP8_SCALE_UE8M0;
  settings->weights = (decode_weights_t)o->decode_weights.value;
  settings->zero_points = o->decode_zeros;
  settings->launch = (decode_launch_t)o->decode_launch.value;
  settings->mtp = option_count_or(&o->decode_mtp, settings->mtp);
}

static void read_request(const options_t *o, decode_request_t *request) {
  request->model = (checkpoint_request_t){.folder = o->decode_model,
                                          .layers = option_count_or(&o->decode_layers, 0),
                                          .random = o->decode_random,
                                          .seed = option_count_or(&o->draw_seed, 0)};
  request->experts_here = option_count_or(&o->decode_experts, 0);
  request->eval = o->decode_eval;
  request->windows = option_count_or(&o->decode_windows, 0);
  request->prompt = o->decode_prompt;
  request->prompt_tokens = o->decode_prompt_tokens;
  request->chunk = option_count_or(&o->decode_chunk, request->chunk);
  request->tokens = option_count_or(&o->decode_tokens, request->tokens);
  request->sampling = (llm_sampling_t){.temperature = o->decode_temperature.given ? o->decode_temperature.value : 0,
                                       .top_k = option_count_or(&o->decode_top_k, 0),
                                       .top_p = o->decode_top_p.given ? o->decode_top_p.value : 1};
  request->timing = o->decode_past.given || o->decode_steps.given || o->timing_only;
  request->past = option_count_or(&o->decode_past, request->past);
  request->steps = option_count_or(&o->decode_steps, request->steps);
  request->context = option_count_or(&o->decode_context, request->context);
  request->batch = option_count_or(&o->decode_batch, 0);
  request->verify = o->verify;
  request->check = o->decode_check.given;
  request->allow_overflow = o->allow_overflow;
  request->tolerance = o->decode_tolerance.given ? o->decode_tolerance.value : NAN;
}

// --- who looks on -----------------------------------------------------------------------------

static void tell_step(void *context, const char *what, double us) {
  const run_t *run = context;
  char text[STEP_BYTES];
  snprintf(text, sizeof text, us > 0 ? "%s; %.0f us simulated" : "%s", what, us);
  progress_late_note(&run->progress, text);
}

static void begin_text(void *context, const decode_run_t *decode) {
  run_t *run = context;
  const own_t *own = (const own_t *)run->own;
  if (own->streams) {
    progress_note(&run->progress, "");
    run->progress.enabled = false;  // both would write to the same line
    text_decode_head(stdout, decode);
    for (size_t i = 0; i < decode_prompt_length(decode, 0); ++i) {
      text_decode_token(stdout, decode, decode->text.list[i]);
    }
    fflush(stdout);
  }
}

static void put_token(void *context, uint32_t token) {
  const run_t *run = context;
  const own_t *own = (const own_t *)run->own;
  if (own->streams) {
    text_decode_token(stdout, &own->decode, token);
    fflush(stdout);
  }
}

static bool prepare(run_t *run) {
  const options_t *o = &run->options;
  own_t *own = (own_t *)run->own;
  kernel_machine_t machine;
  if (!check_input(o, &run->error) || !check_values(o, &run->error) || !check_sampling(o, &run->error) ||
      !machine_read(run, o->config, o->firmware, &machine, &run->error)) {
    return false;
  }
  own->kernel.ops = &decode_ops;
  machine.soc.building = progress_building(&run->progress);
  decode_request_t request = decode_request(&machine);
  request.settings.machine.soc.l2_warm = o->decode_l2.value == 0;
  read_settings(o, &request.settings);
  read_request(o, &request);
  request.step = tell_step;
  request.begin = begin_text;
  request.put = put_token;
  request.context_of_these = run;
  own->streams = request.eval == NULL && !request.timing && !o->quiet && isatty(STDOUT_FILENO) != 0;
  return decode_prepare(&request, &own->decode, &run->error);
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t simulate(kernel_run_t *kernel, base_error_t *error) {
  own_t *own = (own_t *)kernel;
  const base_exit_t code = decode_simulate(&own->decode, error);
  if (own->streams) {
    putchar('\n');
  }
  return code;
}

static bool write_logits(const kernel_run_t *kernel, FILE *file, base_error_t *error) {
  (void)error;
  decode_write_logits(&((const own_t *)kernel)->decode, file);
  return true;
}

static void write_json(const kernel_run_t *kernel, cJSON *root) { decode_json(&((const own_t *)kernel)->decode, root); }

static void print(FILE *file, const kernel_run_t *kernel) {
  const own_t *own = (const own_t *)kernel;
  if (!own->streams) {
    text_decode_head(file, &own->decode);
    text_decode_written(file, &own->decode);
  }
  text_decode(file, &own->decode);
}

static base_exit_t verdict(const kernel_run_t *kernel, base_error_t *error) {
  return decode_verdict(&((const own_t *)kernel)->decode, error);
}

static void release(kernel_run_t *kernel) { decode_release(&((own_t *)kernel)->decode); }

const kernel_ops_t decode_ops = {.run_bytes = sizeof(own_t),
                                 .simulate = simulate,
                                 .verdict = verdict,
                                 .write_out = write_logits,
                                 .json = write_json,
                                 .release = release};

static const manual_row_t files[] = {
    {"tests/data/kjv_mla", "the shipped model: three layers, 16 heads, eight experts, a vocabulary of bytes"},
    {"model/config/models/*.json", "shapes of published models, for --random-weights and --timing-only"},
    {"sw/kernels/step", "the firmware: an operation of a step in each file"},
    {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run decode --prompt 'And God said unto Moses, ' --tokens 40", "lets the shipped model write"},
    {"run decode --eval tests/data/kjv_val.txt --windows 1 --gm c", "loss on held-out text"},
    {"run decode --weights w4a16 --attention fp8 --check stages", "where errors arise"},
    {"run decode --batch 5 --verify --launch ops", "each operation by itself, bit for bit"},
    {"run decode --model deepseek-v2-lite --timing-only --config ascend910 --batch 32",
     "how long a step of a published model takes"},
    {NULL, NULL}};

const run_front_t run_decode = {
    .about =
        "a whole language model (Llama, Mistral, Qwen, Mixtral, Phi-3, OLMo 2, GLM-4.5, gpt-oss, Gemma 3, DeepSeek, "
        "Kimi-K2), step by step by firmware: its loss on a text (--eval), what it writes (--prompt), or how long its "
        "steps take (--past). `run model` is the same.",
    .notes =
        "A step is one launch: the host writes a list of operations to global memory, and all cores walk it. Prompts "
        "and "
        "windows are\nsteps of --chunk tokens an entry. The model takes the best token each time, without "
        "--temperature. Without --eval, "
        "--prompt and --past it\ncontinues \"" DECODE_SHIPPED_PROMPT
        "\".\nexit codes: 0 done, 1 --verify or --check found something, or logits are not finite "
        "(see\n--allow-overflow), "
        "2 bad usage or input, 3 the model stopped the "
        "firmware, 130\ninterrupted (SIGTERM 143, SIGHUP 129)",
    .examples = examples,
    .files = files,
    .prepare = prepare,
    .print = print,
};
