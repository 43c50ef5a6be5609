// Studies in YAML, with their expressions: one that is read has as many points as it says, each with its words, and its
// constraints say of each whether it is one, or a line why not.
// SPDX-License-Identifier: Apache-2.0
#include "sweep/study/study.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sweep/study/constraint.h"

enum { POINTS_MOST = 1000 };  // that are looked at

static void expect_line(const base_error_t *error) {
  FUZZ_EXPECT(error->text[0] != '\0' && strchr(error->text, '\n') == NULL);
}

static bool parameter(void *context, const points_words_t *words, const char *name, double *value) {
  (void)context;
  *value = words->words;
  return name[0] != 'x';
}

static void apply(const study_t *study, size_t points) {
  base_error_t error = {""};
  bool *keep = calloc(points, sizeof *keep);
  FUZZ_EXPECT(keep != NULL);
  const constraints_t constraints = {
      .expression = study->constraint, .count = study->constraints, .where = "constraints", .parameter = parameter};
  if (!constraints_apply(&constraints, study, points, keep, &error)) {
    expect_line(&error);
  }
  free(keep);
}

static void look_at(const study_t *study, size_t points) {
  arena_t arena = {NULL};
  points_words_t words;
  points_words_make(study, &arena, &words);
  for (size_t point = 0; point < points; ++point) {
    uint32_t *value = arena_bytes(&arena, study->axes + 1, sizeof *value);
    points_values(study, point, value);
    FUZZ_EXPECT(points_number(study, value) == point);
    points_words_of(study, value, &words);
    FUZZ_EXPECT(words.word[words.words] == NULL);
    FUZZ_EXPECT(strlen(points_command(&arena, "amalgam", &words)) > 0);
  }
  arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  base_error_t error = {""};
  size_t points = 0;
  study_t *study = study_open(fuzz_file(bytes, size), &error);
  if (study == NULL) {
    expect_line(&error);
    return 0;
  }
  if (!points_count(study, &points, &error)) {
    expect_line(&error);
  } else if (points <= POINTS_MOST) {
    look_at(study, points);
    apply(study, points);
  }
  study_close(study);
  return 0;
}
