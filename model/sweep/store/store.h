// Results on disk. A result's folder is named by what decides it (digest.h):
//
//   STORE/store/AB/CD...EF/point.json   the result: written to another name and renamed, never changed
//                         log           what the run said, if it failed
//                         before.json   the result before, if it was tried once more
//                         tries         of a point that was ended without a result
//   STORE/store/workers/                a file for each worker (claim.h), touched every few seconds
//   STORE/store/claims/AB...EF          a link to the file of the worker that runs it
//   STORE/STUDY/                        what is made of a study's results, the names of these (`points`), and which
//   file
//                                       is the study (`study`)
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STORE_STORE_H
#define AMALGAM_SWEEP_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { STORE_NAME_BYTES = 33, STORE_PATH_BYTES = 4096 };

typedef struct store {
  char folder[STORE_PATH_BYTES];  // as it was given
} store_t;

// Makes nothing; a store that is not there is empty.
bool store_open(store_t *store, const char *folder, base_error_t *error);

// Makes the folders. False: error says why they cannot be.
bool store_make(const store_t *store, base_error_t *error);

// STORE/store/WHAT, STORE/STUDY/WHAT, STORE/store/AB/CD...EF/WHAT
void store_path(const store_t *store, const char *what, char path[STORE_PATH_BYTES]);
void store_study_path(const store_t *store, const char *study, const char *what, char path[STORE_PATH_BYTES]);
void store_result_path(const store_t *store, const char *name, const char *what, char path[STORE_PATH_BYTES]);

// Is there a result of this name?
bool store_has(const store_t *store, const char *name);

// Publishes a result: point.json and, if log is not NULL, its log. One that is there already stays.
bool store_put(const store_t *store, const char *name, const char *json, const char *log, size_t log_bytes,
               base_error_t *error);

// Puts a result aside, so that it is no longer there.
bool store_put_aside(const store_t *store, const char *name, base_error_t *error);

// The cost of a point that was ended without a result: attempts so far, and the memory it needs at least. Not there:
// 0.
typedef struct store_tries {
  unsigned attempts;
  double needs_mb;
  unsigned lost;  // workers that were gone before it had ended
} store_tries_t;
void store_get_tries(const store_t *store, const char *name, store_tries_t *tries);
bool store_put_tries(const store_t *store, const char *name, const store_tries_t *tries, base_error_t *error);

// Is STORE/STUDY/ this file's, or nobody's?  False: it is that of another file, which is there and says something else;
// error names both. With one folder for two studies, each would lose its table to the other, and --gc its results.
bool store_is_of(const store_t *store, const char *study, const char *file, base_error_t *error);

// Notes which file a study is, and the names that it has now.
bool store_note_points(const store_t *store, const char *study, const char *file, char (*name)[STORE_NAME_BYTES],
                       size_t count, base_error_t *error);

typedef struct store_gc {
  size_t kept, removed;
} store_gc_t;

// Removes results that no study in the store names, and what workers that are gone have left.
bool store_gc(const store_t *store, store_gc_t *gc, base_error_t *error);

#endif
