// Prints sections, and puts them into the JSON.
// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>

#include "cli/bench/bench_section.h"

void bench_print(const bench_t *bench, const char *format, ...) {
  if (!bench->quiet) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
  }
}

void bench_print_number(const bench_t *bench, int width, double value) {
  if (value > 0) {
    bench_print(bench, "%*.1f", width, value);
  } else {
    bench_print(bench, "%*s", width, "-");
  }
}

void bench_put(cJSON *object, const char *name, double value) {
  if (value > 0) {
    cJSON_AddNumberToObject(object, name, value);
  } else {
    cJSON_AddNullToObject(object, name);
  }
}

double bench_ratio(double a, double b) { return a > 0 && b > 0 ? a / b : 0; }
