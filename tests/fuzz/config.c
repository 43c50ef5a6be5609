// Machines in YAML; a line that begins with "set " is instead one of --set.
// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void set(const uint8_t *bytes, size_t size) {
  static config_t config;
  base_error_t error = {""};
  char *text = malloc(size + 1);
  FUZZ_EXPECT(text != NULL);
  memcpy(text, bytes, size);
  text[size] = '\0';
  FUZZ_EXPECT(config_set(&config, text, &error) || error.text[0] != '\0');
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  config_t config;
  base_error_t error = {""};
  if (size >= 4 && memcmp(bytes, "set ", 4) == 0) {
    set(bytes + 4, size - 4);
    return 0;
  }
  if (!config_load(fuzz_file(bytes, size), &config, &error)) {
    FUZZ_EXPECT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
  }
  return 0;
}
