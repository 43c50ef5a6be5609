// SPDX-License-Identifier: Apache-2.0
#include "report/report_write.h"

#include <math.h>
#include <stdlib.h>

#include "base/output.h"
#include "host/program.h"
#include "report/report_made.h"

enum { PATH_BYTES = 1024 };

// To gnuplot's standard output.
static char *plot_script(const report_files_t *files) {
  char *text = NULL;
  size_t size;
  FILE *script = open_memstream(&text, &size);
  if (script == NULL) {
    return NULL;
  }
  fprintf(script, "set terminal svg size %s background 'white' font 'sans,12'\n",
          files->plot_size == NULL ? "760,380" : files->plot_size);
  files->plot(files->data, script);
  if (fclose(script) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

static bool write_plot(const report_files_t *files, const char *path, base_error_t *error) {
  char *script = plot_script(files);
  char said[256];
  if (script == NULL) {
    return base_fail(error, "out of memory");
  }
  const char *const argv[] = {"gnuplot", NULL};
  const program_t gnuplot = {
      .argv = argv, .input = script, .out = path, .answer = said, .size = sizeof said};
  const program_end_t how = program_run(&gnuplot);
  free(script);
  switch (how) {
    case PROGRAM_DONE: return true;
    case PROGRAM_NOT_STARTED:
      return base_fail(error, "gnuplot cannot be started; is gnuplot-nox installed?");
    case PROGRAM_INTERRUPTED: return base_fail(error, "interrupted");
    default: return base_fail(error, "gnuplot failed: %s", said);
  }
}

static void fill_json(const void *data, cJSON *root) {
  const report_files_t *files = data;
  files->json(files->data, root);
  report_made_json(root);
}

static bool write_all(outputs_t *outputs, const report_files_t *files, const char *directory,
                      base_error_t *error) {
  enum { JSON, MARKDOWN, PLOT, FILES };
  static char path[FILES][PATH_BYTES];
  static const char *const endings[FILES] = {"json", "md", "svg"};
  size_t index[FILES];
  for (size_t i = 0; i < (files->plot == NULL ? PLOT : FILES); ++i) {
    const char *name = i == PLOT && files->plot_name != NULL ? files->plot_name : files->name;
    snprintf(path[i], PATH_BYTES, "%s/%s.%s", directory, name, endings[i]);
    if (!outputs_add(outputs, path[i], &index[i], error)) {
      return false;
    }
  }
  FILE *json = outputs_open(outputs, index[JSON], error);
  FILE *markdown = json == NULL ? NULL : outputs_open(outputs, index[MARKDOWN], error);
  if (markdown == NULL || !json_write(json, fill_json, files, error)) {
    return false;
  }
  files->markdown(files->data, markdown);
  if (files->plot != NULL) {
    if (!write_plot(files, outputs_path(outputs, index[PLOT]), error)) {
      return false;
    }
    outputs_written(outputs, index[PLOT]);
  }
  return outputs_commit(outputs, error);
}

bool report_write(const report_files_t *files, const char *directory, base_error_t *error) {
  outputs_t outputs = {0};
  const bool good = write_all(&outputs, files, directory, error);
  outputs_discard(&outputs);
  return good;
}

bool report_run_and_write(report_jobs_t *jobs, bool large, const report_files_t *files,
                          const char *directory, base_exit_t *code, base_error_t *error) {
  if (!report_run(jobs, large, code, error)) {
    return false;
  }
  *code = BASE_BAD_INPUT;
  return report_write(files, directory, error);
}

void report_bars(FILE *gnuplot) {
  fprintf(gnuplot,
          "EOD\nset style data histograms\nset style histogram clustered gap 1\n"
          "set style fill solid border -1\nset boxwidth 0.9\nset grid ytics\n");
}

void report_cell(FILE *file, int decimals, double value) {
  if (isfinite(value)) {
    fprintf(file, " %.*f |", decimals, value);
  } else {
    fputs(" |", file);
  }
}
