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
  report_machine_t pair, chip;
} machines_t;

static const report_outcome_t *add_row(report_jobs_t *jobs, const machines_t *machines,
                                       const report_fp8_row_t *row, bool bf16, size_t keys,
                                       const char *words, base_error_t *error) {
  char name[REPORT_NAME_BYTES];
  char kernel[64] = "";
  if (!bf16) {
    snprintf(kernel, sizeof kernel, " --convert %s --crossover %s",
             row->emulated ? "emulated" : "native", row->crossover ? "on" : "off");
  }
  snprintf(name, sizeof name, "%zu rows, %zu keys%s%.11s", row->rows, keys,
           bf16 ? ", BF16" : kernel, words);
  const report_job_t *job = report_add(
      jobs, &machines->pair.common, name, error,
      "%s --heads %d --seq-q %zu --seq-kv %zu --group-rows %zu --timing-only --threads 1%s%s",
      bf16 ? "amla" : "fp8", REPORT_HEADS, row->rows / 64, keys, row->rows, words, kernel);
  return job == NULL ? NULL : &job->outcome;
}

// Every configuration, and amla on the same rows, at both lengths.
static bool add_rows(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report,
                     base_error_t *error) {
  for (size_t i = 0; i < FP8_CONFIGURATIONS; ++i) {
    report_fp8_row_t *row = &report->row[i];
    *row = (report_fp8_row_t){.rows = (size_t)64 << i / 4, .emulated = i % 4 >= 2,
                              .crossover = i % 2 == 0};
    row->brief = add_row(jobs, machines, row, false, FP8_SHORT, "", error);
    row->longer = row->brief == NULL
                      ? NULL
                      : add_row(jobs, machines, row, false, FP8_LONG, "", error);
    row->bf16_brief = i % 4 != 0 ? row[-1].bf16_brief
                                 : add_row(jobs, machines, row, true, FP8_SHORT, "", error);
    row->bf16_longer = i % 4 != 0 ? row[-1].bf16_longer
                                  : add_row(jobs, machines, row, true, FP8_LONG, "", error);
    if (row->longer == NULL || row->bf16_brief == NULL || row->bf16_longer == NULL) {
      return false;
    }
  }
  return true;
}

// A configuration again, on another machine.
static bool add_again(report_jobs_t *jobs, const machines_t *machines, const char *words,
                      const report_fp8_row_t *as, report_fp8_row_t *row, base_error_t *error) {
  *row = *as;
  row->brief = add_row(jobs, machines, row, false, FP8_SHORT, words, error);
  row->longer =
      row->brief == NULL ? NULL : add_row(jobs, machines, row, false, FP8_LONG, words, error);
  return row->longer != NULL;
}

static bool add_what_ifs(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report,
                         base_error_t *error) {
  for (size_t i = 0; i < FP8_FAST; ++i) {
    if (!add_again(jobs, machines, REPORT_FP8_FAST, &report->row[i], &report->fast[i], error)) {
      return false;
    }
  }
  for (size_t i = 0; i < FP8_DIRECT; ++i) {   // those with crossover
    if (!add_again(jobs, machines, REPORT_FP8_DIRECT, &report->row[2 * i], &report->direct[i],
                   error)) {
      return false;
    }
  }
  return true;
}

static bool add_cold(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report,
                     base_error_t *error) {
  for (size_t i = 0; i < 2; ++i) {
    const size_t keys = i == 0 ? FP8_SHORT : FP8_LONG;
    report->cold[i] = add_row(jobs, machines, &report->row[0], false, keys, " --l2 cold", error);
    report->cold_bf16[i] =
        add_row(jobs, machines, &report->row[0], true, keys, " --l2 cold", error);
    if (report->cold[i] == NULL || report->cold_bf16[i] == NULL) {
      return false;
    }
  }
  return true;
}

static bool add_call(report_jobs_t *jobs, const machines_t *machines, bool bf16,
                     report_fp8_call_t *call, base_error_t *error) {
  char name[REPORT_NAME_BYTES];
  char lists[64] = "";
  if (call->top_k != 0) {
    snprintf(lists, sizeof lists, " --top-k %zu", call->top_k);
  }
  snprintf(name, sizeof name, "chip, batch %zu, %zu keys%s%s, %zu rows", call->batch, call->keys,
           lists, bf16 ? ", BF16" : call->crossover ? "" : ", crossover off", call->rows);
  const report_job_t *job =
      report_add(jobs, &machines->chip.common, name, error,
                 "%s --heads %d --seq-q 2 --batch %zu --seq-kv %zu --group-rows %zu --timing-only "
                 "--threads 1%s%s",
                 bf16 ? "amla" : "fp8", REPORT_HEADS, call->batch, call->keys, call->rows, lists,
                 bf16 ? "" : call->crossover ? " --crossover on" : " --crossover off");
  call->outcome = job == NULL ? NULL : &job->outcome;
  return job != NULL;
}

static bool add_calls(report_jobs_t *jobs, const machines_t *machines, const report_keys_t *keys,
                      report_fp8_t *report, base_error_t *error) {
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
    if (!add_call(jobs, machines, false, &report->call[i], error)) {
      return false;
    }
  }
  report->dense_count = keys->count;
  for (size_t i = 0; i < keys->count; ++i) {
    report->dense[i] = (report_fp8_call_t){0, keys->list[i], report->batch, false,
                                           2 * REPORT_HEADS, NULL};
    if (!add_call(jobs, machines, true, &report->dense[i], error)) {
      return false;
    }
  }
  return true;
}

static bool add_errors(report_jobs_t *jobs, const machines_t *machines, report_fp8_t *report,
                       base_error_t *error) {
  static const struct {
    const char *name, *words;
  } data[FP8_ERRORS] = {
      {"shipped MLA model, two tokens", ""},
      {"N(0,1), 8192 keys", " --seq-kv 8192 --dist normal:1"},
      {"N(0,0.01), top-k 2048 of 8192, as FlashMLA's tests",
       " --seq-kv 8192 --top-k 2048 --dist normal:0.1"},
  };
  for (size_t i = 0; i < FP8_ERRORS; ++i) {
    report_job_t *job = report_add(jobs, &machines->pair.common, data[i].name, error,
                                   "fp8 --out-f32%s", data[i].words);
    if (job == NULL) {
      return false;
    }
    job->judged = true;
    report->error[i] = (report_fp8_error_t){data[i].name, &job->outcome};
  }
  return true;
}

// --- all of it --------------------------------------------------------------------------------

static bool run_and_write(const report_context_t *context, const machines_t *machines,
                          const report_keys_t *keys, report_fp8_t *report, base_exit_t *code,
                          base_error_t *error) {
  report_jobs_t jobs;
  const report_files_t files = {.name = context->name, .data = report, .json = report_fp8_json,
                                .markdown = report_fp8_markdown, .plot = report_fp8_plot};
  if (!report_jobs_open(&jobs, JOBS_MAX, context->options->quiet, error)) {
    return false;
  }
  const bool good = add_rows(&jobs, machines, report, error) &&
                    add_what_ifs(&jobs, machines, report, error) &&
                    add_cold(&jobs, machines, report, error) &&
                    add_calls(&jobs, machines, keys, report, error) &&
                    add_errors(&jobs, machines, report, error) &&
                    report_run_and_write(&jobs, false, &files, context->options->report_out, code,
                                         error);
  report_jobs_close(&jobs);
  return good;
}

bool report_fp8(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_keys_t usual = {.list = {1024, 2048, 3072, 4096, 6144}, .count = 5};
  const options_t *options = context->options;
  options_t of_pair = *options;
  report_keys_t keys;
  static machines_t machines;
  report_fp8_t report = {
      .batch = option_count_or(&options->report_batch, BENCHMARK_BATCH)};
  of_pair.report_config = NULL;   // --config and --cores are of the chip
  of_pair.report_cores.given = false;
  if (!report_machine(&of_pair, "ascend910_pair", 0, &machines.pair, error) ||
      !report_machine(options, "ascend910", 0, &machines.chip, error) ||
      !report_keys(options, &usual, &keys, error)) {
    return false;
  }
  if (keys.count > FP8_DENSE_MAX) {
    return base_fail(error, "--seq-kv: expected at most %d numbers of keys", FP8_DENSE_MAX);
  }
  report.pair = machines.pair.config;
  report.chip = machines.chip.config;
  return run_and_write(context, &machines, &keys, &report, code, error);
}
