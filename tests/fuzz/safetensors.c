// Files of tensors: if one opens, everything that it says holds. The same bytes as config.json, which lies beside them.
// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/safetensors.h"

#include <string.h>

#include "llm/checkpoint/checkpoint_config.h"
#include "fuzz.h"

static void expect_line(const base_error_t *error) {
  FUZZ_EXPECT(error->text[0] != '\0' && strchr(error->text, '\n') == NULL);
}

static void read_all(const safetensors_t *file, size_t size) {
  uint64_t end = 0;
  for (size_t i = 0; i < safetensors_count(file); ++i) {
    const safetensors_entry_t *entry = safetensors_at(file, i);
    base_error_t error;
    uint8_t last;
    FUZZ_EXPECT(safetensors_find(file, entry->name) == entry);
    FUZZ_EXPECT(entry->bytes == 0 || safetensors_read(file, entry, entry->bytes - 1, 1, &last, &error));
    end += entry->bytes;
  }
  FUZZ_EXPECT(end < size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  checkpoint_config_t config;
  base_error_t error = {""};
  const char *path = fuzz_file(bytes, size);
  if (!checkpoint_config_read(path, &config, &error)) {
    expect_line(&error);
  } else {
    FUZZ_EXPECT(config.hidden_size > 0 && config.num_experts_per_tok > 0 && config.n_group > 0);
  }
  error.text[0] = '\0';
  safetensors_t *file = safetensors_open(path, &error);
  if (file == NULL) {
    expect_line(&error);
    return 0;
  }
  read_all(file, size);
  safetensors_close(file);
  return 0;
}
