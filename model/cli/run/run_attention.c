// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

// --- what the options say ---------------------------------------------------------------------

static bool check_files(const options_t *options, base_error_t *error) {
  if (options->kv != NULL && (options->k != NULL || options->v != NULL)) {
    return base_fail(error, "--kv: cannot go with --%s", options->k != NULL ? "k" : "v");
  }
  if (options->q == NULL) {
    return base_fail(error, "--q: missing; --%s goes with it",
                     options->kv != NULL  ? "kv"
                     : options->k != NULL ? "k"
                                          : "v");
  }
  if (options->kv == NULL && (options->k == NULL || options->v == NULL)) {
    return base_fail(error, "--%s: missing; --q goes with --kv, or with --k and --v",
                     options->k != NULL   ? "v"
                     : options->v != NULL ? "k"
                                          : "kv");
  }
  return refuse_made_up(options, "q", error) && (!options->batch.given || options->batch.value == 1 ||
                                                 base_fail(error, "--batch: makes inputs up, cannot go with --q"));
}

static kernel_source_t source(const options_t *o) {
  if (o->q != NULL || o->kv != NULL || o->k != NULL || o->v != NULL) {
    return KERNEL_FILES;
  }
  return o->timing_only || o->heads.given || o->seq_q.given || o->seq_kv.given || o->dk.given || o->batch.given ||
                 o->dist != NULL || o->seed.given
             ? KERNEL_MADE_UP
             : KERNEL_SHIPPED;
}

static bool read_input(const options_t *o, attention_input_t *input, base_error_t *error) {
  input->source = source(o);
  input->q = o->q;
  input->round = o->round_halves;
  input->kv = o->kv;
  input->k = o->k;
  input->v = o->v;
  input->batch = option_count_or(&o->batch, 0);
  input->seq_q = option_count_or(&o->seq_q, 0);
  input->heads = option_count_or(&o->heads, 0);
  input->keys = option_count_or(&o->seq_kv, 0);
  input->dk = option_count_or(&o->dk, 0);
  input->dv = option_count_or(&o->dv, 0);
  input->mask = o->mask;
  input->causal = o->causal;
  input->block = (size_t)o->kv_block.value;
  return (input->source != KERNEL_FILES || check_files(o, error)) && made_up_options(o, &input->made_up, error) &&
         scale_option(o, &input->scale, error);
}

static bool read_settings(const options_t *o, attention_settings_t *settings, base_error_t *error) {
  attention_options(o, settings);
  settings->group_rows = (unsigned)o->group_rows.value;
  return split_option(o->split_kv, ATTENTION_SPLITS_AUTO, &settings->splits, error);
}

static bool prepare(run_t *run) {
  const options_t *options = &run->options;
  kernel_machine_t machine;
  if (!machine_read(run, options->config, options->firmware, &machine, &run->error)) {
    return false;
  }
  attention_request_t request = attention_request(run->kernel->name, &machine);
  request.judge = judge_options(options, options->golden.value);
  return read_settings(options, &request.settings, &run->error) && read_input(options, &request.input, &run->error) &&
         attention_prepare(&request, (attention_run_t *)run->own, &run->error);
}

// --- the kernels ------------------------------------------------------------------------------

static const manual_row_t files[] = {
    {"model/config/*.yaml", "the machines that --config names; every value has its source"},
    {"tests/data/mla_real_*", "the shipped queries and keys"},
    {"sw/hal/REFERENCE.md", "commands, registers, and the parameters that --set takes"},
    {NULL, NULL}};

static const manual_row_t amla_examples[] = {
    {"run amla", "the shipped real data on one AI core"},
    {"run amla --heads 128 --seq-kv 8192 --dist normal:1 --seed 3", "made-up input, repeatable"},
    {"run amla --q q.npy --kv kv.npy --out o.npy --json r.json", "arrays of your own"},
    {"run amla --config ascend910 --seq-q 2 --seq-kv 16384 --batch 96 --gm c --timing-only",
     "the whole chip: only cycles, no values"},
    {"run amla --preload 0 --timeline t.json", "the cube core does not run ahead; where the time goes, for Perfetto"},
    {NULL, NULL}};

static const manual_row_t base_examples[] = {
    {"run base", "the shipped real data on one AI core"},
    {"run base --verify", "compared bit for bit with the contract's C loops"},
    {"run base --set gm.l2_latency_us=0.25 --seq-kv 8192 --json r.json", "another machine"},
    {NULL, NULL}};

const run_front_t run_amla = {.about =
                                  "attention, output rescaled in memory by integer adds (AMLA, Algorithm 2). Without "
                                  "inputs it runs on the shipped real data.",

                              .examples = amla_examples,
                              .files = files,
                              .prepare = prepare,
                              .print = text_attention};

const run_front_t run_base = {.about =
                                  "attention, output rescaled by the vector cores (Base, Algorithm 1). Without inputs "
                                  "it runs on the shipped real data.",

                              .examples = base_examples,
                              .files = files,
                              .prepare = prepare,
                              .print = text_attention};
