// The points of a study: all combinations of its axes' values, the last axis fastest. A point is its number, or the
// index of a value for each axis.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STUDY_POINTS_H
#define AMALGAM_SWEEP_STUDY_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "sweep/study/study.h"

enum { POINTS_MAX = 10000000 };

// The values of an axis that stands for an option without a value.
#define POINTS_WITH "with"
#define POINTS_WITHOUT "without"

// False: there are more than POINTS_MAX.
bool points_count(const study_t *study, size_t *count, base_error_t *error);

// value: [axes]
void points_values(const study_t *study, size_t point, uint32_t value[]);
size_t points_number(const study_t *study, const uint32_t value[]);

// The words of a point's run, from "run" on.
typedef struct points_words {
  const char **word;  // [words], then NULL
  int words;
  const char ***set;  // [axes][values]: "SECTION.NAME=VALUE", of axes that set a parameter
} points_words_t;

// Room for them; the words are those of the last point that was asked for.
void points_words_make(const study_t *study, arena_t *arena, points_words_t *words);
void points_words_of(const study_t *study, const uint32_t value[], points_words_t *words);

// Quoted for a shell, with `program` before them.
char *points_command(arena_t *arena, const char *program, const points_words_t *words);

#endif
