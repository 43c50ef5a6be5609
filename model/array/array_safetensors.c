// Tensors of checkpoints, one of them as an array.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "array/array_internal.h"
#include "llm/checkpoint/safetensors.h"

static const struct {
  safetensors_type_t from;
  npy_type_t to;
} types[] = {{SAFETENSORS_BF16, NPY_U2}, {SAFETENSORS_F16, NPY_F2}, {SAFETENSORS_F32, NPY_F4},
             {SAFETENSORS_U8, NPY_U1},   {SAFETENSORS_I8, NPY_I1},  {SAFETENSORS_BOOL, NPY_B1},
             {SAFETENSORS_I32, NPY_I4},  {SAFETENSORS_I64, NPY_I8}, {SAFETENSORS_U16, NPY_U2}};
enum { TYPES = sizeof types / sizeof *types };

static const char *tensor_name(const void *file, size_t index) { return safetensors_at(file, index)->name; }

static bool no_such(const safetensors_t *file, const array_name_t *name, base_error_t *error) {
  char list[ARRAY_LIST_BYTES];
  array_list(file, safetensors_count(file), tensor_name, list);
  return name->array[0] == '\0'
             ? base_fail(error, "%.200s: a file of tensors; expected %.80s:NAME%s", name->file, name->file, list)
             : base_fail(error, "%.200s: no tensor '%.80s'%s", name->file, name->array, list);
}

static bool take_type(const array_name_t *name, const safetensors_entry_t *entry, unsigned accepted, npy_type_t *type,
                      base_error_t *error) {
  char expected[96] = "";
  for (size_t i = 0; i < TYPES; ++i) {
    if ((accepted >> types[i].to & 1u) == 0) {
      continue;
    }
    if (types[i].from == entry->type) {
      *type = types[i].to;
      return true;
    }
    const size_t used = strlen(expected);
    snprintf(expected + used, sizeof expected - used, "%s%s", used == 0 ? "" : " or ",
             safetensors_type_name(types[i].from));
  }
  return base_fail(error, "%s: dtype %s; expected %s", name->whole, safetensors_type_name(entry->type), expected);
}

static bool take(const safetensors_t *file, const safetensors_entry_t *entry, const array_name_t *name,
                 unsigned accepted, npy_array_t *array, base_error_t *error) {
  if (!take_type(name, entry, accepted, &array->type, error)) {
    return false;
  }
  if (entry->dims > NPY_MAX_DIMS) {
    return base_fail(error, "%s: %zu dimensions; expected at most %d", name->whole, entry->dims, NPY_MAX_DIMS);
  }
  array->dims = entry->dims;
  for (size_t i = 0; i < entry->dims; ++i) {
    array->shape[i] = (size_t)entry->shape[i];
  }
  array->data = malloc(entry->bytes == 0 ? 1 : (size_t)entry->bytes);
  return array->data == NULL ? base_fail(error, "%s: out of memory (%zu bytes)", name->whole, (size_t)entry->bytes)
                             : safetensors_read(file, entry, 0, (size_t)entry->bytes, array->data, error);
}

bool array_read_safetensors(const array_name_t *name, unsigned accepted, npy_array_t *array, base_error_t *error) {
  safetensors_t *file = safetensors_open(name->file, error);
  if (file == NULL) {
    return false;
  }
  const safetensors_entry_t *entry = name->array[0] == '\0' ? NULL : safetensors_find(file, name->array);
  const bool good = entry == NULL ? no_such(file, name, error) : take(file, entry, name, accepted, array, error);
  safetensors_close(file);
  if (!good) {
    npy_free(array);
  }
  return good;
}
