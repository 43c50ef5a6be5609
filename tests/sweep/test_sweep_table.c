// The table of a study: cells, expressions and what is refused in them, results.sqlite, results.csv, text; fronts.
// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "made_study.h"
#include "sweep/plot/plot_script.h"
#include "sweep/table/front.h"

static char folder[] = "/tmp/sweep_table.XXXXXX";

static const char *path_of(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static table_t *made_table(const char *sqlite_file) {
  base_error_t error = {""};
  table_t *table = table_make(made_outcomes(), sqlite_file, &error);
  if (table == NULL) {
    fail_msg("%s", error.text);
  }
  return table;
}

static double number(const table_t *table, size_t row, const char *name) {
  const int column = table_find(table, name);
  assert_int_not_equal(column, TABLE_NONE);
  return table_number(table, row, (size_t)column);
}

static const char *text(const table_t *table, size_t row, const char *name) {
  static char buffer[TABLE_TEXT_BYTES];
  return table_text(table, row, (size_t)table_find(table, name), buffer);
}

// --- places of plots --------------------------------------------------------------------------

// On a logarithmic axis 0 and what is below have no place, and are counted as lost; on a linear one they have.
static void zeros_on_log_axes(void **state) {
  (void)state;
  static const double values[] = {0.0, -1.0};
  const outcomes_t *outcomes = made_outcomes();
  for (size_t i = 0; i < 2; ++i) {
    ((double *)(uintptr_t)outcomes->row[i].metric)[0] = values[i];
  }
  base_error_t error = {""};
  table_t *table = table_make(outcomes, NULL, &error);
  assert_non_null(table);
  size_t dones[2];
  for (int log = 0; log < 2; ++log) {
    const study_plot_t plot = {.name = "p", .kind = STUDY_LINES, .x = "buffers", .y = "cycles", .log_y = log == 1};
    plot_points_t points;
    assert_true(plot_points_open(&points, table, &plot, &error));
    dones[log] = points.dones;
    assert_int_equal(points.lost[OUTCOME_DONE], log == 1 ? 2 : 0);
    assert_true(log == 1 ? points.from_y > 0 : points.from_y < -1.0);
    plot_points_close(&points);
  }
  assert_int_equal(dones[1] + 2, dones[0]);
  table_close(table);
  made_outcomes();
}

// --- cells ------------------------------------------------------------------------------------

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(b); }

static void cells(void **state) {
  (void)state;
  table_t *table = made_table(NULL);
  assert_int_equal(table->rows, MADE_POINTS);
  assert_int_equal(table_find(table, "missing"), TABLE_NONE);
  for (size_t row = 0; row < MADE_POINTS; ++row) {
    const size_t kernel = row / MADE_BUFFERS, buffers = row % MADE_BUFFERS + 1;
    const bool done = made_status(kernel, buffers) == OUTCOME_DONE;
    const double cycles = done ? made_cycles(kernel, buffers) : NAN;
    assert_true(same(number(table, row, "buffers"), (double)buffers));
    assert_true(isnan(number(table, row, "kernel")));
    assert_true(same(table_place(table, row, 0), (double)kernel));
    assert_true(same(table_place(table, row, 1), (double)buffers));
    assert_string_equal(text(table, row, "kernel"), made_kernels[kernel]);
    assert_string_equal(text(table, row, "status"), table_status(made_status(kernel, buffers)));
    assert_true(same(number(table, row, "cycles"), cycles));
    assert_true(same(number(table, row, "half"), cycles / 2));
    assert_true(same(number(table, row, "area"), (double)buffers * 72 + 128));  // whatever became of the point
    assert_true(same(number(table, row, "least"), done ? made_cycles(kernel, kernel == 0 ? 4 : 5) / 2 : NAN));
    assert_true(same(number(table, row, "speedup"),
                     done && made_status(0, buffers) == OUTCOME_DONE ? made_cycles(0, buffers) / cycles : NAN));
    assert_true(same(number(table, row, "seconds"), strcmp(text(table, row, "host"), "") == 0 ? NAN : 0.25));
  }
  assert_int_equal(table_count(table, OUTCOME_DONE), 8);
  assert_int_equal(table_count(table, OUTCOME_FAILED), 1);
  assert_int_equal(table_count(table, OUTCOME_DROPPED), 2);
  table_close(table);
}

static void numbers(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } list[] = {{0, "0"},
              {340417, "340417"},
              {-2.5, "-2.5"},
              {0.1, "0.1"},
              {1.0 / 3, "0.3333333333333333"},
              {NAN, ""},
              {1e300, "1e+300"},
              {9007199254740993.0, "9007199254740992"}};
  char buffer[TABLE_TEXT_BYTES];
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    assert_string_equal(table_number_text(list[i].value, buffer), list[i].text);
  }
}

// --- expressions ------------------------------------------------------------------------------

static const struct {
  const char *expression, *why;
} bad_expressions[] = {
    {"cycle / 2", "no such column: cycle"},
    {"cycles +", "syntax error"},
    {"", "syntax error"},
    {"cycles; SELECT 1", "syntax error"},
    {"1) FROM results; DROP TABLE results; SELECT (1", "syntax error"},
    {"1), (2", "row value misused"},
    {"1) FROM results, results AS r WHERE (1", "syntax error"},
    {"1 UNION SELECT 2) OR (1", "syntax error"},
    {"?", "without parameters"},
    {"min(cycles)", "got one for all of them"},
    {"sum(cycles) / 2", "did you mean FUNCTION(...) OVER ()?"},
    {"\"cycles \"", "no such column"},
    {"speedup", "no such column: speedup"},  // itself
    {"status", "no such column: status"},
    {"kernel", "expected a number, got the text"},
    {"load_extension('x')", "not authorized"},
    {"random()", "not authorized"},
    {"randomblob(100)", "not authorized"},
    {"julianday('now')", "not authorized"},
    {"(SELECT count(*) FROM sqlite_master)", "not authorized"},
    {"(SELECT count(*) FROM pragma_table_info('results'))", "not authorized"},
    {"(SELECT count(*) FROM dbstat)", "dbstat"},
    {"(WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT count(*) FROM x)", "not authorized"},
};

static void refused_expressions(void **state) {
  (void)state;
  study_metric_t *metric = &made_metric[MADE_METRICS - 1];
  const char *was = metric->expression;
  for (size_t i = 0; i < sizeof bad_expressions / sizeof *bad_expressions; ++i) {
    base_error_t error = {""};
    metric->expression = bad_expressions[i].expression;
    table_t *table = table_make(made_outcomes(), path_of("bad.sqlite"), &error);
    if (table != NULL) {
      fail_msg("%s: computed", metric->expression);
    }
    if (strstr(error.text, bad_expressions[i].why) == NULL ||
        strncmp(error.text, "made.yaml: metric speedup: expression: ", 39) != 0) {
      fail_msg("%s: %s", metric->expression, error.text);
    }
    assert_int_not_equal(access(path_of("bad.sqlite"), F_OK), 0);
  }
  metric->expression = was;
}

// Before there are outcomes.
static void checked(void **state) {
  (void)state;
  base_error_t error = {""};
  assert_true(table_check(&made_study, ".", &error));
  study_metric_t *metric = &made_metric[MADE_METRICS - 1];
  const char *was = metric->expression;
  metric->expression = "max(cycles)";
  assert_false(table_check(&made_study, ".", &error));
  assert_non_null(strstr(error.text, "OVER ()"));
  metric->expression = "cycles / missing";
  assert_false(table_check(&made_study, ".", &error));
  assert_non_null(strstr(error.text, "no such column: missing"));
  metric->expression = was;
}

// --- files ------------------------------------------------------------------------------------

static void sqlite_file(void **state) {
  (void)state;
  table_t *table = made_table(path_of("results.sqlite"));
  sqlite3 *db = NULL;
  sqlite3_stmt *select = NULL;
  assert_int_equal(sqlite3_open(path_of("results.sqlite"), &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT * FROM results ORDER BY rowid", -1, &select, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_column_count(select), (int)table->columns);
  char buffer[TABLE_TEXT_BYTES];
  for (size_t row = 0; row < table->rows; ++row) {
    assert_int_equal(sqlite3_step(select), SQLITE_ROW);
    for (size_t i = 0; i < table->columns; ++i) {
      assert_string_equal(sqlite3_column_name(select, (int)i), table->column[i].name);
      if (table->column[i].numbers) {
        const double value = table_number(table, row, i);
        assert_int_equal(sqlite3_column_type(select, (int)i), isnan(value) ? SQLITE_NULL : SQLITE_FLOAT);
        assert_true(isnan(value) || sqlite3_column_double(select, (int)i) == value);
      } else {
        assert_string_equal((const char *)sqlite3_column_text(select, (int)i), table_text(table, row, i, buffer));
      }
    }
  }
  assert_int_equal(sqlite3_step(select), SQLITE_DONE);
  sqlite3_finalize(select);
  sqlite3_close(db);
  table_close(table);
}

static char *contents(const char *path) {
  static char bytes[16384];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
  fclose(file);
  return bytes;
}

static void csv(void **state) {
  (void)state;
  base_error_t error = {""};
  table_t *table = made_table(NULL);
  assert_true(table_csv(table, path_of("results.csv"), &error));
  const char *all = contents(path_of("results.csv"));
  static const char head[] =
      "kernel,buffers,cycles,busy,area,half,least,speedup,status,error,command,result,"
      "attempts,seconds,peak_mb,host\n"
      "base,1,1207,57,200,603.5,153.5,1,done,,"
      "amalgam run base --kv-buffers 1 --set 'a=<b>',00000000000000000001,1,0.25,40,node1\n";
  assert_memory_equal(all, head, strlen(head));
  assert_non_null(
      strstr(all, "\namla,4,,,416,,,,failed,\"race: \"\"L1\"\", <b>here</b> </script> 'x' `date` & more\","));
  assert_non_null(strstr(all, "\nbase,6,,,560,,,,dropped,,amalgam run base --kv-buffers 6 --set 'a=<b>',,,,,\n"));
  assert_false(table_csv(table, "/nowhere/results.csv", &error));
  table_close(table);
}

static void formulas(void **state) {
  (void)state;
  static const struct {
    const char *text, *cell;
  } list[] = {
      {"=1+1", "'=1+1"},      {"+a", "'+a"}, {"-a", "'-a"},    {"@a", "'@a"},      {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
      {"\t=a", "'\t=a"},      {"-1", "-1"},  {"+2.5", "+2.5"}, {"-1e-3", "-1e-3"}, {"a=1", "a=1"},
      {"--x: no", "'--x: no"}};
  const char *was = made_kernels[1];
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    char row[64];
    base_error_t error = {""};
    made_kernels[1] = list[i].text;
    table_t *table = made_table(NULL);
    assert_true(table_csv(table, path_of("results.csv"), &error));
    snprintf(row, sizeof row, "\n%s,2,407,", list[i].cell);
    assert_non_null(strstr(contents(path_of("results.csv")), row));
    table_close(table);
  }
  made_kernels[1] = was;
}

static void printed(void **state) {
  (void)state;
  table_t *table = made_table(NULL);
  FILE *file = fopen(path_of("text"), "w");
  table_print(table, file, 4);
  fclose(file);
  assert_string_equal(contents(path_of("text")),
                      "  kernel  buffers  cycles  busy [%]  area [KiB]   half  least  speedup\n"
                      "  base          1    1207        57         200  603.5  153.5        1\n"
                      "  base          2     607        64         272  303.5  153.5        1\n"
                      "  base          3     407        71         344  203.5  153.5        1\n"
                      "  base          4     307        78         416  153.5  153.5        1\n"
                      "  ... and 6 more\n"
                      "  2 of 12 points dropped by constraints\n");
  file = fopen(path_of("text"), "w");
  table_print(table, file, 100);
  fclose(file);
  const char *all = contents(path_of("text"));
  assert_non_null(strstr(all, "speedup  status\n"));
  assert_non_null(strstr(all, "  failed\n"));
  assert_null(strstr(all, "more"));
  table_close(table);
}

// --- fronts -----------------------------------------------------------------------------------

static bool better(double a, double b, bool most) { return most ? a > b : a < b; }

// Straight from the definition.
static bool is_beaten(const front_point_t *point, size_t count, size_t i, bool most_x, bool most_y) {
  for (size_t k = 0; k < count; ++k) {
    const bool worse = better(point[i].x, point[k].x, most_x) || better(point[i].y, point[k].y, most_y);
    const bool equal = point[i].x == point[k].x && point[i].y == point[k].y;
    if (!worse && (!equal || point[k].row < point[i].row)) {
      return true;
    }
  }
  return false;
}

static void one_front(size_t count, unsigned range, bool most_x, bool most_y) {
  front_point_t point[64] = {{0}}, sorted[64] = {{0}};
  bool in[64] = {false};
  for (size_t i = 0; i < count; ++i) {
    point[i] = sorted[i] = (front_point_t){(double)(rand() % (int)range), (double)(rand() % (int)range), i};
  }
  const size_t kept = front_of(sorted, count, most_x, most_y);
  for (size_t i = 0; i < kept; ++i) {
    assert_true(sorted[i].x == point[sorted[i].row].x && sorted[i].y == point[sorted[i].row].y);
    assert_true(i == 0 || better(sorted[i - 1].x, sorted[i].x, most_x));
    in[sorted[i].row] = true;
  }
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(in[i], !is_beaten(point, count, i, most_x, most_y));
  }
}

static void fronts(void **state) {
  (void)state;
  srand(1);
  for (int i = 0; i < 4000; ++i) {
    one_front((size_t)(rand() % 65), 1u << (i % 8), (i & 8) != 0, (i & 16) != 0);
  }
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const names[] = {"results.sqlite", "results.csv", "text"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    unlink(path_of(names[i]));
  }
  return rmdir(folder);  // fails if there is anything else
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells),
      cmocka_unit_test(numbers),
      cmocka_unit_test(refused_expressions),
      cmocka_unit_test(checked),
      cmocka_unit_test(sqlite_file),
      cmocka_unit_test(csv),
      cmocka_unit_test(formulas),
      cmocka_unit_test(printed),
      cmocka_unit_test(fronts),
      cmocka_unit_test(zeros_on_log_axes),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
