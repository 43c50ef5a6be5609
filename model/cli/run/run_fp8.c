// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

enum { CROSSOVER_ON, PATH_DIRECT = 1 };  // of --crossover's and --path's words

// --- what the options say ---------------------------------------------------------------------

// Indices or pages that are drawn, with a seed.
static bool draws(const options_t *o) {
  return (o->fp8_top_k.given && o->fp8_indices == NULL) || (o->fp8_page_size.given && o->fp8_block_table == NULL);
}

static kernel_source_t source(const options_t *o) {
  if (o->fp8_q != NULL || o->fp8_kv != NULL) {
    return KERNEL_FILES;
  }
  return o->timing_only || o->heads.given || o->seq_q.given || o->seq_kv.given || o->batch.given || o->dist != NULL ||
                 (o->draw_seed.given && !draws(o))
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
  const given_t made_up[] = {{"seed", options->draw_seed.given && !draws(options)}, {"dist", options->dist != NULL}};
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
  attention_options(o, attention);
  attention->group_rows = (unsigned)option_count_or(&o->fp8_group_rows, 0);
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
  if (!machine_read(run, options->config, options->firmware, &machine, &run->error)) {
    return false;
  }
  fp8_request_t request = fp8_request(&machine);
  request.judge = judge_options(options, options->golden.value);
  read_settings(options, &request.settings);
  return read_input(options, &request.input, &run->error) && fp8_prepare(&request, (fp8_run_t *)run->own, &run->error);
}

static const manual_row_t files[] = {
    {"model/config/ascend910_pair.yaml", "the usual machine: two AI cores that share dequantised keys"},
    {"sw/kernels/README.md", "how the kernel goes about it"},
    {NULL, NULL}};

static const manual_row_t examples[] = {{"run fp8", "the shipped real data, quantised"},
                                        {"run fp8 --heads 128 --seq-kv 8192 --top-k 2048", "sparse, made-up input"},
                                        {"run fp8 --q q.npy --kv tokens.npy --out o.npy", "arrays of your own"},
                                        {NULL, NULL}};

const run_front_t run_fp8 = {.about =
                                 "attention over an FP8 KV cache, dense, sparse or paged (AMLA). Without inputs it "
                                 "runs on the shipped real data, quantised.",

                             .examples = examples,
                             .files = files,
                             .prepare = prepare,
                             .print = text_fp8};
