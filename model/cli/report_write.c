// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/report.h"

enum { PATH_BYTES = 1024 };

// A row's means over its seeds.
typedef struct mean {
  const report_row_t *row;
  report_pair_t bf16, f32;
} mean_t;

typedef struct table {
  unsigned number;
  size_t seeds, keys;
  mean_t list[32];
  size_t count;
} table_t;

static void add_pair(report_pair_t *sum, const report_pair_t *pair, double share) {
  sum->base += share * pair->base;
  sum->amla += share * pair->amla;
}

static void collect(const report_jobs_t *jobs, table_t *table) {
  for (size_t i = 0; i < jobs->count; ++i) {
    const report_job_t *job = &jobs->list[i];
    if (job->row->table != table->number) {
      continue;
    }
    if (table->count == 0 || table->list[table->count - 1].row != job->row) {
      table->list[table->count++] = (mean_t){.row = job->row};
    }
    mean_t *mean = &table->list[table->count - 1];
    add_pair(&mean->bf16, &job->bf16, 1 / (double)table->seeds);
    add_pair(&mean->f32, &job->f32, 1 / (double)table->seeds);
  }
}

// --- JSON -------------------------------------------------------------------------------------

static cJSON *json_row(const table_t *table, const mean_t *mean) {
  cJSON *row = cJSON_CreateObject();
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
  return row;
}

static bool write_json(FILE *file, const table_t *table, cli_error_t *error) {
  cJSON *root = cJSON_CreateObject();
  cJSON *rows = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    cJSON_AddItemToArray(rows, json_row(table, &table->list[i]));
  }
  char *text = root == NULL ? NULL : cJSON_Print(root);
  cJSON_Delete(root);
  if (text == NULL) {
    return cli_fail(error, "report: out of memory");
  }
  fprintf(file, "%s\n", text);
  cJSON_free(text);
  return true;
}

// --- Markdown ---------------------------------------------------------------------------------

static bool write_markdown(FILE *file, const table_t *table, cli_error_t *error) {
  (void)error;
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
  return true;
}

// --- plot -------------------------------------------------------------------------------------

static void plot_data(FILE *pipe, const table_t *table) {
  fprintf(pipe, "$data << EOD\n");
  for (size_t i = 0; i < table->count; ++i) {
    const mean_t *m = &table->list[i];
    fprintf(pipe, "\"%s\" %g %g %g %g\n", m->row->name, m->bf16.base * 1e3,
            m->row->paper.base * 1e3, m->bf16.amla * 1e3, m->row->paper.amla * 1e3);
  }
  fprintf(pipe, "EOD\n");
}

static void plot_script(FILE *pipe, const table_t *table, const char *path) {
  fprintf(pipe, "set terminal svg size 760,380 background 'white' font 'sans,12'\n");
  fprintf(pipe, "set output '");
  for (const char *c = path; *c != '\0'; ++c) {
    fprintf(pipe, *c == '\'' ? "''" : "%c", *c);
  }
  fprintf(pipe, "'\n");
  plot_data(pipe, table);
  fprintf(pipe,
          "set style data histograms\nset style histogram clustered gap 1\n"
          "set style fill solid border -1\nset boxwidth 0.9\nset yrange [0:*]\nset grid ytics\n"
          "set ylabel 'relative error x 1e-3'\nset key outside bottom center horizontal\n"
          "plot $data using 2:xtic(1) title 'Base' lc rgb '#4477aa', "
          "'' using 3 title 'Base, paper' lc rgb '#aaccee', "
          "'' using 4 title 'AMLA' lc rgb '#cc6633', "
          "'' using 5 title 'AMLA, paper' lc rgb '#f2c9b0'\nset output\n");
}

static bool write_plot(const table_t *table, const char *path, cli_error_t *error) {
  FILE *pipe = popen("gnuplot", "w");
  if (pipe == NULL) {
    return cli_fail(error, "gnuplot: cannot start");
  }
  plot_script(pipe, table, path);
  return pclose(pipe) == 0 || cli_fail(error, "gnuplot failed; is gnuplot-nox installed?");
}

// --- files ------------------------------------------------------------------------------------

static bool write_text(outputs_t *outputs, size_t index, const table_t *table,
                       bool write(FILE *, const table_t *, cli_error_t *), cli_error_t *error) {
  FILE *file = outputs_open(outputs, index, error);
  return file != NULL && write(file, table, error);
}

static bool write_all(outputs_t *outputs, const table_t *table, const char *directory,
                      cli_error_t *error) {
  static char path[3][PATH_BYTES];
  static const char *const endings[3] = {"json", "md", "svg"};
  size_t index[3];
  for (size_t i = 0; i < 3; ++i) {
    snprintf(path[i], PATH_BYTES, "%s/table%u.%s", directory, table->number, endings[i]);
    if (!outputs_add(outputs, path[i], &index[i], error)) {
      return false;
    }
  }
  if (!write_text(outputs, index[0], table, write_json, error) ||
      !write_text(outputs, index[1], table, write_markdown, error) ||
      !write_plot(table, outputs_path(outputs, index[2]), error)) {
    return false;
  }
  outputs_written(outputs, index[2]);
  return outputs_commit(outputs, error);
}

bool report_write(const report_jobs_t *jobs, unsigned number, size_t seeds, const char *directory,
                  cli_error_t *error) {
  table_t table = {.number = number, .seeds = seeds, .keys = jobs->keys};
  outputs_t outputs = {0};
  collect(jobs, &table);
  const bool good = table.count == 0 || write_all(&outputs, &table, directory, error);
  outputs_discard(&outputs);
  return good;
}
