// Arrays: all types that any command accepts, and each alone.
// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

// Writes the array that was read, and reads it again: it is the same.
static void write_and_read(const npy_array_t *array) {
  char *bytes = NULL;
  size_t size = 0;
  npy_array_t again;
  base_error_t error;
  FILE *file = open_memstream(&bytes, &size);
  FUZZ_EXPECT(file != NULL);
  npy_write(file, array);
  fclose(file);
  FUZZ_EXPECT(npy_read(fuzz_file((const uint8_t *)bytes, size), NPY_BIT(U2) | (1u << array->type), &again, &error));
  FUZZ_EXPECT(again.type == array->type && again.dims == array->dims &&
              memcmp(again.shape, array->shape, sizeof again.shape) == 0 &&
              memcmp(again.data, array->data, npy_count(array) * npy_element_bytes(array->type)) == 0);
  npy_free(&again);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  npy_array_t array;
  base_error_t error = {""};
  const char *path = fuzz_file(bytes, size);
  if (!npy_read(path, ~0u, &array, &error)) {
    FUZZ_EXPECT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    return 0;
  }
  char text[NPY_SHAPE_BYTES];
  npy_shape_text(array.shape, array.dims, text);
  if (npy_count(&array) > 0) {
    npy_index_text(&array, npy_count(&array) - 1, text);
  }
  write_and_read(&array);
  npy_free(&array);
  return 0;
}
