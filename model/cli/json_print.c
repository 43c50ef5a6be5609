// SPDX-License-Identifier: Apache-2.0
#include "cli/json_print.h"

bool json_print(FILE *file, const cJSON *root, cli_error_t *error) {
  char *text = root == NULL ? NULL : cJSON_Print(root);
  if (text == NULL) {
    return cli_fail(error, "JSON: out of memory");
  }
  fprintf(file, "%s\n", text);
  cJSON_free(text);
  return true;
}
