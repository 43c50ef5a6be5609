// SPDX-License-Identifier: Apache-2.0
#include "waves/waves_window.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const char *text, size_t length, uint64_t *number) {
  char digits[24];
  if (length == 0 || length >= sizeof digits) {
    return false;
  }
  memcpy(digits, text, length);
  digits[length] = '\0';
  errno = 0;
  *number = strtoull(digits, NULL, 10);
  return errno == 0 && strspn(digits, "0123456789") == length;
}

// Lower-case letters, digits and '_'.
static bool take_word(const char *text, size_t length, char *to, size_t size) {
  if (length == 0 || length >= size) {
    return false;
  }
  for (size_t i = 0; i < length; ++i) {
    if (!isalnum((unsigned char)text[i]) && text[i] != '_') {
      return false;
    }
    to[i] = (char)tolower((unsigned char)text[i]);
  }
  to[length] = '\0';
  return true;
}

// [CORE.[PIPE.]]COMMAND#N
static bool parse_command(const char *text, size_t length, waves_mark_t *mark) {
  const char *hash = memchr(text, '#', length);
  if (hash == NULL || !parse_number(hash + 1, length - (size_t)(hash + 1 - text), &mark->number) || mark->number == 0) {
    return false;
  }
  const char *dot = memchr(text, '.', (size_t)(hash - text));
  if (dot != NULL) {
    if (!take_word(text, (size_t)(dot - text), mark->core, sizeof mark->core)) {
      return false;
    }
    text = dot + 1;
    dot = memchr(text, '.', (size_t)(hash - text));
  }
  if (dot != NULL) {
    if (!take_word(text, (size_t)(dot - text), mark->pipe, sizeof mark->pipe)) {
      return false;
    }
    text = dot + 1;
  }
  return take_word(text, (size_t)(hash - text), mark->command, sizeof mark->command);
}

static bool parse_mark(const char *text, size_t length, waves_mark_t *mark) {
  if (length == 0) {
    return true;  // what it is already
  }
  return parse_number(text, length, &mark->cycle) || parse_command(text, length, mark);
}

bool waves_window_parse(const char *text, waves_window_t *window) {
  const char *colon = strchr(text, ':');
  memset(window, 0, sizeof *window);
  return colon != NULL && parse_mark(text, (size_t)(colon - text), &window->from) &&
         parse_mark(colon + 1, strlen(colon + 1), &window->to) &&
         (colon[1] == '\0' || window->from.command[0] != '\0' || window->to.command[0] != '\0' ||
          window->from.cycle < window->to.cycle);
}
