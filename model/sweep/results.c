// SPDX-License-Identifier: Apache-2.0
#include "sweep/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/store/claim.h"

static const int64_t second = 1000000000;

// --- names ------------------------------------------------------------------------------------

// Names are hashes themselves.
static size_t place(const results_t *results, const char *name) {
  size_t value = 0;
  for (size_t i = 0; i < 15; ++i) {
    value = value << 4 | (size_t)(name[i] <= '9' ? name[i] - '0' : name[i] - 'a' + 10);
  }
  return value & results->mask;
}

// The slot of a name, or the free one where it belongs.
static size_t slot_of(const sweep_t *sweep, const char *name) {
  const results_t *results = sweep->results;
  size_t at = place(results, name);
  while (results->slot[at] != RESULTS_NONE && strcmp(sweep->name[results->slot[at]], name) != 0) {
    at = (at + 1) & results->mask;
  }
  return at;
}

uint32_t results_find(const sweep_t *sweep, const char *name) { return sweep->results->slot[slot_of(sweep, name)]; }

void results_make(sweep_t *sweep) {
  results_t *results = sweep->results = arena_bytes(&sweep->arena, 1, sizeof *results);
  size_t slots = 16;
  while (slots < 2 * sweep->points) {
    slots *= 2;
  }
  results->mask = slots - 1;
  results->slot = arena_bytes(&sweep->arena, slots, sizeof *results->slot);
  memset(results->slot, 0xff, slots * sizeof *results->slot);
  results->result = arena_bytes(&sweep->arena, sweep->points, sizeof *results->result);
  results->first = arena_bytes(&sweep->arena, sweep->points, sizeof *results->first);
  results->next = arena_bytes(&sweep->arena, sweep->points, sizeof *results->next);
  results->no_metrics = arena_bytes(&sweep->arena, sweep->study->metrics, sizeof *results->no_metrics);
  for (size_t i = 0; i < sweep->study->metrics; ++i) {
    results->no_metrics[i] = (double)NAN;
  }
  results->too_long = arena_print(&sweep->arena, "took longer than %g s, its limit", sweep->study->seconds);
  results->too_large =
      arena_print(&sweep->arena, "needs more than %g MB, twice its limit", 2 * sweep->study->memory_mb);
  for (uint32_t point = 0; point < sweep->points; ++point) {
    results->first[point] = point;
    results->next[point] = RESULTS_NONE;
    if (sweep->name[point][0] != '\0') {
      const size_t at = slot_of(sweep, sweep->name[point]);
      const uint32_t first = results->slot[at];
      if (first == RESULTS_NONE) {
        results->slot[at] = point;
      } else {
        results->first[point] = first;
        results->next[point] = results->next[first];
        results->next[first] = point;
      }
    }
  }
}

// --- outcomes ---------------------------------------------------------------------------------

// ended_by: the limit that has ended it, 0: it was not one of this kind.
static bool is_beyond(double limit, double most, double ended_by, double taken) {
  return limit > 0 && (ended_by > 0 ? limit <= ended_by : taken > most);
}

static bool is_ended_by_limit(const record_t *record) { return record->limit_seconds > 0 || record->limit_mb > 0; }

// The error of a run that has taken more than one of the study's limits allows; NULL: it has not.
static const char *find_limit(const sweep_t *sweep, const record_t *record) {
  const study_t *study = sweep->study;
  if (is_beyond(study->seconds, study->seconds, record->limit_seconds, record->seconds)) {
    return sweep->results->too_long;
  }
  return is_beyond(study->memory_mb, 2 * study->memory_mb, record->limit_mb, record->peak_mb)
             ? sweep->results->too_large
             : NULL;
}

static bool counts(const sweep_t *sweep, const result_t *result) {
  return result->time != 0 && (!is_ended_by_limit(&result->record) || find_limit(sweep, &result->record) != NULL);
}

static void set_outcome(const sweep_t *sweep, const result_t *result, outcome_t *row) {
  const record_t *record = &result->record;
  const bool there = counts(sweep, result), own_failure = record->failed && !is_ended_by_limit(record);
  const char *limit = there && !own_failure ? find_limit(sweep, record) : NULL;
  row->status = !there ? OUTCOME_WAITING : own_failure || limit != NULL ? OUTCOME_FAILED : OUTCOME_DONE;
  row->error = limit != NULL ? limit : there ? record->error : "";
  row->host = there ? record->host : "";
  row->seconds = there ? record->seconds : 0;
  row->peak_mb = there ? record->peak_mb : 0;
  row->attempts = there ? record->attempts : 0;
  row->metric = there && limit == NULL ? record->metric : sweep->results->no_metrics;
}

void results_set(sweep_t *sweep, uint32_t first) {
  for (uint32_t point = first; point != RESULTS_NONE; point = sweep->results->next[point]) {
    set_outcome(sweep, &sweep->results->result[first], &sweep->outcomes.row[point]);
  }
}

static void forget(sweep_t *sweep, uint32_t first) {
  sweep->results->result[first].time = 0;
  sweep->results->changed = true;
  results_set(sweep, first);
}

static int64_t time_of(const struct stat *status) {
  return (int64_t)status->st_mtim.tv_sec * second + status->st_mtim.tv_nsec;
}

// A result that cannot be read, as of a host that lost its power, is none.
static void read_result(sweep_t *sweep, uint32_t first, const struct stat *status) {
  char path[STORE_PATH_BYTES];
  results_t *results = sweep->results;
  result_t *result = &results->result[first];
  result->look = results->looks;
  if (result->time == time_of(status) && result->inode == status->st_ino) {
    return;
  }
  store_result_path(&sweep->store, sweep->name[first], "point.json", path);
  if (record_read(path, sweep->study, &sweep->arena, &result->record)) {
    result->time = time_of(status);
    result->inode = status->st_ino;
    results->changed = true;
    results_set(sweep, first);
  } else {
    base_error_t nobody;
    if (!store_put_aside(&sweep->store, sweep->name[first], &nobody)) {
      nobody.text[0] = '\0';  // whoever runs it says so
    }
    forget(sweep, first);
  }
}

bool results_take(sweep_t *sweep, uint32_t point) {
  char path[STORE_PATH_BYTES];
  struct stat status;
  store_result_path(&sweep->store, sweep->name[point], "point.json", path);
  if (stat(path, &status) != 0) {
    return false;
  }
  read_result(sweep, point, &status);
  return counts(sweep, &sweep->results->result[point]);
}

// --- the store's folders ----------------------------------------------------------------------

// All results of a folder that are this study's.
static bool read_folder(sweep_t *sweep, const char *two, const char *path, base_error_t *error) {
  char name[STORE_NAME_BYTES], file[64];
  struct stat status;
  DIR *list = opendir(path);
  if (list == NULL) {
    return base_fail(error, "%s: cannot read: %s", path, strerror(errno));
  }
  for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
    if (strlen(entry->d_name) != STORE_NAME_BYTES - 3 ||
        strspn(entry->d_name, "0123456789abcdef") != STORE_NAME_BYTES - 3) {
      continue;
    }
    snprintf(name, sizeof name, "%.2s%.30s", two, entry->d_name);
    snprintf(file, sizeof file, "%.30s/point.json", entry->d_name);
    const uint32_t first = results_find(sweep, name);
    if (first != RESULTS_NONE && fstatat(dirfd(list), file, &status, 0) == 0) {
      read_result(sweep, first, &status);
    }
  }
  closedir(list);
  return true;
}

// Forgets results that were there at the last look and are no longer.
static void forget_missing(sweep_t *sweep, const bool is_read[RESULTS_FOLDERS]) {
  results_t *results = sweep->results;
  for (uint32_t point = 0; point < sweep->points; ++point) {
    unsigned folder;
    const result_t *result = &results->result[point];
    if (result->time != 0 && result->look != results->looks && sscanf(sweep->name[point], "%2x", &folder) == 1 &&
        is_read[folder]) {
      forget(sweep, point);
    }
  }
}

static void mark_running(void *context, const char *name) {
  sweep_t *sweep = context;
  for (uint32_t point = results_find(sweep, name); point != RESULTS_NONE; point = sweep->results->next[point]) {
    if (sweep->outcomes.row[point].status == OUTCOME_WAITING) {
      sweep->outcomes.row[point].status = OUTCOME_RUNNING;
    }
  }
}

static void look_who_runs(sweep_t *sweep) {
  for (size_t i = 0; i < sweep->points; ++i) {
    outcome_t *row = &sweep->outcomes.row[i];
    row->status = row->status == OUTCOME_RUNNING ? OUTCOME_WAITING : row->status;
  }
  claims_list(&sweep->store, mark_running, sweep);
}

// A folder's time says whether anything came or went, but not twice within the clock's step: of one that has just
// changed it is not believed.
static const int64_t settled = 2 * second;

bool results_look(sweep_t *sweep, base_error_t *error) {
  results_t *results = sweep->results;
  char path[STORE_PATH_BYTES], two[12];
  struct stat status;
  bool is_read[RESULTS_FOLDERS] = {false}, any = false, good = true;
  const int64_t now = claims_now(&sweep->store);
  ++results->looks;
  for (unsigned i = 0; good && i < RESULTS_FOLDERS; ++i) {
    snprintf(two, sizeof two, "%02x", i);
    store_path(&sweep->store, two, path);
    const bool there = stat(path, &status) == 0;
    const int64_t time = there ? time_of(&status) : 0;
    if (there && time == results->folder[i]) {
      continue;
    }
    is_read[i] = any = true;
    good = !there || read_folder(sweep, two, path, error);
    const int64_t before = results->folder[i];
    results->folder[i] = now - time > settled ? time : 0;
    results->changed = results->changed || results->folder[i] != before;
  }
  if (good && any) {
    forget_missing(sweep, is_read);
  }
  look_who_runs(sweep);
  return good;
}
