// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cli/convert/convert.h"

bool convert_allocate(const convert_job_t *job, npy_type_t type, size_t last, npy_array_t *array, base_error_t *error) {
  array->type = type;
  array->dims = job->in.dims;
  memcpy(array->shape, job->in.shape, sizeof array->shape);
  array->shape[array->dims - 1] = last;
  const size_t bytes = npy_count(array) * npy_element_bytes(type);
  array->data = malloc(bytes + 1);
  return array->data != NULL || base_fail(error, "%s: out of memory", job->path);
}
