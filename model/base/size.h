// Arithmetic of sizes.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_SIZE_H
#define AMALGAM_BASE_SIZE_H

#include <stddef.h>

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t larger(size_t a, size_t b) { return a > b ? a : b; }

// a / b, and a, rounded up: to a whole number, and to a multiple of b.
static inline size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }
static inline size_t round_up(size_t a, size_t b) { return ceil_div(a, b) * b; }

#endif
