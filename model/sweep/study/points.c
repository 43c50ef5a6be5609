// SPDX-License-Identifier: Apache-2.0
#include "sweep/study/points.h"

#include <string.h>

bool points_count(const study_t *study, size_t *count, base_error_t *error) {
  *count = 1;
  for (size_t a = 0; a < study->axes; ++a) {
    *count *= study->axis[a].count;
    if (*count > POINTS_MAX) {
      return base_fail(error, "%s: axes: more than %d points", study->file, POINTS_MAX);
    }
  }
  return true;
}

void points_values(const study_t *study, size_t point, uint32_t value[]) {
  for (size_t a = study->axes; a-- > 0;) {
    value[a] = (uint32_t)(point % study->axis[a].count);
    point /= study->axis[a].count;
  }
}

size_t points_number(const study_t *study, const uint32_t value[]) {
  size_t point = 0;
  for (size_t a = 0; a < study->axes; ++a) {
    point = point * study->axis[a].count + value[a];
  }
  return point;
}

void points_words_make(const study_t *study, arena_t *arena, points_words_t *words) {
  words->word = arena_bytes(arena, study->words + 2 * study->axes + 1, sizeof *words->word);
  words->set = arena_bytes(arena, study->axes, sizeof *words->set);
  for (size_t a = 0; a < study->axes; ++a) {
    const study_axis_t *axis = &study->axis[a];
    words->set[a] = arena_bytes(arena, axis->set == NULL ? 0 : axis->count, sizeof **words->set);
    for (size_t i = 0; axis->set != NULL && i < axis->count; ++i) {
      words->set[a][i] = arena_print(arena, "%s=%s", axis->set, axis->value[i]);
    }
  }
}

void points_words_of(const study_t *study, const uint32_t value[], points_words_t *words) {
  size_t n = study->words;
  memcpy(words->word, study->command, n * sizeof *words->word);
  for (size_t a = 0; a < study->axes; ++a) {
    const study_axis_t *axis = &study->axis[a];
    const char *text = axis->value[value[a]];
    if (axis->set != NULL) {
      words->word[n++] = "--set";
      words->word[n++] = words->set[a][value[a]];
    } else if (axis->option == NULL) {
      words->word[axis->word] = text;
    } else if (strcmp(text, POINTS_WITHOUT) != 0) {
      words->word[n++] = axis->option;
      if (strcmp(text, POINTS_WITH) != 0) {
        words->word[n++] = text;
      }
    }
  }
  words->word[n] = NULL;
  words->words = (int)n;
}

static bool is_plain(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

// Behind `at`, or counted only (NULL).
static size_t copy_text(char *at, const char *text, size_t length) {
  if (at != NULL) {
    memcpy(at, text, length);
  }
  return length;
}

static size_t put_word(char *at, const char *word) {
  size_t n = 0;
  if (is_plain(word)) {
    return copy_text(at, word, strlen(word));
  }
#define AT (at == NULL ? NULL : at + n)
  n += copy_text(AT, "'", 1);
  for (; *word != '\0'; ++word) {
    n += *word == '\'' ? copy_text(AT, "'\\''", 4) : copy_text(AT, word, 1);
  }
  n += copy_text(AT, "'", 1);
  return n;
}

static size_t put_command(char *at, const char *program, const points_words_t *words) {
  size_t n = copy_text(at, program, strlen(program));
  for (int i = 0; i < words->words; ++i) {
    n += copy_text(AT, " ", 1);
    n += put_word(AT, words->word[i]);
  }
#undef AT
  return n;
}

char *points_command(arena_t *arena, const char *program, const points_words_t *words) {
  char *text = arena_bytes(arena, put_command(NULL, program, words) + 1, 1);
  put_command(text, program, words);
  return text;
}
