// SPDX-License-Identifier: Apache-2.0
#include "cli/run/kernels.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

// --- what the options say ---------------------------------------------------------------------

// Options that ask for values, or for data to compute them from.
static bool check_timing_only(const options_t *options, base_error_t *error) {
  const bool rows = options->golden.value == GOLDEN_FULL || options->golden.value == GOLDEN_SAMPLE;
  const given_t of_values[] = {
      {"q", options->q != NULL},
      {"kv", options->kv != NULL},
      {"k", options->k != NULL},
      {"v", options->v != NULL},
      {"dist", options->dist != NULL},
      {"seed", options->seed.given},
      {"out", options->out != NULL},
      {"verify", options->verify},
      {"tolerance", options->tolerance.given},
      {"skip-noop", options->skip_noop},
      {"golden", rows},
  };
  return !options->timing_only || REFUSE_GIVEN(of_values, NEEDS_VALUES, error);
}

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
  settings->preload = (unsigned)o->preload.value;
  settings->rescale = o->rescale.value == 0 ? RESCALE_ELEMENT : RESCALE_ROW;
  settings->skip_noop = o->skip_noop;
  settings->row_sum = o->row_sum.value == 0 ? NUM_ROW_SUM_CHAIN : NUM_ROW_SUM_TREE;
  settings->group_rows = (unsigned)o->group_rows.value;
  settings->tiling = (enum attention_cut)o->tiling.value;
  settings->kv_buffers = (unsigned)option_count_or(&o->kv_buffers, 0);
  settings->qp_buffers = o->qp_buffers.value == 0 ? QP_SHARED : QP_SEPARATE;
  settings->out_f32 = o->out_f32;
  return split_option(o->split_kv, ATTENTION_SPLITS_AUTO, &settings->splits, error);
}

static bool prepare(run_t *run) {
  const options_t *options = &run->options;
  kernel_machine_t machine;
  if (!check_timing_only(options, &run->error) ||
      !machine_read(run, options->config, options->firmware, &machine, &run->error)) {
    return false;
  }
  attention_request_t request = attention_request(run->kernel->name, &machine);
  request.judge = judge_options(options, options->golden.value);
  return read_settings(options, &request.settings, &run->error) && read_input(options, &request.input, &run->error) &&
         attention_prepare(&request, run->own, &run->error);
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t compute(run_t *run) {
  attention_run_t *own = run->own;
  machine_begin(run, &own->settings.machine, attention_flops(&own->problem));
  return attention_simulate(own, &run->error);
}

static bool judge(run_t *run) { return attention_judge(run->own, &run->error); }

static bool write_out(const run_t *run, FILE *file, base_error_t *error) {
  (void)error;
  attention_write_out(run->own, file);
  return true;
}

static void fill_json(const run_t *run, cJSON *root) { attention_json(run->own, root); }
static void print(const run_t *run) { text_attention(stdout, run->own); }
static base_exit_t verdict(run_t *run) { return attention_verdict(run->own, &run->error); }
static void release(run_t *run) { attention_release(run->own); }
static const soc_result_t *soc(const run_t *run) { return &((const attention_run_t *)run->own)->result.soc; }

static bool expected(const run_t *run, bool golden, kernel_expected_t *want, base_error_t *error) {
  return attention_expected(run->own, golden, want, error);
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

#define ATTENTION_KERNEL(NAME, COMMAND, EXAMPLES, WHAT)                                                 \
  {                                                                                                     \
    .name = (NAME), .command = (COMMAND),                                                               \
    .about = "attention, " WHAT ". Without inputs it runs on the shipped real data.",                   \
    .notes =                                                                                            \
        "exit codes: 0 done, 1 result out of tolerance, 2 bad usage or input, 3 the model "             \
        "stopped the firmware, 130 interrupted (SIGTERM 143, SIGHUP 129)",                              \
    .examples = (EXAMPLES), .files = files, .own_bytes = sizeof(attention_run_t), .prepare = prepare,   \
    .compute = compute, .judge = judge, .write_out = write_out, .fill_json = fill_json, .print = print, \
    .verdict = verdict, .release = release, .soc = soc, .expected = expected                            \
  }

const run_kernel_t run_amla = ATTENTION_KERNEL("amla", CLI_RUN_AMLA, amla_examples,
                                               "output rescaled in memory by integer adds (AMLA, Algorithm 2)");
const run_kernel_t run_base =
    ATTENTION_KERNEL("base", CLI_RUN_BASE, base_examples, "output rescaled by the vector cores (Base, Algorithm 1)");
