// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

// --- what the options say ---------------------------------------------------------------------

static bool check_files(const options_t *options, base_error_t *error) {
  const given_t files[] = {
      {"q", options->flash_q != NULL}, {"k", options->flash_k != NULL}, {"v", options->flash_v != NULL}};
  const bool draws = options->flash_paged || made_up_asked(options->flash_sinks);
  const given_t made_up[] = {{"seed", options->seed.given && !draws}, {"dist", options->dist != NULL}};
  return need_given(files, 3, "--q, --k and --v go together", error) &&
         REFUSE_GIVEN(made_up, "makes inputs up, cannot go with --q", error);
}

static bool read_input(const options_t *o, flash_input_t *input, base_error_t *error) {
  const bool files = o->flash_q != NULL || o->flash_k != NULL || o->flash_v != NULL;
  input->source = files ? KERNEL_FILES : KERNEL_MADE_UP;
  input->q = o->flash_q;
  input->round = o->round_halves;
  input->k = o->flash_k;
  input->v = o->flash_v;
  input->type = !o->flash_dtype.given ? FLASH_TYPE_USUAL : o->flash_dtype.value == 0 ? FLASH_FP16 : FLASH_BF16;
  input->batch = option_count_or(&o->batch, 0);
  input->heads = option_count_or(&o->flash_heads, 0);
  input->kv_heads = option_count_or(&o->flash_kv_heads, 0);
  input->seq_q = option_count_or(&o->flash_seq_q, 0);
  input->keys = option_count_or(&o->flash_keys, 0);
  input->head_dim = option_count_or(&o->flash_head_dim, 0);
  input->dv = option_count_or(&o->flash_dv, 0);
  input->mask = o->flash_mask;
  input->lengths = o->flash_lengths;
  input->causal = o->causal;
  input->window = option_count_or(&o->flash_window, 0);
  input->sinks = o->flash_sinks;
  input->cap = o->flash_softcap.given ? (float)o->flash_softcap.value : 0;
  input->paged = o->flash_paged;
  input->block = option_count_or(&o->flash_kv_block, 0);
  return (!files || check_files(o, error)) && made_up_options(o, &input->made_up, error) &&
         scale_option(o, &input->scale, error);
}

static bool read_settings(const options_t *o, flash_settings_t *settings, base_error_t *error) {
  settings->preload = (unsigned)o->flash_preload.value;
  settings->group_rows = (unsigned)o->flash_group_rows.value;
  settings->out_f32 = o->out_f32;
  return split_option(o->split_kv, FLASH_SPLITS_AUTO, &settings->splits, error);
}

static bool prepare(run_t *run) {
  const options_t *options = &run->options;
  kernel_machine_t machine;
  if (!machine_read(run, options->config, options->firmware, &machine, &run->error)) {
    return false;
  }
  flash_request_t request = flash_request(&machine);
  request.judge = judge_options(options, options->golden.value);
  return read_settings(options, &request.settings, &run->error) && read_input(options, &request.input, &run->error) &&
         flash_prepare(&request, (flash_run_t *)run->own, &run->error);
}

static const manual_row_t files[] = {
    {"model/config/*.yaml", "the machines that --config names; every value has its source"},
    {"sw/kernels/flash", "the kernel, and how it goes about it"},
    {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run flash --heads 1 --seq-q 128 --seq-kv 8192 --dtype fp16", "one group of queries on one AI core"},
    {"run flash --config ascend910_die --heads 32 --kv-heads 8 --seq-q 4096 --causal",
     "a layer of a language model on a die"},
    {"run flash --config ascend910_die --kv-heads 2 --seq-q 1 --seq-kv 65536 --split-kv auto", "one new token"},
    {"run flash --seq-q 1 --seq-kv 4096 --sinks made-up --softcap 50 --paged",
     "sinks, capped scores, and keys in pages"},
    {"run flash --q q.npy --k k.npy --v v.npy --out o.npy", "arrays of your own"},
    {NULL, NULL}};

const run_front_t run_flash = {
    .about =
        "FlashAttention of a transformer's heads: MHA, GQA and MQA, in FP16 or BF16. Without inputs it makes some up.",

    .examples = examples,
    .files = files,
    .prepare = prepare,
    .print = text_flash};
