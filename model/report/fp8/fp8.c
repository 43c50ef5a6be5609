// The FP8 cache beside FlashMLA's kernel on Hopper: what a token takes by configuration, calls of
// the whole chip, bytes, errors, and where sparse FP8 attention overtakes dense BF16.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "num/num_fp8.h"
#include "report/report_write.h"

// The published numbers (fp8.def).
typedef struct hopper {
#define HOPPER(what, value) double what;
#include "report/fp8/fp8.def"
#undef HOPPER
} hopper_t;

static const hopper_t hopper = {
#define HOPPER(what, value) .what = (value),
#include "report/fp8/fp8.def"
#undef HOPPER
};

enum {
  FP8_ROW_COUNTS = 3,  // of an AI core: 64, 128, 256
  FP8_CONFIGURATIONS = FP8_ROW_COUNTS * 4,
  FP8_FAST = 4,    // configurations of 64 rows, again with cube cores that are fed faster
  FP8_DIRECT = 4,  // crossover with 64 and 128 rows, keys straight into L1
  FP8_DENSE_MAX = 6,
  FP8_SHORT = 8192,  // keys: what a token takes is the difference over the two lengths
  FP8_LONG = 16384,
};

// Removes whatever keeps a cube core with 64 rows below its peak: slow loads, slow moves to L0A and
// L0B, and the scalar core that pushes their commands.
static const char *const fast[] = {"cube.load_gbps=400", "cube.l0a_bytes_per_cycle=512", "cube.l0b_bytes_per_cycle=256",
                                   "scalar.cpi=0.1", "scalar.push_cycles=1"};

// The direct path, which no product has, as options of a run.
#define DIRECT_WORDS "--path direct --set soc.direct_path=1"

// A pair of AI cores with so many rows each, one entry.  At two lengths.
typedef struct row {
  size_t rows;
  bool emulated, crossover;
  const report_outcome_t *brief, *longer;            // this configuration
  const report_outcome_t *bf16_brief, *bf16_longer;  // amla on the same rows
} row_t;

// A call on the chip.
typedef struct call {
  size_t top_k;  // 0: dense
  size_t keys, batch;
  bool crossover;
  size_t rows;  // of an AI core
  const report_outcome_t *outcome;
} call_t;

enum { FP8_CALLS = 6, FP8_ERRORS = 3 };

// Relative errors on some data, BF16 output.
typedef struct error {
  const char *data;
  const report_outcome_t *outcome;
} data_error_t;

typedef struct table {
  row_t row[FP8_CONFIGURATIONS];
  row_t fast[FP8_FAST];      // as row[0] .., with fast cubes
  row_t direct[FP8_DIRECT];  // Direct
  call_t call[FP8_CALLS];
  call_t dense[FP8_DENSE_MAX];  // amla over BF16 on the chip
  size_t dense_count;
  const report_outcome_t *cold[2], *cold_bf16[2];  // HBM: cold L2, both lengths
  data_error_t error[FP8_ERRORS];
  kernel_machine_t pair, chip;
  report_keys_t keys;  // of dense ones
  size_t batch;
} table_t;

// Cycles a token of an AI core, from the longer run and the shorter one: all, the cube's products,
// the vector cores' dequantisation and the rest of their work, which is softmax.
typedef struct cycles_of {
  double all, mma, dequant, softmax;
  double fu;        // cube use in between
  double bound_fu;  // at most, if these three overlapped and nothing else took time
} cycles_t;

enum {
  BENCHMARK_BATCH = 128,
  TOP_K = 2048,
  LONG_TOP_K = 32768,
  CACHE_KEYS = 4096,  // an entry of the benchmark has
};

// --- what follows from the outcomes -----------------------------------------------------------

static double slope(double brief, double longer) { return (longer - brief) / (FP8_LONG - FP8_SHORT); }

static cycles_t cycles_of(const row_t *row, const config_t *config) {
  const double a_cycle = 2.0 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k;
  const double ideal = (double)row->rows * 2 * (NUM_FP8_KEY + NUM_FP8_LATENT) / a_cycle;
  const double vector = slope(row->brief->vector_busy, row->longer->vector_busy);
  cycles_t cycles = {.all = slope((double)row->brief->cycles, (double)row->longer->cycles),
                     .mma = slope(row->brief->cube_busy, row->longer->cube_busy),
                     .softmax = slope(row->bf16_brief->vector_busy, row->bf16_longer->vector_busy)};
  cycles.dequant = vector - cycles.softmax;
  cycles.fu = ideal / cycles.all;
  cycles.bound_fu = ideal / fmax(ideal, vector);
  return cycles;
}

static double kv_bytes(size_t rows, const report_outcome_t *brief, const report_outcome_t *longer) {
  const double read = slope((double)brief->l2_read, (double)longer->l2_read);
  const double written = slope((double)brief->l2_write, (double)longer->l2_write);
  // For a row and a token: FP32 score and BF16 probability there and back; a block of 512 has two
  // atomic passes over the 512 FP32 of the row's output; and, where Q and P share L1's buffers, the
  // row of Q.
  const double others = 2 * (4 + 2) + 2 * 4 + (rows > 128 ? 2.0 * NUM_FP8_KEY / 512 : 0);
  return (read + written) / 2 - (double)rows * others;
}

static double hbm_bytes(const report_outcome_t *const cold[2]) {
  return slope((double)cold[0]->hbm_read, (double)cold[1]->hbm_read);
}

static double tflops(const call_t *call) { return (double)call->outcome->flops / call->outcome->time_us * 1e-6; }

static double break_even(const table_t *report) {
  const double time = report->call[0].outcome->time_us;
  for (size_t i = 0; i + 1 < report->dense_count; ++i) {
    const call_t *a = &report->dense[i];
    const call_t *b = &report->dense[i + 1];
    if (a->outcome->time_us <= time && time < b->outcome->time_us) {
      const double part = (time - a->outcome->time_us) / (b->outcome->time_us - a->outcome->time_us);
      return (double)a->keys + part * (double)(b->keys - a->keys);
    }
  }
  return NAN;
}

static double fixed_us(const table_t *report) {
  const call_t *a = &report->call[2];
  const call_t *b = &report->call[3];
  const double per_key = (b->outcome->time_us - a->outcome->time_us) / (double)(b->top_k - a->top_k);
  return a->outcome->time_us - per_key * (double)a->top_k;
}

static const char *on_off(bool on) { return on ? "on" : "off"; }

// --- the document -----------------------------------------------------------------------------

static void put_row(const row_t *row, const config_t *config, const char *note, cJSON *list) {
  const cycles_t cycles = cycles_of(row, config);
  cJSON *object = report_row(list, NUMBER("rows", row->rows), TEXT("convert", row->emulated ? "emulated" : "native"),
                             TEXT("crossover", on_off(row->crossover)), NUMBER("cycles_per_token", cycles.all),
                             NUMBER("fu", cycles.fu), NUMBER("mma", cycles.mma), NUMBER("dequant", cycles.dequant),
                             NUMBER("softmax", cycles.softmax), NUMBER("bound_fu", cycles.bound_fu),
                             TEXT("busiest", row->longer->bound), NUMBER("busiest_busy", row->longer->bound_busy),
                             NUMBER("kv_l2_bytes", kv_bytes(row->rows, row->brief, row->longer)), TEXT(".note", note),
                             TEXT(".convert", row->emulated ? "emul." : "native"));
  if ((double)row->rows != hopper.rows) {
    report_put(object, NOTHING("paper"));
    return;
  }
  const hopper_t *paper = &hopper;
  report_put(object, NUMBER("paper/mma", paper->mma),
             NUMBER("paper/dequant", row->crossover ? paper->dequant_crossover : paper->dequant),
             NUMBER("paper/tflops", row->crossover ? paper->tflops_crossover : paper->tflops));
}

static void put_rows(const row_t *row, size_t count, const config_t *config, const char *note, const char *name,
                     cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, name);
  for (size_t i = 0; i < count; ++i) {
    put_row(&row[i], config, note, list);
  }
}

static void put_call(const call_t *call, bool bf16, double paper, cJSON *list) {
  cJSON *object =
      report_row(list, TEXT("cache", bf16 ? "bf16" : "fp8"), NUMBER("batch", call->batch), NUMBER("seq_q", 2),
                 NUMBER("seq_kv", call->keys), NUMBER("top_k", call->top_k), NUMBER("rows", call->rows));
  if (bf16) {
    report_put(object, NOTHING("crossover"));
  } else {
    report_put(object, TEXT("crossover", on_off(call->crossover)));
  }
  report_put(object, NUMBER("time_us", call->outcome->time_us), NUMBER("fu", call->outcome->fu),
             NUMBER("tflops", tflops(call)), TEXT("busiest", call->outcome->bound),
             TEXT(".cache", bf16 ? "BF16" : "FP8"), NUMBER(".paper", paper),
             NUMBER(".top_k", call->top_k == 0 ? NAN : (double)call->top_k));
}

// Published TFLOPS of the i-th call.
static double paper_tflops(size_t i) {
  return i == 0 ? hopper.tflops_crossover : i == 1 ? hopper.tflops : i == 3 ? hopper.tflops_top_k_32768 : NAN;
}

static void put_calls(const table_t *report, cJSON *root) {
  cJSON *calls = cJSON_AddArrayToObject(root, "calls");
  for (size_t i = 0; i < FP8_CALLS; ++i) {
    put_call(&report->call[i], false, paper_tflops(i), calls);
  }
  for (size_t i = 0; i < report->dense_count; ++i) {
    put_call(&report->dense[i], true, NAN, calls);
  }
  const double keys = break_even(report);
  report_put(root, NUMBER("fixed_us", fixed_us(report)), NUMBER("break_even_keys", keys));
  if (isnan(keys)) {
    report_put(root, TEXT(".break_even",
                          "Dense attention over BF16 is not as slow or fast as the "
                          "first call at any of these lengths."));
  } else {
    report_put_text(root, ".break_even",
                    "Dense attention over BF16 takes as long as the first call at "
                    "%.0f keys (Hopper: around %.0f).",
                    keys, hopper.break_even_keys);
  }
}

static void put_errors(const table_t *report, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "errors");
  for (size_t i = 0; i < FP8_ERRORS; ++i) {
    const report_outcome_t *outcome = report->error[i].outcome;
    report_row(list, TEXT("data", report->error[i].data), NUMBER("dequantised", outcome->bf16),
               NUMBER("cos_diff", outcome->cos_diff), NUMBER("bf16_cache", outcome->unquantised));
  }
}

// As options of a run.
static void put_fast(cJSON *root) {
  char words[256] = "";
  for (size_t i = 0; i < sizeof fast / sizeof *fast; ++i) {
    const size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s--set %s", i == 0 ? "" : " ", fast[i]);
  }
  report_put(root, TEXT("fast_cube", words));
}

static void fill(const void *data, cJSON *root) {
  const table_t *report = data;
  const row_t *row = report->row;
  put_rows(row, FP8_CONFIGURATIONS, &report->pair.soc.config, "", "rows", root);
  put_fast(root);
  put_rows(report->fast, FP8_FAST, &report->pair.soc.config, ", fast", "rows_fast_cube", root);
  report_put(root, TEXT("direct_path", DIRECT_WORDS));
  put_rows(report->direct, FP8_DIRECT, &report->pair.soc.config, ", direct", "rows_direct_path", root);
  put_calls(report, root);
  report_put(root, NUMBER("bytes_per_token/hbm", hbm_bytes(report->cold)),
             NUMBER("bytes_per_token/hbm_bf16", hbm_bytes(report->cold_bf16)),
             NUMBER("bytes_per_token/kv_l2_bf16", kv_bytes(row->rows, row->bf16_brief, row->bf16_longer)));
  put_errors(report, root);
  cJSON *paper = cJSON_AddObjectToObject(root, "paper");
#define HOPPER(what, value) report_put(paper, NUMBER(#what, hopper.what));
#include "report/fp8/fp8.def"
#undef HOPPER
  report_put(root, NUMBER(".heads", REPORT_HEADS), NUMBER(".short", FP8_SHORT), NUMBER(".long", FP8_LONG),
             NUMBER(".load_gbps", report->pair.soc.config.cube.load_gbps),
             NUMBER(".cores", report->chip.soc.config.soc.ai_cores));
}

// --- the simulations --------------------------------------------------------------------------

// The machine that a configuration is simulated with.
typedef enum variant { AS_IS, FAST, DIRECT, COLD } variant_t;

static const char *const variant_names[] = {"", ", fast cubes", ", direct", ", cold"};

static void change(report_job_t *job, variant_t variant) {
  if (variant == FAST) {
    for (size_t i = 0; i < sizeof fast / sizeof *fast; ++i) {
      report_job_set(job, "%s", fast[i]);
    }
  } else if (variant == DIRECT) {
    job->fp8.settings.direct = true;
    report_job_set(job, "soc.direct_path=1");
  }
  job->machine->soc.l2_warm = variant != COLD;
}

static fp8_crossover_t crossover(bool on) { return on ? FP8_CROSSOVER_ON : FP8_CROSSOVER_OFF; }

static const report_outcome_t *add_row(report_jobs_t *jobs, const table_t *report, const row_t *row, size_t keys,
                                       variant_t variant) {
  report_job_t *job =
      report_add(jobs, &report->pair, "fp8", "%zu rows, %zu keys, %s, crossover %s%s", row->rows, keys,
                 row->emulated ? "emulated" : "native", row->crossover ? "on" : "off", variant_names[variant]);
  job->fp8.input.seq_q = row->rows / 64;
  job->fp8.input.keys = keys;
  job->fp8.settings.attention.group_rows = (unsigned)row->rows;
  job->fp8.settings.crossover = crossover(row->crossover);
  job->machine->soc.config.vector.e4m3_emulated = row->emulated;
  change(job, variant);
  return &job->outcome;
}

// amla on as many rows.
static const report_outcome_t *add_bf16(report_jobs_t *jobs, const table_t *report, size_t rows, size_t keys,
                                        variant_t variant) {
  report_job_t *job =
      report_add(jobs, &report->pair, "amla", "%zu rows, %zu keys, BF16%s", rows, keys, variant_names[variant]);
  job->attention.input.seq_q = rows / 64;
  job->attention.input.keys = keys;
  job->attention.settings.group_rows = (unsigned)rows;
  change(job, variant);
  return &job->outcome;
}

// Every configuration, and amla on the same rows, at both lengths.
static void add_rows(report_jobs_t *jobs, table_t *report) {
  for (size_t i = 0; i < FP8_CONFIGURATIONS; ++i) {
    row_t *row = &report->row[i];
    const size_t rows = (size_t)64 << i / 4;
    *row = (row_t){.rows = rows, .emulated = i % 4 >= 2, .crossover = i % 2 == 0};
    row->brief = add_row(jobs, report, row, FP8_SHORT, AS_IS);
    row->longer = add_row(jobs, report, row, FP8_LONG, AS_IS);
    row->bf16_brief = i % 4 != 0 ? row[-1].bf16_brief : add_bf16(jobs, report, rows, FP8_SHORT, AS_IS);
    row->bf16_longer = i % 4 != 0 ? row[-1].bf16_longer : add_bf16(jobs, report, rows, FP8_LONG, AS_IS);
  }
}

// A configuration again, on another machine.
static row_t again(report_jobs_t *jobs, const table_t *report, const row_t *as, variant_t variant) {
  row_t row = *as;
  row.brief = add_row(jobs, report, as, FP8_SHORT, variant);
  row.longer = add_row(jobs, report, as, FP8_LONG, variant);
  return row;
}

static void add_what_ifs(report_jobs_t *jobs, table_t *report) {
  for (size_t i = 0; i < FP8_FAST; ++i) {
    report->fast[i] = again(jobs, report, &report->row[i], FAST);
  }
  for (size_t i = 0; i < FP8_DIRECT; ++i) {  // those with crossover
    report->direct[i] = again(jobs, report, &report->row[2 * i], DIRECT);
  }
}

static void add_cold(report_jobs_t *jobs, table_t *report) {
  for (size_t i = 0; i < 2; ++i) {
    const size_t keys = i == 0 ? FP8_SHORT : FP8_LONG;
    report->cold[i] = add_row(jobs, report, &report->row[0], keys, COLD);
    report->cold_bf16[i] = add_bf16(jobs, report, report->row[0].rows, keys, COLD);
  }
}

static void add_call(report_jobs_t *jobs, const table_t *report, call_t *call) {
  report_job_t *job =
      report_add(jobs, &report->chip, "fp8", "chip, batch %zu, %zu keys, top-k %zu%s, %zu rows", call->batch,
                 call->keys, call->top_k, call->crossover ? "" : ", crossover off", call->rows);
  fp8_input_t *input = &job->fp8.input;
  input->batch = call->batch;
  input->seq_q = 2;
  input->keys = call->keys;
  input->top_k = call->top_k;
  job->fp8.settings.attention.group_rows = (unsigned)call->rows;
  job->fp8.settings.crossover = crossover(call->crossover);
  call->outcome = &job->outcome;
}

static void add_dense(report_jobs_t *jobs, const table_t *report, call_t *call) {
  report_job_t *job = report_add(jobs, &report->chip, "amla", "chip, batch %zu, %zu keys, BF16, %zu rows", call->batch,
                                 call->keys, call->rows);
  attention_input_t *input = &job->attention.input;
  input->batch = call->batch;
  input->seq_q = 2;
  input->keys = call->keys;
  job->attention.settings.group_rows = (unsigned)call->rows;
  call->outcome = &job->outcome;
}

static void add_calls(report_jobs_t *jobs, table_t *report) {
  const size_t pairs = report->chip.soc.config.soc.ai_cores / 2;
  const size_t few = report->batch < pairs ? report->batch : pairs;
  const call_t calls[FP8_CALLS] = {
      {TOP_K, CACHE_KEYS, report->batch, true, REPORT_HEADS / 2, NULL},
      {TOP_K, CACHE_KEYS, report->batch, false, REPORT_HEADS / 2, NULL},
      {TOP_K, LONG_TOP_K, few, true, REPORT_HEADS / 2, NULL},
      {LONG_TOP_K, LONG_TOP_K, few, true, REPORT_HEADS / 2, NULL},
      {0, LONG_TOP_K, few, true, REPORT_HEADS, NULL},
      {TOP_K, CACHE_KEYS, report->batch, false, REPORT_HEADS, NULL},
  };
  for (size_t i = 0; i < FP8_CALLS; ++i) {
    report->call[i] = calls[i];
    add_call(jobs, report, &report->call[i]);
  }
  const report_keys_t *keys = &report->keys;
  report->dense_count = keys->count;
  for (size_t i = 0; i < keys->count; ++i) {
    report->dense[i] = (call_t){0, keys->list[i], report->batch, false, 2 * REPORT_HEADS, NULL};
    add_dense(jobs, report, &report->dense[i]);
  }
}

// keys 0: the shipped data.
static void add_errors(report_jobs_t *jobs, table_t *report) {
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
    report_job_t *job = report_add(jobs, &report->pair, "fp8", "%s", data[i].name);
    fp8_input_t *input = &job->fp8.input;
    input->source = data[i].keys == 0 ? KERNEL_SHIPPED : KERNEL_MADE_UP;
    input->keys = data[i].keys;
    input->top_k = data[i].top_k;
    input->made_up.distribution.width = data[i].width;
    report_job_judge(job);
    report->error[i] = (data_error_t){data[i].name, &job->outcome};
  }
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  add_rows(jobs, data);
  add_what_ifs(jobs, data);
  add_cold(jobs, data);
  add_calls(jobs, data);
  add_errors(jobs, data);
}

REPORT_TEMPLATE(fp8_text, "fp8/fp8.md");
static const report_t fp8 = {fill, fp8_text, add_jobs, NULL};

bool report_fp8(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_keys_t usual = {.list = {1024, 2048, 3072, 4096, 6144}, .count = 5};
  const report_settings_t *settings = context->settings;
  report_settings_t of_pair = *settings;
  const report_context_t pair = {.name = context->name, .settings = &of_pair, .made = context->made};
  table_t report = {.batch = kernel_size_or(settings->batch, BENCHMARK_BATCH)};
  of_pair.config = NULL;  // --config and --cores are of the chip
  of_pair.cores = 0;
  if (!report_machine(&pair, "ascend910_pair", 0, &report.pair, error) ||
      !report_machine(context, "ascend910", 0, &report.chip, error) ||
      !report_keys(settings, &usual, &report.keys, error)) {
    return false;
  }
  if (report.keys.count > FP8_DENSE_MAX) {
    return base_fail(error, "--seq-kv: expected at most %d numbers of keys", FP8_DENSE_MAX);
  }
  return report_simulate(context, &fp8, false, &report, code, error);
}
