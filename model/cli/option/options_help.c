// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/option/options.h"
#include "cli/option/wrap.h"

enum { LEFT = 30 };

static void print_row(FILE *file, const option_row_t *row, unsigned command) {
  const char *initial = option_initial(row, command);
  char help[512];
  const int left = fprintf(file, "  --%s%s%s", row->name, row->argument == NULL ? "" : " ",
                           row->argument == NULL ? "" : row->argument);
  if (left + 1 > LEFT) {
    fprintf(file, "\n%*s", LEFT, "");
  } else {
    fprintf(file, "%*s", LEFT - left, "");
  }
  snprintf(help, sizeof help, "%s%s%s%s", row->help, initial == NULL ? "" : " (default ",
           initial == NULL ? "" : initial, initial == NULL ? "" : ")");
  wrap_words(file, help, strlen(help), LEFT, LEFT);
}

static void print_group(FILE *file, const char *title) {
  char text[512];
  fputs("  ", file);
  snprintf(text, sizeof text, "%s:", title);
  wrap_words(file, text, strlen(text), 2, 2);
}

void options_help(FILE *file, unsigned command) {
  const char *group = NULL;
  bool first = true;
  for (size_t i = 0; i < option_row_count; ++i) {
    const option_row_t *row = &option_rows[i];
    if (row->group != NULL) {
      group = row->group;
    } else if ((row->commands & command) != 0) {
      if (group != NULL) {
        fprintf(file, "%s", first ? "" : "\n");
        print_group(file, group);
        first = false;
        group = NULL;
      }
      print_row(file, row, command);
    }
  }
  const option_row_t help = {.name = "help", .help = "this page; also -h"};
  fputc('\n', file);
  print_row(file, &help, command);
}
