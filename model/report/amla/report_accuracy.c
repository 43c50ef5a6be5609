// Tables 3 and 4: accuracy on random inputs.  The kernels run on one AI core and store FP32.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse.h"
#include "report/report.h"
#include "report/report_write.h"

typedef struct pair {
  double base, amla;
} pair_t;

typedef struct row {
  unsigned table;
  const char *name;
  distribution_t distribution;
  pair_t paper;
  double gate, gate_f32;
} row_t;

static const row_t rows[] = {
#define ROW(table, name, kind, width, paper_base, paper_amla, gate, gate_f32)                  \
  {table, name, {DISTRIBUTION_##kind, width}, {paper_base, paper_amla}, gate, gate_f32},
#include "report/amla/report_accuracy.def"
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

// A row's means over its seeds.
typedef struct mean {
  const row_t *row;
  pair_t bf16, f32;
} mean_t;

typedef struct table {
  unsigned number;
  size_t seeds, keys;
  mean_t list[ROWS];
  size_t count;
} table_t;

// --- what was asked for -----------------------------------------------------------------------

static bool is_row(const row_t *row, const char *text) {
  distribution_t distribution;
  return strcmp(row->name, text) == 0 ||
         (parse_distribution(text, &distribution) && distribution.kind == row->distribution.kind &&
          distribution.width == row->distribution.width);
}

static bool asked_for(const report_settings_t *settings, unsigned number) {
  char name[16];
  snprintf(name, sizeof name, "table%u", number);
  for (size_t i = 0; i < settings->reports.count; ++i) {
    const char *word = settings->reports.item[i];
    if (strcmp(word, name) == 0 || strcmp(word, "all") == 0) {
      return true;
    }
  }
  return false;
}

// Each --dist must be in one of the tables asked for.
static bool check_only(const report_settings_t *settings, base_error_t *error) {
  for (size_t i = 0; i < settings->dist.count; ++i) {
    bool known = false;
    for (size_t j = 0; j < ROWS; ++j) {
      known = known ||
              (asked_for(settings, rows[j].table) && is_row(&rows[j], settings->dist.item[i]));
    }
    if (!known) {
      return base_fail(error, "--dist: no '%s' in the tables asked for", settings->dist.item[i]);
    }
  }
  return true;
}

static void choose_rows(const report_settings_t *settings, table_t *table) {
  for (size_t i = 0; i < ROWS; ++i) {
    bool wanted = settings->dist.count == 0;
    for (size_t j = 0; j < settings->dist.count; ++j) {
      wanted = wanted || is_row(&rows[i], settings->dist.item[j]);
    }
    if (wanted && rows[i].table == table->number) {
      table->list[table->count++].row = &rows[i];
    }
  }
}

// --- the simulations --------------------------------------------------------------------------

static void add_job(report_jobs_t *jobs, const kernel_machine_t *machine, const table_t *table,
                    const row_t *row, size_t seed, const char *kernel) {
  report_job_t *job =
      report_add(jobs, machine, kernel, "%s seed %zu, %s", row->name, seed, kernel);
  job->attention.input.keys = table->keys;
  job->attention.input.made_up.distribution = row->distribution;
  job->attention.input.made_up.seed = seed;
  report_job_judge(job);
}

// Two jobs a seed, base and amla; all seeds of a row after one another.
static void add_jobs(report_jobs_t *jobs, const kernel_machine_t *machine, const table_t *table) {
  for (size_t i = 0; i < table->count; ++i) {
    for (size_t seed = 0; seed < table->seeds; ++seed) {
      add_job(jobs, machine, table, table->list[i].row, seed, "base");
      add_job(jobs, machine, table, table->list[i].row, seed, "amla");
    }
  }
}

static void average(const report_jobs_t *jobs, table_t *table) {
  const double share = 1 / (double)table->seeds;
  for (size_t i = 0; i < jobs->count; i += 2) {
    const report_outcome_t *base = &jobs->list[i].outcome;
    const report_outcome_t *amla = &jobs->list[i + 1].outcome;
    mean_t *mean = &table->list[i / 2 / table->seeds];
    mean->bf16.base += share * base->bf16;
    mean->bf16.amla += share * amla->bf16;
    mean->f32.base += share * base->f32;
    mean->f32.amla += share * amla->f32;
  }
}

// --- gates, of each seed ----------------------------------------------------------------------

static bool within(const report_job_t *job, double base, double amla, double gate, const char *what,
                   base_error_t *error) {
  return gate == 0 || amla <= gate * base ||
         base_fail(error, "%s: with %s output %.3e exceeds %.2f x base %.3e", job->name, what, amla,
                   gate, base);
}

static bool gates_hold(const report_jobs_t *jobs, const table_t *table, base_error_t *error) {
  for (size_t i = 0; i < jobs->count; i += 2) {
    const row_t *row = table->list[i / 2 / table->seeds].row;
    const report_job_t *amla = &jobs->list[i + 1];
    const report_outcome_t *base = &jobs->list[i].outcome;
    if (!within(amla, base->bf16, amla->outcome.bf16, row->gate, "BF16", error) ||
        !within(amla, base->f32, amla->outcome.f32, row->gate_f32, "FP32", error)) {
      return false;
    }
  }
  return true;
}

// --- files ------------------------------------------------------------------------------------

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    const mean_t *mean = &table->list[i];
    cJSON *row = json_add_row(list);
    cJSON_AddStringToObject(row, "dist", mean->row->name);
    cJSON_AddNumberToObject(row, "seq_kv", (double)table->keys);
    cJSON_AddNumberToObject(row, "seeds", (double)table->seeds);
    cJSON_AddNumberToObject(row, "base", mean->bf16.base);
    cJSON_AddNumberToObject(row, "amla", mean->bf16.amla);
    cJSON_AddNumberToObject(row, "base_f32", mean->f32.base);
    cJSON_AddNumberToObject(row, "amla_f32", mean->f32.amla);
    cJSON *paper = cJSON_AddObjectToObject(row, "paper");
    cJSON_AddNumberToObject(paper, "base", mean->row->paper.base);
    cJSON_AddNumberToObject(paper, "amla", mean->row->paper.amla);
  }
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  fprintf(file, "# Table %u of the AMLA paper: accuracy, %s inputs\n\n", table->number,
          table->number == 3 ? "Gaussian" : "uniform");
  fprintf(file,
          "Relative Frobenius error against FP64 attention, x 1e-3: 128 heads, one query token, "
          "%zu keys, Dk 576, Dv 512,\nmean over %zu seed%s (`amalgam report table%u`). The paper "
          "has 8K keys and 100 samples.\n\n",
          table->keys, table->seeds, table->seeds == 1 ? "" : "s", table->number);
  fprintf(file,
          "| distribution | Base | paper | AMLA | paper | Base, FP32 | AMLA, FP32 |\n"
          "|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < table->count; ++i) {
    const mean_t *m = &table->list[i];
    fprintf(file, "| %s | %.3f | %.3g | %.3f | %.3g | %.3f | %.3f |\n", m->row->name,
            m->bf16.base * 1e3, m->row->paper.base * 1e3, m->bf16.amla * 1e3,
            m->row->paper.amla * 1e3, m->f32.base * 1e3, m->f32.amla * 1e3);
  }
  fprintf(file,
          "\nThe kernels ran on the simulated SoC and stored FP32; that is the FP32 columns. The "
          "others are the same values\nrounded to BF16 on the host, the function the kernel's own "
          "last cast computes.\n\n![plot](table%u.svg)\n",
          table->number);
}

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < table->count; ++i) {
    const mean_t *m = &table->list[i];
    fprintf(gnuplot, "\"%s\" %g %g %g %g\n", m->row->name, m->bf16.base * 1e3,
            m->row->paper.base * 1e3, m->bf16.amla * 1e3, m->row->paper.amla * 1e3);
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set yrange [0:*]\n"
          "set ylabel 'relative error x 1e-3'\nset key outside bottom center horizontal\n"
          "plot $data using 2:xtic(1) title 'Base' lc rgb '#4477aa', "
          "'' using 3 title 'Base, paper' lc rgb '#aaccee', "
          "'' using 4 title 'AMLA' lc rgb '#cc6633', "
          "'' using 5 title 'AMLA, paper' lc rgb '#f2c9b0'\n");
}

// --- the report -------------------------------------------------------------------------------

static bool simulate_and_write(const report_context_t *context, table_t *table, report_jobs_t *jobs,
                               base_exit_t *code, base_error_t *error) {
  const report_files_t files = {.name = context->name, .data = table, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  if (!report_run(jobs, false, code, error)) {
    return false;
  }
  average(jobs, table);
  *code = BASE_BAD_INPUT;
  if (!report_write(&files, context->settings->out, error)) {
    return false;
  }
  *code = BASE_OUT_OF_TOLERANCE;
  return gates_hold(jobs, table, error);
}

bool report_accuracy(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  kernel_machine_t machine;
  report_jobs_t jobs;
  table_t table = {.number = (unsigned)(context->name[strlen("table")] - '0'),
                   .seeds = kernel_size_or(settings->seeds, 3)};
  if (!check_only(settings, error) ||
      !report_machine(settings, "ascend910_core", 1, &machine, error) ||
      !report_one_size(context, 8192, &table.keys, error)) {
    return false;
  }
  choose_rows(settings, &table);
  if (table.count == 0) {
    return true;   // every --dist is in the other table
  }
  if (!report_jobs_open(&jobs, settings, error)) {
    return false;
  }
  add_jobs(&jobs, &machine, &table);
  const bool good = simulate_and_write(context, &table, &jobs, code, error);
  report_jobs_close(&jobs);
  return good;
}
