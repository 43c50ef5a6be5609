// The rows that a page has of a large table: all of a front, and others evenly.
// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "sweep/page/page_rows.h"

enum { ROWS = 30000, MOST = 700, FRONT = 300 };

static const char *values[] = {"0"};
static study_axis_t axis[] = {{.name = "a", .option = "--a", .value = values, .count = 1}};
static study_metric_t metric[] = {{.name = "x", .json = "x", .better = STUDY_MIN},
                                  {.name = "y", .json = "y", .better = STUDY_MAX}};
static study_plot_t plot[] = {{.name = "front", .kind = STUDY_PARETO, .x = "x", .y = "y"}};
static const study_t study = {
    .file = "f", .name = "f", .axis = axis, .axes = 1, .metric = metric, .metrics = 2, .plot = plot, .plots = 1};
static double numbers[ROWS][2];
static outcome_t rows[ROWS];

// Each hundredth of the first FRONT hundreds is on the front; one that is better than all has failed.
static table_t *make_table(size_t count) {
  static outcomes_t outcomes;
  base_error_t error = {""};
  outcomes = (outcomes_t){.study = &study, .row = rows, .rows = count};
  for (size_t i = 0; i < count; ++i) {
    const bool front = i % 100 == 50 && i / 100 < FRONT;
    numbers[i][0] = (double)i;
    numbers[i][1] = front ? (double)i : -1;
    rows[i] = (outcome_t){.status = OUTCOME_DONE,
                          .result = "",
                          .command = "",
                          .error = "",
                          .host = "",
                          .axis = values,
                          .metric = numbers[i]};
  }
  rows[7].status = OUTCOME_FAILED;
  numbers[7][1] = 1e9;
  table_t *table = table_make(&outcomes, NULL, &error);
  if (table == NULL) {
    fail_msg("%s", error.text);
  }
  return table;
}

static void large(void **state) {
  (void)state;
  table_t *table = make_table(ROWS);
  page_rows_t chosen;
  assert_true(page_rows_choose(&chosen, table, MOST));
  assert_in_range(chosen.count, MOST - 5, MOST);
  size_t fronts = 0, in_first_half = 0, in_tens = 0;
  for (size_t i = 0; i < chosen.count; ++i) {
    assert_true(i == 0 || chosen.row[i - 1] < chosen.row[i]);
    fronts += chosen.row[i] % 100 == 50;
    in_first_half += chosen.row[i] < ROWS / 2;
    in_tens += chosen.row[i] % 10 == 3;  // an axis of ten values
  }
  assert_true(fronts >= FRONT);
  assert_in_range(in_first_half, MOST / 2 - 8, MOST / 2 + 8);
  assert_in_range(in_tens, (MOST - FRONT) / 10 - 8, (MOST - FRONT) / 10 + 8);
  free(chosen.row);
  table_close(table);
}

static void small(void **state) {
  (void)state;
  table_t *table = make_table(MOST);
  page_rows_t chosen;
  assert_true(page_rows_choose(&chosen, table, MOST));
  assert_int_equal(chosen.count, MOST);
  for (size_t i = 0; i < MOST; ++i) {
    assert_int_equal(chosen.row[i], i);
  }
  free(chosen.row);
  table_close(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(large), cmocka_unit_test(small)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
