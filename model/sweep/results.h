// Internal to sweep: the store's results of a study's points, in the sweep's outcomes. All that was read is kept in the
// study's folder, in the file `index`, with the times of the store's folders: a folder that has not changed since is
// not read again. The index may be removed at any time.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_RESULTS_H
#define AMALGAM_SWEEP_RESULTS_H

#include "sweep/store/record.h"
#include "sweep/sweep.h"

enum { RESULTS_FOLDERS = 256 };
#define RESULTS_NONE UINT32_MAX

// The result of a point that is the first of its name.
typedef struct result {
  record_t record;
  int64_t time;  // of point.json; 0: there is none
  uint64_t inode;
  unsigned look;  // the last one that found it
} result_t;

typedef struct results {
  result_t *result;        // [points]
  uint32_t *first, *next;  // [points]: the first point of the same name, and the next; RESULTS_NONE
  uint32_t *slot;          // a hash table of first points
  size_t mask;
  int64_t folder[RESULTS_FOLDERS];  // when it changed last; 0: it has to be read
  unsigned looks;
  bool changed;                      // since the index was read or written
  double *no_metrics;                // [metrics]
  const char *too_long, *too_large;  // why a point fails that is beyond the study's limits
} results_t;

// A record says what became of a run; what that means to a study depends on the study's limits, too. A run that has
// needed more than they allow has failed here, and a failure under other limits that are lower is no result.

// Makes room for the results of all points, by their names.
void results_make(sweep_t *sweep);

// The first point of this name, or RESULTS_NONE.
uint32_t results_find(const sweep_t *sweep, const char *name);

// Reads the result of a point that is the first of its name. False: there is none that counts in this study.
bool results_take(sweep_t *sweep, uint32_t point);

// All that has changed.
bool results_look(sweep_t *sweep, base_error_t *error);

// Puts a record into the outcomes of all points of that name; the index uses it, too.
void results_set(sweep_t *sweep, uint32_t first);

// The index: read once, before the first look; written if something has changed. Neither says why it could not be.
void results_read_index(sweep_t *sweep);
void results_write_index(sweep_t *sweep);

#endif
