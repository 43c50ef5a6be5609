// SPDX-License-Identifier: Apache-2.0
#include "cli/run/kernels.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

enum { CROSSOVER_ON, PATH_DIRECT = 1 };  // of --crossover's and --path's words

// --- what the options say ---------------------------------------------------------------------

// Options that ask for values, or for data to compute them from.
static bool check_timing_only(const options_t *options, base_error_t *error) {
  const bool rows = options->golden.value == GOLDEN_FULL || options->golden.value == GOLDEN_SAMPLE;
  const given_t of_values[] = {
      {"q", options->fp8_q != NULL},
      {"kv", options->fp8_kv != NULL},
      {"dist", options->dist != NULL},
      {"fp8-scale", options->fp8_scale.given},
      {"out", options->out != NULL},
      {"lse", options->fp8_lse != NULL},
      {"tolerance", options->tolerance.given},
      {"skip-noop", options->skip_noop},
      {"verify", options->verify},
      {"golden", rows},
  };
  return !options->timing_only || REFUSE_GIVEN(of_values, NEEDS_VALUES, error);
}

// Indices or pages that are drawn, with a seed.
static bool draws(const options_t *o) {
  return (o->fp8_top_k.given && o->fp8_indices == NULL) || (o->fp8_page_size.given && o->fp8_block_table == NULL);
}

static kernel_source_t source(const options_t *o) {
  if (o->fp8_q != NULL || o->fp8_kv != NULL) {
    return KERNEL_FILES;
  }
  return o->timing_only || o->heads.given || o->seq_q.given || o->seq_kv.given || o->batch.given || o->dist != NULL ||
                 (o->seed.given && !draws(o))
             ? KERNEL_MADE_UP
             : KERNEL_SHIPPED;
}

static bool check_source(const options_t *options, kernel_source_t source, base_error_t *error) {
  if (source != KERNEL_FILES) {
    return options->fp8_block_table == NULL ||
           base_fail(error,
                     "--block-table: goes with --q and --kv; without them --page-size makes "
                     "pages up");
  }
  const given_t files[] = {{"q", options->fp8_q != NULL}, {"kv", options->fp8_kv != NULL}};
  const given_t made_up[] = {{"seed", options->seed.given && !draws(options)}, {"dist", options->dist != NULL}};
  return need_given(files, 2, "--q and --kv go together", error) &&
         REFUSE_GIVEN(made_up, "makes inputs up, cannot go with --q", error);
}

static bool read_input(const options_t *o, fp8_input_t *input, base_error_t *error) {
  input->source = source(o);
  input->q = o->fp8_q;
  input->round = o->round_halves;
  input->kv = o->fp8_kv;
  input->quantiser = !o->fp8_scale.given ? FP8_QUANTISER_USUAL : o->fp8_scale.value == 0 ? FP8_AMAX : FP8_UE8M0;
  input->batch = option_count_or(&o->batch, 0);
  input->seq_q = option_count_or(&o->seq_q, 0);
  input->heads = option_count_or(&o->heads, 0);
  input->keys = option_count_or(&o->seq_kv, 0);
  input->indices = o->fp8_indices;
  input->topk_lengths = o->fp8_topk_lengths;
  input->lengths = o->fp8_lengths;
  input->sink = o->fp8_sink;
  input->block_table = o->fp8_block_table;
  input->top_k = option_count_or(&o->fp8_top_k, 0);
  input->page_size = option_count_or(&o->fp8_page_size, 0);
  input->causal = o->causal;
  input->block = (size_t)o->kv_block.value;
  return check_source(o, input->source, error) && made_up_options(o, &input->made_up, error) &&
         scale_option(o, &input->scale, error);
}

static void read_settings(const options_t *o, fp8_settings_t *settings) {
  attention_settings_t *attention = &settings->attention;
  config_t *config = &attention->machine.soc.config;
  attention->preload = (unsigned)o->preload.value;
  attention->rescale = o->rescale.value == 0 ? RESCALE_ELEMENT : RESCALE_ROW;
  attention->skip_noop = o->skip_noop;
  attention->row_sum = o->row_sum.value == 0 ? NUM_ROW_SUM_CHAIN : NUM_ROW_SUM_TREE;
  attention->group_rows = (unsigned)option_count_or(&o->fp8_group_rows, 0);
  attention->out_f32 = o->out_f32;
  settings->crossover = !o->fp8_crossover.given                  ? FP8_CROSSOVER_USUAL
                        : o->fp8_crossover.value == CROSSOVER_ON ? FP8_CROSSOVER_ON
                                                                 : FP8_CROSSOVER_OFF;
  settings->direct = o->fp8_path.value == PATH_DIRECT;
  if (o->fp8_convert.given) {
    config->vector.e4m3_emulated = (config_uint_t)o->fp8_convert.value;
  }
}

static bool prepare(run_t *run) {
  const options_t *options = &run->options;
  kernel_machine_t machine;
  if (!check_timing_only(options, &run->error) ||
      !machine_read(run, options->fp8_config, options->firmware, &machine, &run->error)) {
    return false;
  }
  fp8_request_t request = fp8_request(&machine);
  request.judge = judge_options(options, options->golden.value);
  read_settings(options, &request.settings);
  return read_input(options, &request.input, &run->error) && fp8_prepare(&request, run->own, &run->error);
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t compute(run_t *run) {
  fp8_run_t *own = run->own;
  machine_begin(run, &own->settings.attention.machine, fp8_flops(&own->problem));
  return fp8_simulate(own, &run->error);
}

static bool judge(run_t *run) { return fp8_judge(run->own, &run->error); }

static bool write_out(const run_t *run, FILE *file, base_error_t *error) {
  (void)error;
  fp8_write_out(run->own, file);
  return true;
}

static bool write_lse(const run_t *run, FILE *file, base_error_t *error) {
  (void)error;
  fp8_write_lse(run->own, file);
  return true;
}

static void fill_json(const run_t *run, cJSON *root) { fp8_json(run->own, root); }
static void print(const run_t *run) { text_fp8(stdout, run->own); }
static base_exit_t verdict(run_t *run) { return fp8_verdict(run->own, &run->error); }
static void release(run_t *run) { fp8_release(run->own); }
static const soc_result_t *soc(const run_t *run) { return &((const fp8_run_t *)run->own)->result.soc; }

static bool expected(const run_t *run, bool golden, kernel_expected_t *want, base_error_t *error) {
  return fp8_expected(run->own, golden, want, error);
}

static const manual_row_t files[] = {
    {"model/config/ascend910_pair.yaml", "the usual machine: two AI cores that share dequantised keys"},
    {"sw/kernels/README.md", "how the kernel goes about it"},
    {NULL, NULL}};

static const manual_row_t examples[] = {{"run fp8", "the shipped real data, quantised"},
                                        {"run fp8 --heads 128 --seq-kv 8192 --top-k 2048", "sparse, made-up input"},
                                        {"run fp8 --q q.npy --kv tokens.npy --out o.npy", "arrays of your own"},
                                        {NULL, NULL}};

const run_kernel_t run_fp8 = {
    .name = "fp8",
    .command = CLI_RUN_FP8,
    .about =
        "attention over an FP8 KV cache, dense, sparse or paged (AMLA). "
        "Without inputs it runs on the shipped real data, quantised.",
    .notes =
        "exit codes: 0 done, 1 result out of tolerance, 2 bad usage or input, 3 the model "
        "stopped the\nfirmware, 130 interrupted (SIGTERM 143, SIGHUP 129)",
    .examples = examples,
    .files = files,
    .own_bytes = sizeof(fp8_run_t),
    .prepare = prepare,
    .compute = compute,
    .judge = judge,
    .write_out = write_out,
    .write_lse = write_lse,
    .fill_json = fill_json,
    .print = print,
    .verdict = verdict,
    .release = release,
    .soc = soc,
    .expected = expected,
};
