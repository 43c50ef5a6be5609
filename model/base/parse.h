// Strict numbers from text: the whole text, nothing before or after, in range.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_PARSE_H
#define AMALGAM_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

// Decimal digits only.
bool parse_count(const char *text, uint64_t *value);

// Decimal or exponent notation; finite.  A float is rounded once, from the text.
bool parse_real(const char *text, double *value);
bool parse_float(const char *text, float *value);

// The end of a message about a number: "; numbers are decimal" if text looks like 0x10, else "".
const char *parse_hint(const char *text);

// The index of text in a list "rtl|c", or -1.
int parse_choice(const char *text, const char *choices);

typedef struct distribution {
  enum { DISTRIBUTION_NORMAL, DISTRIBUTION_UNIFORM } kind;
  double width;  // standard deviation, or A of the interval [-A, A)
} distribution_t;

// "normal:S" or "uniform:A" with a positive number, 1 if left out.
bool parse_distribution(const char *text, distribution_t *distribution);

#endif
