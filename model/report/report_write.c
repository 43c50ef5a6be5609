// SPDX-License-Identifier: Apache-2.0
#include "report/report_write.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/gnuplot.h"

bool report_file(const report_settings_t *settings, const char *name, const char *ending, outputs_t *outputs,
                 size_t *index, base_error_t *error) {
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/%s.%s", settings->out, name, ending);
  return length < (int)sizeof path ? outputs_add(outputs, path, index, error)
                                   : base_fail(error, "--out: %s", strerror(ENAMETOOLONG));
}

// A report to be written: its document and its template.
typedef struct work {
  const report_context_t *context;
  cJSON *root;
  const char *text;
  report_plot_t plot;
} work_t;

static bool print(const work_t *work, FILE *file, const char *from, const char *to, const char *none,
                  base_error_t *error) {
  char missing[64];
  return report_print(file, work->root, from, to, none, missing) ||
         base_fail(error, "report %s: its document has no '%s'", work->context->name, missing);
}

static bool write_markdown(const work_t *work, FILE *file, base_error_t *error) {
  const report_plot_t *plot = &work->plot;
  if (!print(work, file, work->text, plot->at, "", error)) {
    return false;
  }
  if (plot->name[0] != '\0') {
    fprintf(file, "![plot](%s.svg)\n", plot->name);
  }
  return print(work, file, plot->after, plot->after + strlen(plot->after), "", error);
}

// The script. NULL: no memory, or a member is missing.
static char *plot_script(const work_t *work, base_error_t *error) {
  const report_plot_t *plot = &work->plot;
  char *script = NULL;
  size_t bytes;
  FILE *file = open_memstream(&script, &bytes);
  if (file == NULL) {
    base_fail(error, "report %s: out of memory", work->context->name);
    return NULL;
  }
  fprintf(file, "set terminal svg size %s background 'white' font 'sans,12'\n", plot->size);
  if (plot->bars) {
    fprintf(file,
            "set style data histograms\nset style histogram clustered gap 1\n"
            "set style fill solid border -1\nset boxwidth 0.9\nset grid ytics\n");
  }
  const bool good = print(work, file, plot->script, plot->end, "NaN", error);
  fclose(file);
  if (!good) {
    free(script);
    return NULL;
  }
  return script;
}

static bool write_plot(const work_t *work, const char *path, base_error_t *error) {
  char *script = plot_script(work, error);
  const bool good = script != NULL && gnuplot_run(script, path, error);
  free(script);
  return good;
}

static bool write_json(const work_t *work, FILE *file, base_error_t *error) {
  report_strip(work->root);
  cJSON_AddItemToObject(work->root, "made", cJSON_Duplicate(work->context->made, true));
  json_add_amalgam(work->root);
  return json_print(file, work->root, error);
}

static bool write_all(const work_t *work, outputs_t *outputs, base_error_t *error) {
  enum { JSON, MARKDOWN, PLOT, FILES };
  static const char *const endings[FILES] = {"json", "md", "svg"};
  const bool plotted = work->plot.name[0] != '\0';
  size_t index[FILES];
  for (size_t i = 0; i < (plotted ? FILES : PLOT); ++i) {
    if (!report_file(work->context->settings, i == PLOT ? work->plot.name : work->context->name, endings[i], outputs,
                     &index[i], error)) {
      return false;
    }
  }
  FILE *json = outputs_open(outputs, index[JSON], error);
  FILE *markdown = json == NULL ? NULL : outputs_open(outputs, index[MARKDOWN], error);
  if (markdown == NULL || !write_markdown(work, markdown, error)) {
    return false;
  }
  if (plotted) {
    if (!outputs_stage(outputs, index[PLOT], error) || !write_plot(work, outputs_path(outputs, index[PLOT]), error)) {
      return false;
    }
    outputs_written(outputs, index[PLOT]);
  }
  return write_json(work, json, error) && outputs_commit(outputs, error);
}

bool report_write(const report_context_t *context, const report_t *report, const void *data, base_error_t *error) {
  outputs_t outputs = {0};
  work_t work = {.context = context, .root = cJSON_CreateObject(), .text = report->text};
  if (work.root == NULL) {
    return base_fail(error, "report %s: out of memory", context->name);
  }
  report->fill(data, work.root);
  work.plot = report_plot(work.root, report->text);
  const bool good = write_all(&work, &outputs, error);
  outputs_discard(&outputs);
  cJSON_Delete(work.root);
  return good;
}

static bool simulate_and_write(const report_context_t *context, const report_t *report, bool large, report_jobs_t *jobs,
                               const void *data, base_exit_t *code, base_error_t *error) {
  if (!report_run(jobs, large, code, error)) {
    return false;
  }
  *code = BASE_BAD_INPUT;
  return report_write(context, report, data, error) && (report->check == NULL || report->check(data, code, error));
}

bool report_simulate(const report_context_t *context, const report_t *report, bool large, void *data, base_exit_t *code,
                     base_error_t *error) {
  report_jobs_t jobs;
  if (!report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  report->add(&jobs, data);
  const bool good = simulate_and_write(context, report, large, &jobs, data, code, error);
  report_jobs_close(&jobs);
  return good;
}
