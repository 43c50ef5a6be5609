// The files that are made of a study's results.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "host/files.h"
#include "sweep/page/page.h"
#include "sweep/plot/plot.h"
#include "sweep/results.h"
#include "sweep/store/digest.h"
#include "sweep/table/table.h"

// --- is it there already? ---------------------------------------------------------------------

// A hash of all that the files show: the study, this version of the program, and each outcome.
static void hash_of(const sweep_t *sweep, char hash[STORE_NAME_BYTES]) {
  digest_t digest = {0};
  digest_begin(&digest);
  digest_text(&digest, "version", sweep->settings.version);
  digest_file(&digest, "study", sweep->study->file);
  for (size_t i = 0; i < sweep->study->besides; ++i) {
    char path[STORE_PATH_BYTES];
    store_study_path(&sweep->store, sweep->study->beside[i], "results.sqlite", path);
    digest_file(&digest, "beside", path);
  }
  for (size_t i = 0; i < sweep->points; ++i) {
    const outcome_t *row = &sweep->outcomes.row[i];
    const bool ended = row->status == OUTCOME_DONE || row->status == OUTCOME_FAILED;
    const double numbers[] = {row->seconds, row->peak_mb, (double)row->attempts, ended ? row->status : OUTCOME_WAITING};
    digest_text(&digest, "result", row->result);
    digest_bytes(&digest, "numbers", numbers, sizeof numbers);
    digest_bytes(&digest, "metrics", row->metric, sweep->study->metrics * sizeof *row->metric);
  }
  digest_name(&digest, hash);
  digest_free(&digest);
}

static bool are_there(const sweep_t *sweep, const char *hash) {
  char path[STORE_PATH_BYTES], what[64], written[STORE_NAME_BYTES];
  static const char *const files[] = {"results.sqlite", "results.csv", "index.html"};
  store_study_path(&sweep->store, sweep->study->name, "written", path);
  bool good = host_read_text(path, written, sizeof written) && strcmp(written, hash) == 0;
  for (size_t i = 0; good && i < sizeof files / sizeof *files; ++i) {
    store_study_path(&sweep->store, sweep->study->name, files[i], path);
    good = access(path, F_OK) == 0;
  }
  for (size_t i = 0; good && i < sweep->study->plots; ++i) {
    snprintf(what, sizeof what, "%.50s.svg", sweep->study->plot[i].name);
    store_study_path(&sweep->store, sweep->study->name, what, path);
    good = access(path, F_OK) == 0;
  }
  return good;
}

static bool note_written(const sweep_t *sweep, const char *hash, base_error_t *error) {
  char path[STORE_PATH_BYTES];
  outputs_t outputs = {.count = 0};
  size_t index;
  store_study_path(&sweep->store, sweep->study->name, "written", path);
  FILE *file = outputs_add(&outputs, path, &index, error) ? outputs_open(&outputs, index, error) : NULL;
  if (file != NULL) {
    fprintf(file, "%s\n", hash);
  }
  const bool good = file != NULL && outputs_commit(&outputs, error);
  outputs_discard(&outputs);
  return good;
}

// --- the files --------------------------------------------------------------------------------

// Each is tried; the first error stays.
static void note(bool good, base_error_t *one, bool *all, base_error_t *error) {
  if (!good && *all) {
    *error = *one;
    *all = false;
  }
}

static bool write_files(const sweep_t *sweep, base_error_t *error) {
  char path[STORE_PATH_BYTES], what[64];
  const study_t *study = sweep->study;
  base_error_t one;
  bool all = true;
  store_study_path(&sweep->store, study->name, "results.sqlite", path);
  table_t *table = table_make(&sweep->outcomes, path, error);
  if (table == NULL) {
    return false;
  }
  store_study_path(&sweep->store, study->name, "results.csv", path);
  note(table_csv(table, path, &one), &one, &all, error);
  for (size_t i = 0; i < study->plots; ++i) {
    snprintf(what, sizeof what, "%.50s.svg", study->plot[i].name);
    store_study_path(&sweep->store, study->name, what, path);
    note(plot_write(table, &study->plot[i], path, &one), &one, &all, error);
  }
  store_study_path(&sweep->store, study->name, "index.html", path);
  note(page_write(table, path, &one), &one, &all, error);
  table_close(table);
  return all;
}

bool sweep_write(sweep_t *sweep, base_error_t *error) {
  char hash[STORE_NAME_BYTES];
  results_write_index(sweep);
  hash_of(sweep, hash);
  return are_there(sweep, hash) ||
         (store_make(&sweep->store, error) &&
          store_note_points(&sweep->store, sweep->study->name, sweep->study->file, sweep->name, sweep->points, error) &&
          write_files(sweep, error) && note_written(sweep, hash, error));
}
