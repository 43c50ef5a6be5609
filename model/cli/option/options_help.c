// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/option/options.h"

enum { LEFT = 30, RIGHT = 100 };

// Words of a text, wrapped between the columns LEFT and RIGHT; the first line starts at `column`.
static void print_wrapped(FILE *file, const char *text, int column) {
  while (*text != '\0') {
    const int length = (int)strcspn(text, " ");
    if (column > LEFT && column + 1 + length > RIGHT) {
      fprintf(file, "\n%*s", LEFT, "");
      column = LEFT;
    }
    const char *gap = column > LEFT ? " " : "";
    fprintf(file, "%s%.*s", gap, length, text);
    column += (int)strlen(gap) + length;
    text += length + (text[length] == ' ');
  }
  fputc('\n', file);
}

static void print_row(FILE *file, const option_row_t *row) {
  char help[512];
  const int left = fprintf(file, "  --%s%s%s", row->name, row->argument == NULL ? "" : " ",
                           row->argument == NULL ? "" : row->argument);
  if (left + 1 > LEFT) {
    fprintf(file, "\n%*s", LEFT, "");
  } else {
    fprintf(file, "%*s", LEFT - left, "");
  }
  snprintf(help, sizeof help, "%s%s%s%s", row->help, row->initial == NULL ? "" : " (default ",
           row->initial == NULL ? "" : row->initial, row->initial == NULL ? "" : ")");
  print_wrapped(file, help, LEFT);
}

void options_help(FILE *file, unsigned command) {
  const char *group = NULL;
  for (size_t i = 0; i < option_row_count; ++i) {
    const option_row_t *row = &option_rows[i];
    if (row->group != NULL) {
      group = row->group;
    } else if ((row->commands & command) != 0) {
      if (group != NULL) {
        fprintf(file, "\n%s\n", group);
        group = NULL;
      }
      print_row(file, row);
    }
  }
}
