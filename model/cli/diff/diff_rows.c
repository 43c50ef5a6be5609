// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diff/diff.h"
#include "host/interrupt.h"

enum { NAME_BYTES = 512 };

typedef struct finder {
  diff_rows_t *rows;
  diff_group_t group;
  double cycles;  // of the first run, at least 1
} finder_t;

static diff_group_t group_of(const char *member) {
  diff_group_t group = DIFF_OTHER;
#define GROUP(name, heading, decides) group = DIFF_##name;
#define MEMBER(name)               \
  if (strcmp(member, name) == 0) { \
    return group;                  \
  }
#include "cli/diff/diff_groups.def"
#undef GROUP
#undef MEMBER
  return group;
}

// --- one row ----------------------------------------------------------------------------------

// A pipe that is not there has done nothing, and one that never waited for something does not name it.
static bool counts_from_zero(diff_group_t group) { return group == DIFF_WAITS || group == DIFF_COMMANDS; }

static double number(const finder_t *finder, const cJSON *item) {
  return cJSON_IsNumber(item) ? item->valuedouble : item == NULL && counts_from_zero(finder->group) ? 0 : (double)NAN;
}

static double change_of(const finder_t *finder, const cJSON *before, const cJSON *after) {
  const double a = number(finder, before), b = number(finder, after);
  const double whole = finder->group == DIFF_WAITS ? finder->cycles : fabs(a);
  const double change = (b - a) / whole;
  return isnan(change) ? (double)INFINITY : change;
}

// cJSON_Compare takes numbers for the same that differ in their last bits.
static bool is_same(const finder_t *finder, const cJSON *before, const cJSON *after) {
  const double a = number(finder, before), b = number(finder, after);
  return !isnan(a) && !isnan(b) ? a == b : cJSON_Compare(before, after, true);
}

static void add_row(finder_t *finder, const char *name, const cJSON *before, const cJSON *after) {
  diff_rows_t *rows = finder->rows;
  if (rows->count == rows->room) {
    rows->room = 2 * rows->room + 64;
    rows->row = realloc(rows->row, rows->room * sizeof *rows->row);
  }
  char *own = strdup(name);
  if (rows->row == NULL || own == NULL) {
    host_out_of_memory();
    return;
  }
  rows->row[rows->count++] = (diff_row_t){
      .group = finder->group, .name = own, .value = {before, after}, .change = change_of(finder, before, after)};
}

// --- all of them ------------------------------------------------------------------------------

static void find(finder_t *finder, const char *name, const cJSON *before, const cJSON *after);

static bool has_members(const cJSON *item) { return cJSON_IsObject(item) || cJSON_IsArray(item); }

static void find_member(finder_t *finder, const char *name, const char *member, const cJSON *before,
                        const cJSON *after) {
  char full[NAME_BYTES];
  snprintf(full, sizeof full, "%s%s%s", name, name[0] == '\0' ? "" : ".", member);
  find(finder, full, before, after);
}

static void find_in_objects(finder_t *finder, const char *name, const cJSON *before, const cJSON *after) {
  const cJSON *item;
  cJSON_ArrayForEach(item, before) {
    find_member(finder, name, item->string, item, cJSON_GetObjectItemCaseSensitive(after, item->string));
  }
  cJSON_ArrayForEach(item, after) {
    if (cJSON_GetObjectItemCaseSensitive(before, item->string) == NULL) {
      find_member(finder, name, item->string, NULL, item);
    }
  }
}

static void find_in_arrays(finder_t *finder, const char *name, const cJSON *before, const cJSON *after) {
  const cJSON *a = before == NULL ? NULL : before->child, *b = after == NULL ? NULL : after->child;
  for (size_t i = 0; a != NULL || b != NULL; ++i) {
    char full[NAME_BYTES];
    snprintf(full, sizeof full, "%s[%zu]", name, i);
    find(finder, full, a, b);
    a = a == NULL ? NULL : a->next;
    b = b == NULL ? NULL : b->next;
  }
}

// If one of the two lacks a member, each member in it is a row, but not if both have it in different ways.
static void find(finder_t *finder, const char *name, const cJSON *before, const cJSON *after) {
  const cJSON *one = before == NULL || cJSON_IsNull(before) ? after : before;
  const cJSON *other = one == after ? before : after;
  const bool both = other == NULL || cJSON_IsNull(other) || cJSON_IsObject(other) == cJSON_IsObject(one);
  if (has_members(one) && both && (other == NULL || cJSON_IsNull(other) || has_members(other))) {
    const cJSON *a = cJSON_IsNull(before) ? NULL : before, *b = cJSON_IsNull(after) ? NULL : after;
    (cJSON_IsObject(one) ? find_in_objects : find_in_arrays)(finder, name, a, b);
  } else if (!is_same(finder, before, after)) {
    add_row(finder, name, before, after);
  }
}

// For pipes and parameters the name alone is enough.
static const char *prefix_of(const char *member) {
  return strcmp(member, "pipes") == 0 || strcmp(member, "commands") == 0 || strcmp(member, "machine") == 0 ? ""
                                                                                                           : member;
}

static int by_group_and_change(const void *a, const void *b) {
  const diff_row_t *x = a, *y = b;
  const double left = fabs(x->change), right = fabs(y->change);
  return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
         : left != right      ? (left < right) - (left > right)
                              : strcmp(x->name, y->name);
}

void diff_find(cJSON *const run[2], diff_rows_t *rows) {
  const cJSON *item;
  const double cycles = cJSON_GetObjectItemCaseSensitive(run[0], "cycles")->valuedouble;
  finder_t finder = {.rows = rows, .cycles = cycles > 1 ? cycles : 1};
  cJSON_ArrayForEach(item, run[0]) {
    finder.group = group_of(item->string);
    find(&finder, prefix_of(item->string), item, cJSON_GetObjectItemCaseSensitive(run[1], item->string));
  }
  cJSON_ArrayForEach(item, run[1]) {
    if (cJSON_GetObjectItemCaseSensitive(run[0], item->string) == NULL) {
      finder.group = group_of(item->string);
      find(&finder, prefix_of(item->string), NULL, item);
    }
  }
  if (rows->count > 0) {
    qsort(rows->row, rows->count, sizeof *rows->row, by_group_and_change);
  }
}

void diff_free(diff_rows_t *rows) {
  for (size_t i = 0; i < rows->count; ++i) {
    free(rows->row[i].name);
  }
  free(rows->row);
}
