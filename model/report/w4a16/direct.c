// The gain of removing W4A16's round trip through memory: phases one after the other, overlapped
// through L2, and a path from the vector cores straight into L1 (no product has it; the paper's
// future work), with the launch and without.
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/report_write.h"
#include "report/w4a16/shapes.h"

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
  report_gemm_t gemm;
  entry_t list[REPORT_SHAPES_MAX];
} table_t;

static double over_fp16(const entry_t *e, size_t launch, size_t kind) {
  return report_over(e->of[launch][FP16], e->of[launch][kind]);
}

static report_range_t range_of(const table_t *table, size_t launch, size_t slow, size_t fast) {
  report_range_t range = {0};
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    const entry_t *e = &table->list[i];
    report_range_add(&range, report_over(e->of[launch][slow], e->of[launch][fast]), e->shape, table->gemm.m[0]);
  }
  return range;
}

static void put_row(const table_t *table, const entry_t *e, size_t launch, size_t kind, cJSON *list) {
  const report_outcome_t *o = e->of[launch][kind];
  report_row(list, NUMBER("m", table->gemm.m[0]), NUMBER("n", e->shape->n), NUMBER("k", e->shape->k),
             TEXT("mode", kinds[kind].mode), TEXT("path", kinds[kind].path), TEXT("zero_points", kinds[kind].zeros),
             FLAG("launch", launch == LAUNCHED), NUMBER("split_k", o->gemm.splits), NUMBER("time_us", o->time_us),
             NUMBER("over_fp16", over_fp16(e, launch, kind)), NOTHING("paper"));
}

static void put_ranges(const table_t *table, size_t launch, cJSON *summary, cJSON *more) {
  const struct {
    cJSON *object;
    const char *name;
    size_t slow, fast;
  } ranges[] = {{more, "splitk_over_fp16", FP16, SEQUENTIAL},
                {more, "overlapped_over_fp16", FP16, OVERLAPPED},
                {summary, "direct_over_fp16", FP16, DIRECTLY},
                {summary, "direct_symmetric_over_fp16", FP16, DIRECTLY_SYMMETRIC},
                {summary, "direct_over_splitk", SEQUENTIAL, DIRECTLY}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
    char name[64];
    const report_range_t range = range_of(table, launch, ranges[i].slow, ranges[i].fast);
    snprintf(name, sizeof name, "%s%s", ranges[i].name, launch == LAUNCHED ? "" : "_no_launch");
    report_range_json(&range, ranges[i].object, name);
  }
}

// A shape with its runs: a list of their rows.
static void put_shape(const table_t *table, const entry_t *e, size_t launch, cJSON *list) {
  cJSON *runs = cJSON_AddArrayToObject(
      report_row(list, TEXT("model", e->shape->model), NUMBER("n", e->shape->n), NUMBER("k", e->shape->k)), "run");
  for (size_t kind = 0; kind < KINDS; ++kind) {
    put_row(table, e, launch, kind, runs);
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const config_t *config = &table->gemm.machine.soc.config;
  report_put(root, NUMBER(".m", table->gemm.m[0]), NUMBER(".cores", config->soc.ai_cores),
             NUMBER(".bytes", config->vector.direct_bytes_per_cycle));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *summary = cJSON_AddObjectToObject(root, "summary");
  cJSON *more = cJSON_AddObjectToObject(root, ".more");
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    for (size_t launch = 0; launch < LAUNCHES; ++launch) {
      for (size_t kind = 0; kind < KINDS; ++kind) {
        put_row(table, &table->list[i], launch, kind, list);
      }
    }
  }
  for (size_t launch = 0; launch < LAUNCHES; ++launch) {
    cJSON *shapes = cJSON_AddArrayToObject(root, launch == LAUNCHED ? ".launched" : ".at_once");
    for (size_t i = 0; i < table->gemm.shapes; ++i) {
      put_shape(table, &table->list[i], launch, shapes);
    }
    put_ranges(table, launch, summary, more);
  }
}

static const report_outcome_t *add(const table_t *table, report_jobs_t *jobs, const report_shape_t *shape,
                                   size_t launch, size_t kind) {
  char what[64];
  snprintf(what, sizeof what, "%s, path %s%s", kinds[kind].mode, kinds[kind].path,
           launch == AT_ONCE ? ", no launch" : "");
  report_job_t *job = report_gemm_add(&table->gemm, jobs, kinds[kind].kernel, what, shape, table->gemm.m[0]);
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

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    entry_t *e = &table->list[i];
    e->shape = &table->gemm.shape[i];
    for (size_t launch = 0; launch < LAUNCHES; ++launch) {
      for (size_t kind = 0; kind < KINDS; ++kind) {
        e->of[launch][kind] = add(table, jobs, e->shape, launch, kind);
      }
    }
  }
}

REPORT_TEMPLATE(direct_text, "w4a16/direct.md");
static const report_t direct = {fill, direct_text, add_jobs, NULL};

bool report_w4a16_direct(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static const size_t usual[] = {16};
  static table_t table;
  memset(&table, 0, sizeof table);
  return report_gemm_read(context, usual, 1, &table.gemm, error) &&
         report_simulate(context, &direct, false, &table, code, error);
}
