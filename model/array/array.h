// Arrays as people have them, by the name that a user gave:
//
//   q.npy                    a file of NumPy's
//   -                        the same on standard input, once in a command
//   arrays.npz:q             an array of NumPy's archive, np.savez(..., q=...)
//   model.safetensors:NAME   a tensor of a checkpoint
//
// A file of exactly that name comes first.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ARRAY_ARRAY_H
#define AMALGAM_ARRAY_ARRAY_H

#include "base/npy.h"

// One whose elements are of one of the accepted types (NPY_BIT ORed). BF16 tensors, and '|V2' (BF16 of ml_dtypes), are
// bits '<u2'. False: *array holds nothing, and error names the file and the array.
__attribute__((warn_unused_result)) bool array_read(const char *name, unsigned accepted, npy_array_t *array,
                                                    base_error_t *error);

// Whole numbers of 32 bits, '<i4'; '<i8', which is what NumPy makes of numbers, if all of them fit.
__attribute__((warn_unused_result)) bool array_read_i4(const char *name, npy_array_t *array, base_error_t *error);

// Length of the file's name in "FILE.npz:NAME" and "FILE.safetensors:NAME"; for other names all of it.
size_t array_file_length(const char *name);

#endif
