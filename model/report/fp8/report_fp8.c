// The FP8 cache beside FlashMLA's kernel on Hopper: what a token takes by configuration, calls of
// the whole chip, bytes, errors, and where sparse FP8 attention overtakes dense BF16.
// SPDX-License-Identifier: Apache-2.0
#include "report/fp8/report_fp8.h"

#include <math.h>

#include "report/report_write.h"

const report_hopper_t report_hopper = {
#define HOPPER(what, value) .what = (value),
#include "report/fp8/report_fp8.def"
#undef HOPPER
};

enum {
  BENCHMARK_BATCH = 128,
  TOP_K = 2048,
  LONG_TOP_K = 32768,
  CACHE_KEYS = 4096,       // an entry of the benchmark has
  JOBS_MAX = 2 * (FP8_CONFIGURATIONS + FP8_FAST + FP8_DIRECT) + 2 * FP8_ROW_COUNTS + FP8_CALLS +
             FP8_DENSE_MAX + 4 + FP8_ERRORS
};

// --- what follows from the outcomes -----------------------------------------------------------

static double slope(double brief, double longer) {
  return (longer - brief) / (FP8_LONG - FP8_SHORT);
}

report_fp8_cycles_t report_fp8_cycles(const report_fp8_row_t *row, const config_t *config) {
  const double a_cycle = 2.0 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k;
  const double ideal = (double)row->rows * 2 * (NUM_FP8_KEY + NUM_FP8_LATENT) / a_cycle;
  const double vector = slope(row->brief->vector_busy, row->longer->vector_busy);
  report_fp8_cycles_t cycles = {
      .all = slope((double)row->brief->cycles, (double)row->longer->cycles),
      .mma = slope(row->brief->cube_busy, row->longer->cube_busy),
      .softmax = slope(row->bf16_brief->vector_busy, row->bf16_longer->vector_busy)};
  cycles.dequant = vector - cycles.softmax;
  cycles.fu = ideal / cycles.all;
  cycles.bound_fu = ideal / fmax(ideal, vector);
  return cycles;
}

double report_fp8_kv_bytes(size_t rows, const report_outcome_t *brief,
                           const report_outcome_t *longer) {
  const double read = slope((double)brief->l2_read, (double)longer->l2_read);
  const double written = slope((double)brief->l2_write, (double)longer->l2_write);
  // Of a row and token: FP32 score and BF16 probability there and back; a block of 512 has two
  // atomic passes over the 512 FP32 of the row's output; and, where Q and P share L1's buffers, the
  // row of Q.
  const double others = 2 * (4 + 2) + 2 * 4 + (rows > 128 ? 2.0 * NUM_FP8_KEY / 512 : 0);
  return (read + written) / 2 - (double)rows * others;
}

double report_fp8_hbm_bytes(const report_outcome_t *const cold[2]) {
  return slope((double)cold[0]->hbm_read, (double)cold[1]->hbm_read);
}

double report_fp8_tflops(const report_fp8_call_t *call) {
  return (double)call->outcome->flops / call->outcome->time_us * 1e-6;
}

double report_fp8_break_even(const report_fp8_t *report) {
  const double time = report->call[0].outcome->time_us;
  for (size_t i = 0; i + 1 < report->dense_count; ++i) {
    const report_fp8_call_t *a = &report->dense[i];
    const report_fp8_call_t *b = &report->dense[i + 1];
    if (a->outcome->time_us <= time && time < b->outcome->time_us) {
      const double part =
          (time - a->outcome->time_us) / (b->outcome->time_us - a->outcome->time_us);
      return (double)a->keys + part * (double)(b->keys - a->keys);
    }
  }
  return NAN;
}

double report_fp8_fixed_us(const report_fp8_t *report) {
  const report_fp8_call_t *a = &report->call[2];
  const report_fp8_call_t *b = &report->call[3];
  const double per_key =
      (b->outcome->time_us - a->outcome->time_us) / (double)(b->top_k - a->top_k);
  return a->outcome->time_us - per_key * (double)a->top_k;
}

// --- the simulations --------------------------------------------------------------------------

typedef struct machines {
  kernel_machine_t pair, chip;
} machines_t;

// What a configuration is simulated with besides.
typedef enum variant { AS_IS, FAST, DIRECT, COLD } variant_t;

static const char *const variant_names[] = {"", ", fast cubes", ", direct", ", cold"};

// REPORT_FP8_FAST.
static const char *const fast[] = {"cube.load_gbps=400", "cube.l0a_bytes_per_cycle=512",
                                   "cube.l0b_bytes_per_cycle=256", "scalar.cpi=0.1",
                                   "scalar.push_cycles=1"};

static void change(report_job_t *job, variant_t variant) {
  if (variant == FAST) {
    for (size_t i = 0; i < sizeof fast / sizeof *fast; ++i) {
      report_job_set(job, "%s", fast[i]);
    }
  } else if (variant == DIRECT) {
    job->fp8.settings.direct = true;
    report_job_set(job, "soc.direct_path=1");
  }
  report_job_machine(job)->soc.l2_warm = variant != COLD;
}

static fp8_crossover_t crossover(bool on) { return on ? FP8_CROSSOVER_ON : FP8_CROSSOVER_OFF; }

static const report_outcome_t *add_row(report_jobs_t *jobs, const machines_t *machines,
                                       const report_fp8_row_t *row, size_t keys,
                                       variant_t variant) {
  report_job_t *job = report_add(
      jobs, &machines->pair, "fp8", "%zu rows, %zu keys, %s, crossover %s%s", row->rows, keys,
      row->emulated ? "emulated" : "native", row->crossover ? "on" : "off", variant_names[variant]);
  job->fp8.input.seq_q = row->rows / 64;
  job->fp8.input.keys = keys;
  job->fp8.settings.attention.group_rows = (unsigned)row->rows;
  job->fp8.settings.crossover = crossover(row->crossover);
  report_job_machine(job)->soc.config.vector.e4m3_emulated = row->emulated;
  change(job, variant);
  return &job->outcome;
}

// amla on as many rows.
static const report_outcome_t *add_bf16(report_jobs_t *jobs, const machines_t *machines,
                                        size_t rows, size_t keys, variant_t variant) {
  report_job_t *job = report_add(jobs, &machines->pair, "amla", "%zu rows, %zu keys, BF16%s", rows,
                                 keys, variant_names[variant]);
  job->attention.input.seq_q = rows / 64;
  job->attention.input.keys = keys;
  job->attention.settings.group_rows = (unsigned)rows;
  change(job, variant);
  return &job->outcome;
}

// Every configuration, and amla on the same rows, at both lengths.
static void add_rows(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report) {
  for (size_t i = 0; i < FP8_CONFIGURATIONS; ++i) {
    report_fp8_row_t *row = &report->row[i];
    const size_t rows = (size_t)64 << i / 4;
    *row = (report_fp8_row_t){.rows = rows, .emulated = i % 4 >= 2, .crossover = i % 2 == 0};
    row->brief = add_row(jobs, machines, row, FP8_SHORT, AS_IS);
    row->longer = add_row(jobs, machines, row, FP8_LONG, AS_IS);
    row->bf16_brief =
        i % 4 != 0 ? row[-1].bf16_brief : add_bf16(jobs, machines, rows, FP8_SHORT, AS_IS);
    row->bf16_longer =
        i % 4 != 0 ? row[-1].bf16_longer : add_bf16(jobs, machines, rows, FP8_LONG, AS_IS);
  }
}

// A configuration again, on another machine.
static report_fp8_row_t again(report_jobs_t *jobs, const machines_t *machines,
                              const report_fp8_row_t *as, variant_t variant) {
  report_fp8_row_t row = *as;
  row.brief = add_row(jobs, machines, as, FP8_SHORT, variant);
  row.longer = add_row(jobs, machines, as, FP8_LONG, variant);
  return row;
}

static void add_what_ifs(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report) {
  for (size_t i = 0; i < FP8_FAST; ++i) {
    report->fast[i] = again(jobs, machines, &report->row[i], FAST);
  }
  for (size_t i = 0; i < FP8_DIRECT; ++i) {   // those with crossover
    report->direct[i] = again(jobs, machines, &report->row[2 * i], DIRECT);
  }
}

static void add_cold(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report) {
  for (size_t i = 0; i < 2; ++i) {
    const size_t keys = i == 0 ? FP8_SHORT : FP8_LONG;
    report->cold[i] = add_row(jobs, machines, &report->row[0], keys, COLD);
    report->cold_bf16[i] = add_bf16(jobs, machines, report->row[0].rows, keys, COLD);
  }
}

static void add_call(report_jobs_t *jobs, const machines_t *machines, report_fp8_call_t *call) {
  report_job_t *job = report_add(
      jobs, &machines->chip, "fp8", "chip, batch %zu, %zu keys, top-k %zu%s, %zu rows",
      call->batch, call->keys, call->top_k, call->crossover ? "" : ", crossover off", call->rows);
  fp8_input_t *input = &job->fp8.input;
  input->batch = call->batch;
  input->seq_q = 2;
  input->keys = call->keys;
  input->top_k = call->top_k;
  job->fp8.settings.attention.group_rows = (unsigned)call->rows;
  job->fp8.settings.crossover = crossover(call->crossover);
  call->outcome = &job->outcome;
}

static void add_dense(report_jobs_t *jobs, const machines_t *machines, report_fp8_call_t *call) {
  report_job_t *job = report_add(jobs, &machines->chip, "amla",
                                 "chip, batch %zu, %zu keys, BF16, %zu rows", call->batch,
                                 call->keys, call->rows);
  attention_input_t *input = &job->attention.input;
  input->batch = call->batch;
  input->seq_q = 2;
  input->keys = call->keys;
  job->attention.settings.group_rows = (unsigned)call->rows;
  call->outcome = &job->outcome;
}

static void add_calls(report_jobs_t *jobs, const machines_t *machines, const report_keys_t *keys,
                      report_fp8_t *report) {
  const size_t pairs = report->chip.soc.ai_cores / 2;
  const size_t few = report->batch < pairs ? report->batch : pairs;
  const report_fp8_call_t calls[FP8_CALLS] = {
      {TOP_K, CACHE_KEYS, report->batch, true, REPORT_HEADS / 2, NULL},
      {TOP_K, CACHE_KEYS, report->batch, false, REPORT_HEADS / 2, NULL},
      {TOP_K, LONG_TOP_K, few, true, REPORT_HEADS / 2, NULL},
      {LONG_TOP_K, LONG_TOP_K, few, true, REPORT_HEADS / 2, NULL},
      {0, LONG_TOP_K, few, true, REPORT_HEADS, NULL},
      {TOP_K, CACHE_KEYS, report->batch, false, REPORT_HEADS, NULL},
  };
  for (size_t i = 0; i < FP8_CALLS; ++i) {
    report->call[i] = calls[i];
    add_call(jobs, machines, &report->call[i]);
  }
  report->dense_count = keys->count;
  for (size_t i = 0; i < keys->count; ++i) {
    report->dense[i] = (report_fp8_call_t){0, keys->list[i], report->batch, false,
                                           2 * REPORT_HEADS, NULL};
    add_dense(jobs, machines, &report->dense[i]);
  }
}

// keys 0: the shipped data.
static void add_errors(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report) {
  static const struct {
    const char *name;
    size_t keys, top_k;
    double width;
  } data[FP8_ERRORS] = {
      {"shipped MLA model, two tokens", 0, 0, 0},
      {"N(0,1), 8192 keys", 8192, 0, 1},
      {"N(0,0.01), top-k 2048 of 8192, as FlashMLA's tests", 8192, 2048, 0.1},
  };
  for (size_t i = 0; i < FP8_ERRORS; ++i) {
    report_job_t *job = report_add(jobs, &machines->pair, "fp8", "%s", data[i].name);
    fp8_input_t *input = &job->fp8.input;
    input->source = data[i].keys == 0 ? KERNEL_SHIPPED : KERNEL_MADE_UP;
    input->keys = data[i].keys;
    input->top_k = data[i].top_k;
    input->made_up.distribution.width = data[i].width;
    report_job_judge(job);
    report->error[i] = (report_fp8_error_t){data[i].name, &job->outcome};
  }
}

// --- all of it --------------------------------------------------------------------------------

static bool run_and_write(const report_context_t *context, const machines_t *machines,
                          const report_keys_t *keys, report_fp8_t *report, base_exit_t *code,
                          base_error_t *error) {
  report_jobs_t jobs;
  if (!report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_rows(&jobs, machines, report);
  add_what_ifs(&jobs, machines, report);
  add_cold(&jobs, machines, report);
  add_calls(&jobs, machines, keys, report);
  add_errors(&jobs, machines, report);
  const bool good = report_run_and_write(context, &jobs, false, &report_fp8_files, report, code, error);
  report_jobs_close(&jobs);
  return good;
}

bool report_fp8(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_keys_t usual = {.list = {1024, 2048, 3072, 4096, 6144}, .count = 5};
  const report_settings_t *settings = context->settings;
  report_settings_t of_pair = *settings;
  report_keys_t keys;
  static machines_t machines;
  report_fp8_t report = {
      .batch = kernel_size_or(settings->batch, BENCHMARK_BATCH)};
  of_pair.config = NULL;   // --config and --cores are of the chip
  of_pair.cores = 0;
  if (!report_machine(&of_pair, "ascend910_pair", 0, &machines.pair, error) ||
      !report_machine(settings, "ascend910", 0, &machines.chip, error) ||
      !report_keys(settings, &usual, &keys, error)) {
    return false;
  }
  if (keys.count > FP8_DENSE_MAX) {
    return base_fail(error, "--seq-kv: expected at most %d numbers of keys", FP8_DENSE_MAX);
  }
  report.pair = machines.pair.soc.config;
  report.chip = machines.chip.soc.config;
  return run_and_write(context, &machines, &keys, &report, code, error);
}
