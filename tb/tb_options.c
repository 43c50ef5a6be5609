// SPDX-License-Identifier: Apache-2.0
#include "tb_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const tb_option_t *find(const tb_option_t *options, const char *name) {
  for (; options->name != NULL; ++options) {
    if (strcmp(options->name, name) == 0) {
      return options;
    }
  }
  return NULL;
}

static bool read_number(const char *text, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 0);
  return isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0;
}

bool tb_options(int argc, char **argv, int first, const tb_option_t *options) {
  for (int i = first; i < argc; ++i) {
    const tb_option_t *option = find(options, argv[i]);
    if (option == NULL) {
      return false;
    }
    if (option->flag != NULL) {
      *option->flag = true;
      continue;
    }
    if (++i == argc) {
      return false;
    }
    if (option->text != NULL) {
      *option->text = argv[i];
    } else if (!read_number(argv[i], option->number)) {
      return false;
    }
  }
  return true;
}
