// What removing W4A16's round trip through memory is worth: phases one after the other, overlapped
// through L2, and a path from the vector cores straight into L1 (no product has it; the paper's future
// work), with the launch and without.
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/report_write.h"
#include "report/w4a16/report_w4a16.h"

enum { FP16, SEQUENTIAL, OVERLAPPED, DIRECTLY, DIRECTLY_SYMMETRIC, KINDS };
static const struct {
  const char *kernel, *mode, *path, *zeros;
  enum w4a16_phases phases;
} kinds[KINDS] = {
    {"gemm", "fp16", "gm", "", W4A16_SEQUENTIAL},
    {"w4a16", "splitk", "gm", "integer", W4A16_SEQUENTIAL},
    {"w4a16", "overlap", "gm", "integer", W4A16_OVERLAPPED},
    {"w4a16", "overlap", "direct", "integer", W4A16_DIRECT},
    {"w4a16", "overlap", "direct", "none", W4A16_DIRECT},
};
enum { LAUNCHED, AT_ONCE, LAUNCHES };

typedef struct entry {
  const report_shape_t *shape;
  const report_outcome_t *of[LAUNCHES][KINDS];
} entry_t;

typedef struct table {
  report_gemm_t half;
  entry_t list[REPORT_SHAPES_MAX];
} table_t;

static double over_fp16(const entry_t *e, size_t launch, size_t kind) {
  return report_over(e->of[launch][FP16], e->of[launch][kind]);
}

static report_range_t range_of(const table_t *table, size_t launch, size_t slow, size_t fast) {
  report_range_t range = {0};
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const entry_t *e = &table->list[i];
    report_range_add(&range, report_over(e->of[launch][slow], e->of[launch][fast]), e->shape,
                     table->half.m[0]);
  }
  return range;
}

static void json_row(const table_t *table, const entry_t *e, size_t launch, size_t kind,
                     cJSON *list) {
  const report_outcome_t *o = e->of[launch][kind];
  cJSON *row = json_add_row(list);
  json_add_count(row, "m", table->half.m[0]);
  json_add_count(row, "n", e->shape->n);
  json_add_count(row, "k", e->shape->k);
  cJSON_AddStringToObject(row, "mode", kinds[kind].mode);
  cJSON_AddStringToObject(row, "path", kinds[kind].path);
  cJSON_AddStringToObject(row, "zero_points", kinds[kind].zeros);
  cJSON_AddBoolToObject(row, "launch", launch == LAUNCHED);
  json_add_count(row, "split_k", o->half.splits);
  cJSON_AddNumberToObject(row, "time_us", o->time_us);
  cJSON_AddNumberToObject(row, "over_fp16", over_fp16(e, launch, kind));
  cJSON_AddNullToObject(row, "paper");
}

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  static const char *const names[LAUNCHES] = {"", "_no_launch"};
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    for (size_t launch = 0; launch < LAUNCHES; ++launch) {
      for (size_t kind = 0; kind < KINDS; ++kind) {
        json_row(table, &table->list[i], launch, kind, list);
      }
    }
  }
  cJSON *summary = cJSON_AddObjectToObject(root, "summary");
  for (size_t launch = 0; launch < LAUNCHES; ++launch) {
    char name[64];
    const report_range_t direct = range_of(table, launch, FP16, DIRECTLY);
    const report_range_t symmetric = range_of(table, launch, FP16, DIRECTLY_SYMMETRIC);
    const report_range_t trip = range_of(table, launch, SEQUENTIAL, DIRECTLY);
    snprintf(name, sizeof name, "direct_over_fp16%s", names[launch]);
    report_range_json(&direct, summary, name);
    snprintf(name, sizeof name, "direct_symmetric_over_fp16%s", names[launch]);
    report_range_json(&symmetric, summary, name);
    snprintf(name, sizeof name, "direct_over_splitk%s", names[launch]);
    report_range_json(&trip, summary, name);
  }
}

static void markdown_range(FILE *file, const char *what, const report_range_t *range) {
  fprintf(file, "- %s: ", what);
  report_range_text(range, file);
  fputc('\n', file);
}

static void markdown_table(const table_t *table, size_t launch, FILE *file) {
  static const char *const titles[LAUNCHES] = {"With the launch", "Cores that start at once"};
  const report_range_t over[] = {range_of(table, launch, FP16, SEQUENTIAL),
                                 range_of(table, launch, FP16, OVERLAPPED),
                                 range_of(table, launch, FP16, DIRECTLY),
                                 range_of(table, launch, FP16, DIRECTLY_SYMMETRIC),
                                 range_of(table, launch, SEQUENTIAL, DIRECTLY)};
  fprintf(file, "\n## %s\n\n", titles[launch]);
  markdown_range(file, "one phase after the other, over FP16", &over[0]);
  markdown_range(file, "overlapped, over FP16", &over[1]);
  markdown_range(file, "direct, over FP16", &over[2]);
  markdown_range(file, "direct and without zero points, over FP16", &over[3]);
  markdown_range(file, "direct over one phase after the other", &over[4]);
  fprintf(file,
          "\n| model | N | K | FP16 | Split-K | overlapped | direct | no zero points | Split-K over "
          "FP16 | overlapped | direct | no zero points |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const entry_t *e = &table->list[i];
    fprintf(file, "| %s | %zu | %zu |", e->shape->model, e->shape->n, e->shape->k);
    for (size_t kind = 0; kind < KINDS; ++kind) {
      report_cell(file, 1, e->of[launch][kind]->time_us);
    }
    for (size_t kind = SEQUENTIAL; kind < KINDS; ++kind) {
      report_cell(file, 2, over_fp16(e, launch, kind));
    }
    fputc('\n', file);
  }
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  const config_t *config = &table->half.machine.soc.config;
  fprintf(file,
          "# W4A16: a path from the vector cores into L1\n\n"
          "M = %zu, groups of 128, weights in HBM, %u AI cores; us (`amalgam report w4a16_direct`). "
          "The path is a what-if:\n%g bytes a cycle from each UB into its cube core's L1, with a "
          "cross-core flag for each 64 KB piece and one back.\n\n"
          "Overlapped, B still passes L2 twice, 4 bytes a weight. Directly, HBM gives 0.53 bytes a "
          "weight and the vector\ncores take 5.2 cycles for 128 weights, which then is what bounds "
          "the time. Without zero points it is 3.1, and\nwhat bounds the time is their scalar cores, "
          "which push 15 commands for 16384 weights.\n",
          table->half.m[0], (unsigned)config->soc.ai_cores, config->vector.direct_bytes_per_cycle);
  for (size_t launch = 0; launch < LAUNCHES; ++launch) {
    markdown_table(table, launch, file);
  }
  fprintf(file, "\n![plot](w4a16_direct.svg)\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const entry_t *e = &table->list[i];
    fprintf(gnuplot, "\"%zux%zu\" %g %g %g\n", e->shape->n, e->shape->k,
            over_fp16(e, LAUNCHED, SEQUENTIAL), over_fp16(e, LAUNCHED, OVERLAPPED),
            over_fp16(e, LAUNCHED, DIRECTLY));
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set yrange [0:*]\nset ylabel 'times as fast as FP16'\nset xtics rotate by -60\n"
          "set key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'phases in turn' lc rgb '#bbbbbb', "
          "'' using 3 title 'overlapped' lc rgb '#f2c9b0', "
          "'' using 4 title 'direct' lc rgb '#cc6633', 1 notitle lc rgb 'black'\n");
}

static const report_outcome_t *add(const table_t *table, report_jobs_t *jobs,
                                   const report_shape_t *shape, size_t launch, size_t kind) {
  char what[64];
  snprintf(what, sizeof what, "%s, path %s%s", kinds[kind].mode, kinds[kind].path,
           launch == AT_ONCE ? ", no launch" : "");
  report_job_t *job = report_gemm_add(&table->half, jobs, kinds[kind].kernel, what, shape,
                                      table->half.m[0]);
  job->gemm.settings.phases = kinds[kind].phases;
  if (kinds[kind].phases == W4A16_DIRECT) {
    report_job_set(job, "soc.direct_path=1");
  }
  if (strcmp(kinds[kind].zeros, "none") == 0) {
    job->gemm.input.zeros = GEMM_ZEROS_NONE;
  }
  if (launch == AT_ONCE) {
    report_no_launch(job);
  }
  return &job->outcome;
}

static void add_jobs(table_t *table, report_jobs_t *jobs) {
  for (size_t i = 0; i < table->half.shapes; ++i) {
    entry_t *e = &table->list[i];
    e->shape = &table->half.shape[i];
    for (size_t launch = 0; launch < LAUNCHES; ++launch) {
      for (size_t kind = 0; kind < KINDS; ++kind) {
        e->of[launch][kind] = add(table, jobs, e->shape, launch, kind);
      }
    }
  }
}

bool report_w4a16_direct(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static const size_t usual[] = {16};
  static table_t table;
  report_jobs_t jobs;
  const report_files_t files = {.name = "w4a16_direct", .data = &table, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  memset(&table, 0, sizeof table);
  if (!report_gemm_read(context, usual, 1, &table.half, error) ||
      !report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_jobs(&table, &jobs);
  const bool good = report_run_and_write(&jobs, false, &files, context->settings->out, code,
                                         error);
  report_jobs_close(&jobs);
  return good;
}
