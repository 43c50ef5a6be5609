// Shared by all tests in C and C++: cmocka with the headers that it forgets, and TEST.
//
//   TEST(adds) { assert_int_equal(1 + 1, 2); }
//
// The tests of a program run in the order in which they are written; its argument picks some by name, in which * and ?
// are wildcards. Those whose names begin with exhaustive run only if they are asked for. A program with a main() of its
// own ends in test_run(NULL).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_TEST_H
#define AMALGAM_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off: needs those above
#include <cmocka.h>
// clang-format on

// Called before main(): the test that is written in that line, with what runs before and after it, or NULL.
void test_add(int line, const char *name, CMUnitTestFunction test, CMFixtureFunction before, CMFixtureFunction after);

// Before all tests of the program, and after them.
void test_around(CMFixtureFunction before, CMFixtureFunction after);

// Runs the tests whose names match the pattern, or all if it is NULL; the exit code.
int test_run(const char *pattern);

#ifdef __cplusplus
}
#endif

// before() leaves *state to the test and to after().
#define TEST_WITH(name, before, after)                                                                          \
  static void name(void **state);                                                                               \
  __attribute__((constructor)) static void add_##name(void) { test_add(__LINE__, #name, name, before, after); } \
  static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

// Functions that run before all tests of the program, and after them.
#define TEST_GROUP(before, after) \
  __attribute__((constructor)) static void add_group(void) { test_around(before, after); }

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
