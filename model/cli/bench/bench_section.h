// Sections of `bench`: each measures one part, prints a table and adds a member to the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_BENCH_BENCH_SECTION_H
#define AMALGAM_CLI_BENCH_BENCH_SECTION_H

#include <cJSON.h>

#include "base/error.h"
#include "cli/bench/bench_race.h"

typedef struct bench {
  bool quiet;     // no text
  bool quick;     // --size quick
  double budget;  // seconds to spend on one runner of a race
  cJSON *root;    // of the results
} bench_t;

// False: *error says why.
typedef bool bench_section_fn(const bench_t *bench, base_error_t *error);

bench_section_fn bench_matmul;     // products against OpenBLAS
bench_section_fn bench_functions;  // exponentials and random numbers against libm
bench_section_fn bench_engine;     // attention engines in RTL and in C
bench_section_fn bench_simulator;  // whole simulations: chip, memory units, one core

// printf, unless quiet.
void bench_print(const bench_t *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A column of a table, "%*.1f", or a dash for what was not measured (0).
void bench_print_number(const bench_t *bench, int width, double value);

// A member of *object; null for what was not measured (0).
void bench_put(cJSON *object, const char *name, double value);

// a / b, 0 if either was not measured.
double bench_ratio(double a, double b);

#endif
