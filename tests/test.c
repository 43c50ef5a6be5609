// SPDX-License-Identifier: Apache-2.0
#include "test.h"

static struct line_test {
  int line;
  struct CMUnitTest test;
} added[200];
static size_t count;

void test_add(int line, const char *name, CMUnitTestFunction test, CMFixtureFunction before, CMFixtureFunction after) {
  if (count == ARRAY_LEN(added)) {
    abort();
  }
  added[count++] = (struct line_test){line, {name, test, before, after, NULL}};
}

static CMFixtureFunction before_all, after_all;

void test_around(CMFixtureFunction before, CMFixtureFunction after) {
  before_all = before;
  after_all = after;
}

static int by_line(const void *a, const void *b) {
  return ((const struct line_test *)a)->line - ((const struct line_test *)b)->line;
}

int test_run(const char *pattern) {
  struct CMUnitTest tests[ARRAY_LEN(added)];
  qsort(added, count, sizeof *added, by_line);
  for (size_t i = 0; i < count; ++i) {
    tests[i] = added[i].test;
  }
  if (pattern != NULL) {
    cmocka_set_test_filter(pattern);
  } else {
    cmocka_set_skip_filter("exhaustive*");
  }
  return _cmocka_run_group_tests("tests", tests, count, before_all, after_all);
}
