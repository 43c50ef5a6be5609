// Times of real chips that others have measured, ours beside them: those that constants of the machine were derived
// from, those that they were fitted to, and those that no constant has seen.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/amla/paper.h"
#include "report/report_write.h"
#include "report/validation/fit.h"

// A first launch, and two that are warm.
enum { LAUNCHES = 3, ROWS_MAX = 64 };

enum kind { CALIBRATION, FITTED, PREDICTED, KINDS };
enum launch { SINGLE, COLD, BACK_TO_BACK };
enum type { FP16, FP16_F32, BF16 };

static const char *const launches[] = {[SINGLE] = "single", [COLD] = "single, cold", [BACK_TO_BACK] = "back to back"};

static const struct {
  const char *name, *text;
} kinds[KINDS] = {{"calibration", "calibration"}, {"fitted", "fitted"}, {"predicted", "never fitted"}};

enum source {
#define SOURCE(id, text) SOURCE_##id,
#include "report/validation/validation.def"
  SOURCE_TABLE5,
  SOURCES
};

static const char *const sources[SOURCES] = {
#define SOURCE(id, text) [SOURCE_##id] = (text),
#include "report/validation/validation.def"
    [SOURCE_TABLE5] = "AMLA paper (arXiv 2509.25224), table 5"};

// A measurement, and its simulation.
typedef struct row {
  enum source source;
  enum kind kind;
  enum launch launch;
  const char *group;  // "GEMM"
  const char *chip, *conditions;
  char what[80];
  size_t cores;
  double mhz, us, other_us;  // of another host, 0: there is none
  size_t m, n, k;            // of a product; of attention queries and keys
  enum type type;
  enum gemm_layout layout;
  gemm_cut_t cut;  // 0: chosen
  const report_outcome_t *ours;
} row_t;

static const struct {
  size_t size;
  double m, mte1, mte2;
} pipes[] = {
#define PIPES(...) {__VA_ARGS__},
#include "report/validation/validation.def"
};

static const struct {
  size_t size;
  double gbps;
} rates[] = {
#define RATE(...) {__VA_ARGS__},
#include "report/validation/validation.def"
};

typedef struct table {
  kernel_machine_t die, chip;
  row_t list[ROWS_MAX];
  size_t count;
} table_t;

// --- what was measured --------------------------------------------------------------------------

static row_t *add_row(table_t *table, row_t row) {
  table->list[table->count] = row;
  return &table->list[table->count++];
}

static void add_product(table_t *table, row_t row) {
  static const char *const types[] = {"FP16", "FP16, FP32 result", "BF16"};
  static const char *const layouts[GEMM_LAYOUTS] = {"", ", B column-major", ", B fractal"};
  char tiles[40] = "";
  if (row.cut.rows != 0) {
    snprintf(tiles, sizeof tiles, ", tiles of %u x %u", row.cut.rows, row.cut.cols);
  }
  row_t *added = add_row(table, row);
  snprintf(added->what, sizeof added->what, "%zu x %zu x %zu, %s%s%s", row.m, row.n, row.k, types[row.type],
           layouts[row.layout], tiles);
}

static void add_flash(table_t *table, row_t row) {
  snprintf(add_row(table, row)->what, sizeof row.what, "%zu queries, %zu keys, one head of 128", row.m, row.n);
}

static void add_measured(table_t *table) {
#define CHOSEN \
  { 0 }
#define TILES(high, wide, deep, how, lines) \
  { .rows = (high), .cols = (wide), .depth = (deep), .order = GEMM_##how, .band = (lines) }
#define PRODUCT(of, how, launched, die, rows_, cols_, depth_, dtype, b, tiles, used, clock, time, how_so) \
  add_product(table, (row_t){.source = SOURCE_##of,                                                       \
                             .kind = (how),                                                               \
                             .launch = (launched),                                                        \
                             .group = "GEMM",                                                             \
                             .chip = (die),                                                               \
                             .conditions = (how_so),                                                      \
                             .cores = (used),                                                             \
                             .mhz = (clock),                                                              \
                             .us = (time),                                                                \
                             .m = (rows_),                                                                \
                             .n = (cols_),                                                                \
                             .k = (depth_),                                                               \
                             .type = (dtype),                                                             \
                             .layout = (b),                                                               \
                             .cut = tiles});
#define FLASH(of, how, launched, die, queries, keys, used, clock, time, other, how_so) \
  add_flash(table, (row_t){.source = SOURCE_##of,                                      \
                           .kind = (how),                                              \
                           .launch = (launched),                                       \
                           .group = "FlashAttention",                                  \
                           .chip = (die),                                              \
                           .conditions = (how_so),                                     \
                           .cores = (used),                                            \
                           .mhz = (clock),                                             \
                           .us = (time),                                               \
                           .other_us = (other),                                        \
                           .m = (queries),                                             \
                           .n = (keys)});
#include "report/validation/validation.def"
  for (size_t i = 0; i < report_entry_count; ++i) {
    const report_entry_t *e = &report_entries[i];
    row_t *row = add_row(table, (row_t){.source = SOURCE_TABLE5,
                                        .kind = FITTED,
                                        .launch = SINGLE,
                                        .group = "AMLA",
                                        .chip = "910, two dies",
                                        .conditions = "batch 96, 128 heads",
                                        .us = e->time_us,
                                        .m = e->sq,
                                        .n = e->sk});
    snprintf(row->what, sizeof row->what, "%zu query token%s, %zu keys", e->sq, e->sq == 1 ? "" : "s", e->sk);
  }
}

// Where hosts differ, the faster one's time is nearer to the chip's.
static double measured_us(const row_t *row) { return row->other_us == 0 ? row->us : fmin(row->us, row->other_us); }

// --- ours ---------------------------------------------------------------------------------------

// Launches by themselves pay soc.launch_us; of those back to back it passes while the one before runs.
static report_job_t *add_job(report_jobs_t *jobs, const table_t *table, const row_t *row, const char *kernel) {
  const bool chip = row->kind == FITTED;
  report_job_t *job = report_add(jobs, chip ? &table->chip : &table->die, kernel, "%s %s", row->group, row->what);
  if (!chip) {
    report_job_set(job, "soc.clock_mhz=%g", row->mhz);
    report_job_set(job, "soc.ai_cores=%zu", row->cores);
    job->machine->soc.launches = row->launch == COLD ? 1 : LAUNCHES;
    job->machine->soc.l2_warm = row->launch != COLD;
  }
  if (row->launch == BACK_TO_BACK) {
    report_job_set(job, "soc.launch_us=0");
  }
  return job;
}

static report_job_t *product_job(report_jobs_t *jobs, const table_t *table, const row_t *row) {
  report_job_t *job = add_job(jobs, table, row, "gemm");
  gemm_request_t *gemm = &job->gemm;
  gemm->input.m = row->m;
  gemm->input.n = row->n;
  gemm->input.k = row->k;
  gemm->input.bf16 = row->type == BF16;
  gemm->input.layout = row->layout;
  gemm->settings.out_f32 = row->type == FP16_F32;
  gemm->settings.cut = row->cut;
  gemm->settings.splits = row->cut.rows != 0 ? 1 : GEMM_SPLITS_AUTO;  // sources that give tiles take all of K
  return job;
}

static report_job_t *amla_job(report_jobs_t *jobs, const table_t *table, const row_t *row) {
  report_job_t *job = add_job(jobs, table, row, "amla");
  attention_input_t *input = &job->attention.input;
  input->seq_q = row->m;
  input->keys = row->n;
  input->batch = REPORT_PAPER_BATCH;
  return job;
}

static report_job_t *flash_job(report_jobs_t *jobs, const table_t *table, const row_t *row) {
  report_job_t *job = add_job(jobs, table, row, "flash");
  flash_input_t *input = &job->flash.input;
  input->type = FLASH_FP16;
  input->heads = 1;
  input->head_dim = 128;
  input->seq_q = row->m;
  input->keys = row->n;
  return job;
}

static report_job_t *row_job(report_jobs_t *jobs, const table_t *table, const row_t *row) {
  return row->k != 0           ? product_job(jobs, table, row)
         : row->kind == FITTED ? amla_job(jobs, table, row)
                               : flash_job(jobs, table, row);
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < table->count; ++i) {
    row_t *row = &table->list[i];
    row->ours = &row_job(jobs, table, row)->outcome;
  }
}

// --- the document -------------------------------------------------------------------------------

static double error_percent(const row_t *row) { return 100 * (row->ours->warm_us / measured_us(row) - 1); }

static void put_row(const row_t *row, cJSON *list) {
  char conditions[160] = "";
  snprintf(conditions, sizeof conditions, "%s%s%s", row->conditions,
           row->other_us != 0 && row->conditions[0] != '\0' ? ", " : "", row->other_us != 0 ? "other host " : "");
  if (row->other_us != 0) {
    const size_t used = strlen(conditions);
    snprintf(conditions + used, sizeof conditions - used, "%.1f us", fmax(row->us, row->other_us));
  }
  report_row(list, TEXT("kind", kinds[row->kind].name), TEXT(".kind", kinds[row->kind].text),
             NUMBER(".class", row->kind), TEXT("group", row->group), TEXT("what", row->what), TEXT("chip", row->chip),
             NUMBER("cores", row->kind == FITTED ? 48 : row->cores),
             NUMBER("mhz", row->kind == FITTED ? 1800 : row->mhz), TEXT("launch", launches[row->launch]),
             TEXT("conditions", conditions), TEXT("source", sources[row->source]),
             NUMBER("measured_us", measured_us(row)), NUMBER("first_us", row->ours->first_us),
             NUMBER("ours_us", row->ours->warm_us), NUMBER("error_percent", error_percent(row)),
             NUMBER(".number", row->source + 1));
}

// Over rows of a kind and group; NULL: of any group.
static void put_summary(const table_t *table, enum kind kind, const char *group, cJSON *list) {
  double sum = 0, most = 0;
  size_t count = 0;
  const row_t *worst = NULL;
  for (size_t i = 0; i < table->count; ++i) {
    const row_t *row = &table->list[i];
    if (row->kind == kind && strcmp(row->group, group) == 0) {
      const double error = fabs(error_percent(row));
      sum += error;
      ++count;
      if (worst == NULL || error > most) {
        most = error;
        worst = row;
      }
    }
  }
  report_row(list, TEXT("kind", kinds[kind].name), TEXT(".kind", kinds[kind].text), TEXT("group", group),
             NUMBER("rows", count), NUMBER("mean_abs_error_percent", sum / (double)count),
             NUMBER("worst_abs_error_percent", most), TEXT("worst", worst == NULL ? "" : worst->what));
}

static const row_t *square(const table_t *table, size_t size) {
  for (size_t i = 0; i < table->count; ++i) {
    if (table->list[i].kind == CALIBRATION && table->list[i].m == size) {
      return &table->list[i];
    }
  }
  return NULL;
}

static void put_pipes(const table_t *table, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "pipes");
  for (size_t i = 0; i < sizeof pipes / sizeof *pipes; ++i) {
    const report_outcome_t *o = square(table, pipes[i].size)->ours;
    const double cycles = (double)o->cycles;
    report_row(list, NUMBER("size", pipes[i].size), NUMBER("measured/m", pipes[i].m),
               NUMBER("measured/mte1", pipes[i].mte1), NUMBER("measured/mte2", pipes[i].mte2),
               NUMBER("ours/m", 100 * o->gemm.cube_busy[PIPE_M] / cycles),
               NUMBER("ours/mte1", 100 * o->gemm.cube_busy[PIPE_MTE1] / cycles),
               NUMBER("ours/mte2", 100 * o->gemm.cube_busy[PIPE_MTE2] / cycles));
  }
  cJSON *loads = cJSON_AddArrayToObject(root, "load_rates");
  for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
    const row_t *row = square(table, rates[i].size);
    const double us = row->ours->gemm.cube_busy[PIPE_MTE2] / row->mhz;
    report_row(loads, NUMBER("size", rates[i].size), NUMBER("measured_gbps", rates[i].gbps),
               NUMBER("ours_gbps", (double)row->ours->l2_read / (double)row->cores / us * 1e-3));
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *rows = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    put_row(&table->list[i], rows);
  }
  cJSON *summary = cJSON_AddArrayToObject(root, "summary");
  put_summary(table, CALIBRATION, "GEMM", summary);
  put_summary(table, FITTED, "AMLA", summary);
  put_summary(table, PREDICTED, "GEMM", summary);
  put_summary(table, PREDICTED, "FlashAttention", summary);
  put_pipes(table, root);
  cJSON *list = cJSON_AddArrayToObject(root, ".sources");
  for (size_t i = 0; i < SOURCES; ++i) {
    report_row(list, NUMBER("number", i + 1), TEXT("source", sources[i]));
  }
  const config_soc_t *soc = &table->die.soc.config.soc;
  report_put(root, NUMBER("launches", LAUNCHES), NUMBER(".launch_us", soc->launch_us), NUMBER(".skew_us", soc->skew_us),
             NUMBER(".last_us", soc->skew_us * (soc->ai_cores - 1)));
}

REPORT_TEMPLATE(validation_text, "validation/validation.md");
static const report_t validation = {fill, validation_text, add_jobs, NULL};

bool report_validation(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  table.count = 0;
  if (!report_machine(context, "ascend910_die", 0, &table.die, error) ||
      !report_config(context->settings, "ascend910", &table.chip, error)) {
    return false;
  }
  table.chip.soc.gm = table.die.soc.gm;
  if (context->settings->fit != REPORT_FIT_NO) {
    return report_fit_search(context, &table.chip, code, error);
  }
  add_measured(&table);
  return report_simulate(context, &validation, false, &table, code, error);
}
