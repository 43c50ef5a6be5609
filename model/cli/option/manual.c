// SPDX-License-Identifier: Apache-2.0
#include "cli/option/manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cli/option/options.h"
#include "cli/option/wrap.h"

enum { INDENT = 2, ROW_LEFT = 24 };

static const char exits_mark[] = "exit codes:";

void manual_heading(FILE *file, const char *heading) { fprintf(file, "\n%s\n", heading); }

// The end of the paragraph.
static const char *paragraph_end(const char *text) {
  const char *end = strstr(text, "\n\n");
  return end == NULL ? text + strlen(text) : end;
}

static void text_until(FILE *file, const char *text, const char *end) {
  while (text < end) {
    const char *stop = paragraph_end(text);
    stop = stop < end ? stop : end;
    fprintf(file, "%*s", INDENT, "");
    wrap_words(file, text, (size_t)(stop - text), INDENT, INDENT);
    text = stop + strspn(stop, "\n");
    fputs(text < end ? "\n" : "", file);
  }
}

void manual_text(FILE *file, const char *text) { text_until(file, text, text + strlen(text)); }

void manual_row(FILE *file, const char *left, const char *right, size_t length) {
  const int column = fprintf(file, "%*s%s", INDENT, "", left);
  if (column + 2 > ROW_LEFT) {
    fprintf(file, "\n%*s", ROW_LEFT, "");
  } else {
    fprintf(file, "%*s", ROW_LEFT - column, "");
  }
  wrap_words(file, right, length, ROW_LEFT, ROW_LEFT);
}

void manual_rows(FILE *file, const char *heading, const manual_row_t *rows) {
  manual_heading(file, heading);
  for (; rows->left != NULL; ++rows) {
    manual_row(file, rows->left, rows->right, strlen(rows->right));
  }
}

size_t manual_name_length(const char *about) {
  size_t length = 0;
  while (about[length] != '\0' &&
         !(about[length] == '.' && (isspace((unsigned char)about[length + 1]) || about[length + 1] == '\0'))) {
    ++length;
  }
  return length;
}

static void print_name(FILE *file, const manual_t *manual) {
  fputs("NAME\n", file);
  const int left = fprintf(file, "%*samalgam %s -", INDENT, "", manual->name);
  fputc(' ', file);
  wrap_words(file, manual->about, manual_name_length(manual->about), left + 1, left + 1);
}

static void print_description(FILE *file, const manual_t *manual) {
  const char *rest = manual->about + manual_name_length(manual->about);
  rest += strspn(rest, ". \n");
  const char *notes = manual->notes == NULL ? "" : manual->notes;
  const char *exits = strstr(notes, exits_mark);
  const char *end = exits == NULL ? notes + strlen(notes) : exits;
  while (end > notes && isspace((unsigned char)end[-1])) {
    --end;
  }
  if (*rest == '\0' && end == notes) {
    return;
  }
  manual_heading(file, "DESCRIPTION");
  manual_text(file, rest);
  fputs(*rest != '\0' && end > notes ? "\n" : "", file);
  text_until(file, notes, end);
}

// ", 2": the next item.
static bool begins_item(const char *at) { return *at == ',' && isdigit((unsigned char)at[1 + strspn(at + 1, " \n")]); }

// "0 done, 2 bad usage, or input, 130 interrupted": an item begins with a number behind ", ".
static void print_exits(FILE *file, const char *at) {
  manual_heading(file, "EXIT STATUS");
  while (*at != '\0') {
    at += strspn(at, " \n");
    const int digits = (int)strspn(at, "0123456789");
    const char *text = at + digits;
    const char *end = text;
    while (*end != '\0' && !begins_item(end)) {
      ++end;
    }
    fprintf(file, "%*s%-6.*s", INDENT, "", digits, at);
    wrap_words(file, text, (size_t)(end - text), INDENT + 6, INDENT + 6);
    at = *end == ',' ? end + 1 : end;
  }
}

static void print_examples(FILE *file, const manual_t *manual) {
  manual_heading(file, "EXAMPLES");
  for (const manual_row_t *row = manual->examples; row != NULL && row->left != NULL; ++row) {
    fprintf(file, "%*samalgam %s\n%*s", INDENT, "", row->left, 3 * INDENT, "");
    wrap_words(file, row->right, strlen(row->right), 3 * INDENT, 3 * INDENT);
  }
  if (manual->examples == NULL) {
    fprintf(file, "%*samalgam %s\n", INDENT, "", manual->name);
  }
}

void manual_print(FILE *file, const manual_t *manual) {
  print_name(file, manual);
  manual_heading(file, "SYNOPSIS");
  fprintf(file, "%*samalgam %s%s%s\n", INDENT, "", manual->name, *manual->synopsis == '\0' ? "" : " ",
          manual->synopsis);
  print_description(file, manual);
  if (manual->command != 0) {
    manual_heading(file, "OPTIONS");
    options_help(file, manual->command);
  }
  print_examples(file, manual);
  const char *exits = manual->notes == NULL ? NULL : strstr(manual->notes, exits_mark);
  print_exits(file, (exits == NULL ? MANUAL_EXITS : exits) + strlen(exits_mark));
  if (manual->files != NULL) {
    manual_rows(file, "FILES", manual->files);
  }
}
