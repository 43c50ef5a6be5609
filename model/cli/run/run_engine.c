// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/run/recording.h"
#include "cli/text/text.h"

static kernel_source_t source(const options_t *o) {
  return o->engine_q != NULL || o->engine_k != NULL || o->engine_v != NULL ? KERNEL_FILES
         : o->seq_q.given || o->engine_keys.given || o->head_dim.given || o->dist != NULL || o->seed.given
             ? KERNEL_MADE_UP
             : KERNEL_SHIPPED;
}

static bool check_files(const options_t *o, base_error_t *error) {
  const given_t files[] = {{"q", o->engine_q != NULL}, {"k", o->engine_k != NULL}, {"v", o->engine_v != NULL}};
  return need_given(files, 3, "--q, --k and --v go together", error) && refuse_made_up(o, "q", error);
}

static bool read_input(const options_t *o, engine_input_t *input, base_error_t *error) {
  input->source = source(o);
  input->q = o->engine_q;
  input->round = o->round_halves;
  input->k = o->engine_k;
  input->v = o->engine_v;
  input->seq_q = option_count_or(&o->seq_q, 0);
  input->keys = option_count_or(&o->engine_keys, 0);
  input->d = option_count_or(&o->head_dim, 0);
  input->mask = o->mask;
  input->causal = o->causal;
  return (input->source != KERNEL_FILES || check_files(o, error)) && made_up_options(o, &input->made_up, error) &&
         scale_option(o, &input->scale, error);
}

static void read_settings(const options_t *o, engine_settings_t *settings) {
  engine_shape_t *shape = &settings->shape;
  shape->num.hfa.corrected = o->lns.value != 0;
  shape->num.hfa.zero_exact = o->zero_exact;
  shape->num.blocks = (size_t)o->blocks.value;
  shape->num.rows = option_count_or(&o->engine_rows, 0);
  shape->queries = (size_t)o->queries.value;
  shape->one_mul = o->one_mul;
  shape->axi = o->engine_bus.value != 0;
  settings->rtl = o->impl.value == 0;
  settings->out_f32 = o->engine_out_f32;
  settings->threads = machine_threads(o);
  settings->clock_mhz = o->clock_mhz.value;
}

static bool prepare(run_t *run) {
  const options_t *options = &run->options;
  engine_request_t request = engine_request(run->kernel->name);
  request.judge = judge_options(options, options->golden.value);
  request.judge.verify = options->engine_verify;
  read_settings(options, &request.settings);
  request.settings.building = progress_building(&run->progress);
  return recording_engine(run, &request.settings, &run->error) && read_input(options, &request.input, &run->error) &&
         engine_prepare(&request, (engine_run_t *)run->own, &run->error);
}

// --- the kernels ------------------------------------------------------------------------------

static const manual_row_t files[] = {
    {"build/units", "engines built from the Verilog, by their parameters; made when first asked for"},
    {"tests/data/kjv_*", "the shipped language model and text"},
    {"rtl/README.md", "units, ports, latency"},
    {NULL, NULL}};

static const manual_row_t hfa_examples[] = {
    {"run hfa", "a head of the shipped language model"},
    {"run hfa --lns corrected --verify", "better additions; bits and cycles against the C model"},
    {"run hfa --q q.npy --k k.npy --v v.npy --mask m.npy --out o.npy", "arrays of your own"},
    {"run hfa --seq-q 4 --seq-kv 256 --trace w.fst", "waveforms"},
    {NULL, NULL}};

static const manual_row_t fa2_examples[] = {
    {"run fa2", "a head of the shipped language model"},
    {"run fa2 --seq-q 64 --seq-kv 4096 --head-dim 128 --impl c", "made-up input, by the C model"},
    {NULL, NULL}};

static const manual_row_t expmul_examples[] = {{"run expmul", "a head of the shipped language model"},
                                               {"run expmul --seq-q 64 --seq-kv 1024 --head-dim 64 --verify",
                                                "made-up input; bits and cycles against the C model"},
                                               {NULL, NULL}};

static const char notes[] =
    "Rows that attend to an infinity or NaN become NaN and are left out of the error, for which there is no tolerance. "
    "exit codes: 0 done, 1 --verify found a difference or NaN came from finite inputs, 2 bad usage or input, 3 the "
    "engine "
    "did not answer, 130 interrupted (SIGTERM 143, SIGHUP 129)";

const run_front_t run_hfa = {.about =
                                 "attention by the H-FA engine, whose arithmetic behind the scores is logarithmic "
                                 "fixed point. Without inputs it runs on a head of the shipped language model.",
                             .notes = notes,
                             .examples = hfa_examples,
                             .files = files,
                             .prepare = prepare,
                             .print = text_engine};

const run_front_t run_fa2 = {.about =
                                 "attention by the FA-2 engine, H-FA's twin in BF16 floating point. Without inputs it "
                                 "runs on a head of the shipped language model.",
                             .notes = notes,
                             .examples = fa2_examples,
                             .files = files,
                             .prepare = prepare,
                             .print = text_engine};

const run_front_t run_expmul = {.about =
                                    "attention by the ExpMul engine, FA-2 with powers of two for exponentials (arXiv "
                                    "2505.14314). Without inputs it runs on a head of the shipped language model.",
                                .notes = notes,
                                .examples = expmul_examples,
                                .files = files,
                                .prepare = prepare,
                                .print = text_engine};
