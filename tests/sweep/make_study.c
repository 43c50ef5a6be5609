// Writes the made-up study as a sweep would: make_study FOLDER. One plot of it with nothing done, or with a column that
// is not there: make_study FOLDER nothing|gone.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "made_study.h"
#include "sweep/page/page.h"
#include "sweep/plot/plot.h"

static const char *path_of(const char *folder, const char *name, const char *ending) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
  return path;
}

static bool write_all(const table_t *table, const char *folder, base_error_t *error) {
  bool good = table_csv(table, path_of(folder, "results", ".csv"), error) &&
              page_write(table, path_of(folder, "index", ".html"), error);
  for (size_t i = 0; good && i < made_study.plots; ++i) {
    good = plot_write(table, &made_plot[i], path_of(folder, made_plot[i].name, ".svg"), error);
  }
  return good;
}

static bool write_plot(const table_t *table, const char *folder, const char *name, base_error_t *error) {
  study_plot_t plot = made_plot[0];
  plot.name = name;
  plot.y = strcmp(name, "gone") == 0 ? "cycle" : plot.y;
  return plot_write(table, &plot, path_of(folder, name, ".svg"), error);
}

int main(int argc, char **argv) {
  base_error_t error = {""};
  if (argc < 2 || argc > 3) {
    return BASE_BAD_INPUT;
  }
  const outcomes_t *outcomes = made_outcomes();
  for (size_t i = 0; argc == 3 && i < outcomes->rows; ++i) {
    outcomes->row[i].status = OUTCOME_WAITING;
  }
  table_t *table = table_make(outcomes, argc == 3 ? NULL : path_of(argv[1], "results", ".sqlite"), &error);
  const bool good =
      table != NULL && (argc == 3 ? write_plot(table, argv[1], argv[2], &error) : write_all(table, argv[1], &error));
  table_close(table);
  return good ? BASE_OK : base_report(BASE_BAD_INPUT, &error);
}
