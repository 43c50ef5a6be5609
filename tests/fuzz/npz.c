// NumPy's archives: an array of it is as large as it says, whatever the archive is.
// SPDX-License-Identifier: Apache-2.0
#include "array/array_internal.h"

#include <string.h>

#include "fuzz.h"

static void read_one(const char *path, const char *name) {
  npy_array_t array = {.dims = 0};
  base_error_t error = {""};
  array_name_t parts = {.whole = path, .array = name};
  snprintf(parts.file, sizeof parts.file, "%s", path);
  if (!array_read_npz(&parts, ~0u, &array, &error)) {
    FUZZ_EXPECT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    return;
  }
  const size_t bytes = npy_count(&array) * npy_element_bytes(array.type);
  unsigned sum = 0;
  for (size_t i = 0; i < bytes; ++i) {
    sum += ((const uint8_t *)array.data)[i];
  }
  FUZZ_EXPECT(sum <= 255 * bytes);
  npy_free(&array);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *path = fuzz_file(bytes, size);
  read_one(path, "");
  read_one(path, "q");
  read_one(path, "a");
  return 0;
}
