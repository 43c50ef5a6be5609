// Boolean expressions as Liberty writes them, to truth tables.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_GATES_BOOLEAN_H
#define AMALGAM_SILICON_GATES_BOOLEAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { BOOLEAN_INPUTS_MAX = 6 };

// A name in an expression is given a number below BOOLEAN_INPUTS_MAX, the same name the same
// number; negative: it is not allowed there.
typedef int boolean_name_fn(void *context, const char *name);

// Operators, the binding ones first: ! before and ' behind; ^; & * or nothing between operands;
// + and |. Bit i of *table: the value when input j has bit j of i.
bool boolean_parse(const char *text, boolean_name_fn *number, void *context, uint64_t *table, base_error_t *error);

#endif
