// The index of results.h, as a text: its keys, the folders' times, then a line for each result.
// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "sweep/results.h"
#include "sweep/store/digest.h"

// An index is used if its metrics are the study's; the folders' times only if the points are, too.
typedef struct keys {
  char metrics[STORE_NAME_BYTES], points[STORE_NAME_BYTES];
} keys_t;

static keys_t keys_of(const sweep_t *sweep) {
  digest_t digest = {0};
  keys_t keys = {.metrics = ""};
  digest_begin(&digest);
  for (size_t i = 0; i < sweep->study->metrics; ++i) {
    digest_text(&digest, "metric", sweep->study->metric[i].json == NULL ? "" : sweep->study->metric[i].json);
  }
  digest_name(&digest, keys.metrics);
  digest_begin(&digest);
  digest_bytes(&digest, "points", sweep->name, sweep->points * sizeof *sweep->name);
  digest_name(&digest, keys.points);
  digest_free(&digest);
  return keys;
}

static void path_of(const sweep_t *sweep, char path[STORE_PATH_BYTES]) {
  store_study_path(&sweep->store, sweep->study->name, "index", path);
}

// --- reading ----------------------------------------------------------------------------------

// False: a line of something else, or the end.
static bool read_line(FILE *file, char **line, size_t *room) {
  const ssize_t length = getline(line, room, file);
  const bool whole = length > 0 && (*line)[length - 1] == '\n';
  if (whole) {
    (*line)[length - 1] = '\0';
  }
  return whole;
}

static bool read_keys(const char *line, const keys_t *keys, bool *same_points) {
  char metrics[STORE_NAME_BYTES], points[STORE_NAME_BYTES];
  const bool good = sscanf(line, "%32s %32s", metrics, points) == 2 && strcmp(metrics, keys->metrics) == 0;
  *same_points = good && strcmp(points, keys->points) == 0;
  return good;
}

static bool read_folders(sweep_t *sweep, char *at, bool same_points) {
  for (size_t i = 0; i < RESULTS_FOLDERS; ++i) {
    const char *from = at;
    const int64_t time = strtoll(from, &at, 10);
    sweep->results->folder[i] = same_points ? time : 0;
    if (at == from) {
      return false;
    }
  }
  return *at == '\0';
}

static bool read_indexed(sweep_t *sweep, char *line) {
  char name[STORE_NAME_BYTES];
  int used = 0;
  result_t result = {.time = 0};
  record_t *record = &result.record;
  char *error = strchr(line, '\t'), *host = error == NULL ? NULL : strchr(error + 1, '\t');
  if (host == NULL ||
      sscanf(line, "%32s %" SCNd64 " %" SCNu64 " %d %u %lf %lf %lf %lf%n", name, &result.time, &result.inode,
             &record->exit, &record->attempts, &record->seconds, &record->peak_mb, &record->limit_seconds,
             &record->limit_mb, &used) != 9 ||
      strlen(name) != STORE_NAME_BYTES - 1 || strspn(name, "0123456789abcdef") != STORE_NAME_BYTES - 1) {
    return false;
  }
  const uint32_t first = results_find(sweep, name);
  if (first == RESULTS_NONE) {
    return true;
  }
  *error++ = *host++ = '\0';
  record->failed = record->exit != 0;
  record->error = *error == '\0' ? "" : arena_text(&sweep->arena, error);
  record->host = *host == '\0' ? "" : arena_text(&sweep->arena, host);
  record->metric = arena_bytes(&sweep->arena, sweep->study->metrics, sizeof *record->metric);
  char *at = line + used;
  for (size_t i = 0; i < sweep->study->metrics; ++i) {
    record->metric[i] = strtod(at, &at);
  }
  sweep->results->result[first] = result;
  results_set(sweep, first);
  return *at == '\0';
}

// What is wrong in it is read from the store again, with all else.
void results_read_index(sweep_t *sweep) {
  char path[STORE_PATH_BYTES], *line = NULL;
  size_t room = 0;
  bool same_points = false;
  path_of(sweep, path);
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return;
  }
  const keys_t keys = keys_of(sweep);
  bool good = read_line(file, &line, &room) && read_keys(line, &keys, &same_points) && read_line(file, &line, &room) &&
              read_folders(sweep, line, same_points);
  while (good && read_line(file, &line, &room)) {
    good = read_indexed(sweep, line);
  }
  if (!good || !feof(file)) {
    memset(sweep->results->folder, 0, sizeof sweep->results->folder);
  }
  free(line);
  fclose(file);
}

// --- writing ----------------------------------------------------------------------------------

static void print_result(const sweep_t *sweep, size_t point, FILE *file) {
  const result_t *result = &sweep->results->result[point];
  const record_t *record = &result->record;
  fprintf(file, "%s %" PRId64 " %" PRIu64 " %d %u %a %a %a %a", sweep->name[point], result->time, result->inode,
          record->exit, record->attempts, record->seconds, record->peak_mb, record->limit_seconds, record->limit_mb);
  for (size_t i = 0; i < sweep->study->metrics; ++i) {
    fprintf(file, " %a", record->metric[i]);
  }
  fprintf(file, "\t%s\t%s\n", record->error, record->host);
}

static void print_index(const sweep_t *sweep, FILE *file) {
  const keys_t keys = keys_of(sweep);
  fprintf(file, "%s %s\n", keys.metrics, keys.points);
  for (size_t i = 0; i < RESULTS_FOLDERS; ++i) {
    fprintf(file, " %" PRId64, sweep->results->folder[i]);
  }
  fputc('\n', file);
  for (size_t point = 0; point < sweep->points; ++point) {
    if (sweep->results->result[point].time != 0) {
      print_result(sweep, point, file);
    }
  }
}

void results_write_index(sweep_t *sweep) {
  char path[STORE_PATH_BYTES];
  outputs_t outputs = {.count = 0};
  size_t index;
  base_error_t error;
  if (!sweep->results->changed) {
    return;
  }
  path_of(sweep, path);
  FILE *file = outputs_add(&outputs, path, &index, &error) ? outputs_open(&outputs, index, &error) : NULL;
  if (file != NULL) {
    print_index(sweep, file);
    sweep->results->changed = !outputs_commit(&outputs, &error);
  }
  outputs_discard(&outputs);
}
