// Arrays in NumPy's .npy files: C order, little endian, versions 1 and 2.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_NPY_H
#define AMALGAM_BASE_NPY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

// NPY_TYPE(NAME, descr, bytes of an element)
#define NPY_TYPES(NPY_TYPE) \
  NPY_TYPE(U2, "<u2", 2)    \
  NPY_TYPE(F2, "<f2", 2)    \
  NPY_TYPE(F4, "<f4", 4)    \
  NPY_TYPE(U1, "|u1", 1)    \
  NPY_TYPE(I1, "|i1", 1)    \
  NPY_TYPE(B1, "|b1", 1)    \
  NPY_TYPE(I4, "<i4", 4)    \
  NPY_TYPE(I8, "<i8", 8)

typedef enum npy_type {
#define NPY_TYPE(name, descr, bytes) NPY_##name,
  NPY_TYPES(NPY_TYPE)
#undef NPY_TYPE
} npy_type_t;

enum { NPY_MAX_DIMS = 4 };

typedef struct npy_array {
  npy_type_t type;
  size_t dims;
  size_t shape[NPY_MAX_DIMS];
  void *data;  // owned
} npy_array_t;

#define NPY_BIT(name) (1u << NPY_##name)

size_t npy_element_bytes(npy_type_t type);
size_t npy_count(const npy_array_t *array);

// Reads a file whose elements are of one of the accepted types (NPY_BIT ORed); '|V2', which is what NumPy writes of
// BF16 (ml_dtypes), are bits '<u2'.  False: *array holds
// nothing and error names the file.
__attribute__((warn_unused_result)) bool npy_read(const char *path, unsigned accepted, npy_array_t *array,
                                                  base_error_t *error);

// Reads from a stream: `size` bytes, or all that there are. name is used in messages.
#define NPY_UNKNOWN_SIZE (-1)
__attribute__((warn_unused_result)) bool npy_read_stream(FILE *file, const char *name, int64_t size, unsigned accepted,
                                                         npy_array_t *array, base_error_t *error);

// Leaves the array empty.
void npy_free(npy_array_t *array);

// Writes version 1.0.  The caller looks at ferror and fclose.
void npy_write(FILE *file, const npy_array_t *array);

// "(2, 128, 576)", "(512,)" and "()".
enum { NPY_SHAPE_BYTES = 96 };
const char *npy_shape_text(const size_t *shape, size_t dims, char text[NPY_SHAPE_BYTES]);

// "PATH: shape (..); expected WHAT", which is as printf has it. Always false.
bool npy_refuse_shape(const char *path, const npy_array_t *array, base_error_t *error, const char *expected, ...)
    __attribute__((format(printf, 4, 5)));

// The position of element `index`: "[1,5,3]".
const char *npy_index_text(const npy_array_t *array, size_t index, char text[NPY_SHAPE_BYTES]);

#endif
