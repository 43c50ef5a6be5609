// An Ascend C kernel: its compiled file (`amalgam ascend`), arrays by the names of its parameters, and what came of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ASCEND_ASCEND_H
#define AMALGAM_KERNEL_ASCEND_ASCEND_H

#include "ascend/ascend_args.h"
#include "base/npy.h"
#include "kernel/kernel.h"

// Texts of the command line; each of a list is NAME=WHAT.
typedef struct ascend_texts {
  const char *const *text;
  size_t count;
} ascend_texts_t;

typedef struct ascend_request {
  kernel_machine_t machine;
  const char *source;        // as the user named it
  const char *file;          // .elf or .so
  const char *entry;         // NULL: the only kernel of the file
  ascend_texts_t arg;        // NAME=FILE.npy, NAME=NUMBER, NAME=null
  ascend_texts_t out;        // NAME:TYPE[SHAPE]
  ascend_texts_t inout;      // NAME=FILE.npy
  ascend_texts_t workspace;  // NAME=BYTES
  ascend_texts_t tiling;     // NAME=FILE, or FILE for the parameter whose name begins with "tiling"
  ascend_texts_t expect;     // NAME=FILE.npy
  uint32_t blocks;           // 0: one for each vector core, or AI core if that is a block
  double tolerance;          // how far an expected floating-point value may be off
  bool check_sync;           // list races, and go on after each
  uint32_t vary;             // and on so many other machines, where nothing stops at a race
  bool allow_overflow;       // without expect: infinities and NaNs are no failure
  // The launch before, or NULL: results of it and of those before it are arrays by name. It must live as long.
  const struct ascend_run *earlier;
} ascend_request_t;

typedef enum ascend_role {
  ASCEND_MISSING,
  ASCEND_NUMBER,  // by value
  ASCEND_NULL,    // no array
  ASCEND_IN,
  ASCEND_OUT,
  ASCEND_INOUT,
  ASCEND_WORKSPACE,
  ASCEND_TILING
} ascend_role_t;

// An argument, in the order of the kernel's parameters.
typedef struct ascend_argument {
  const ascend_param_t *param;
  ascend_role_t role;
  const char *path;      // of the file it was read from
  uint32_t slot;         // the first of its slots
  npy_array_t array;     // bf16 is NPY_U2
  unsigned type;         // TYPE_*
  size_t bytes;          // of the buffer
  npy_array_t want;      // no data: nothing is expected
  size_t off, first;     // elements that are off, the first of them
  double largest;        // difference of floating-point values
  size_t lost, lost_at;  // elements that are no finite numbers
  bool stored;           // for the host: it goes to its output `file`
  size_t file;
  const struct ascend_argument *from;  // the result of an earlier launch that it is at first
} ascend_argument_t;

enum { ASCEND_BUFFERS = ASCEND_PARAMS + 2, ASCEND_VARIANTS = 20 };

// What came of the kernel on another machine.
typedef struct ascend_variant {
  char change[128];  // "scalar.cpi=0.25", parameters of the machine
  uint64_t cycles;
  const ascend_argument_t *argument;  // the first result with other bits, or NULL
  size_t first;                       // element of it
  char stopped[SOC_ERROR_BYTES];      // why it was stopped, or ""
} ascend_variant_t;

typedef struct ascend_run {
  kernel_run_t kernel;  // its result: without flops and error
  kernel_machine_t machine;
  const char *source;
  const struct ascend_run *earlier;
  ascend_kernel_t entry;
  ascend_argument_t argument[ASCEND_PARAMS];
  size_t arguments;
  double tolerance;
  bool allow_overflow;
  size_t vary;
  soc_buffer_t buffer[ASCEND_BUFFERS];              // if a block is an AI core, the last two: args.messages and tiles
  const ascend_argument_t *placed[ASCEND_BUFFERS];  // whose buffers these are; NULL: the layer's
  void *before[ASCEND_BUFFERS];                     // what was in those that are read and written; to be freed
  size_t buffers;
  ascend_args_t args;
  ascend_variant_t variant[ASCEND_VARIANTS];
  size_t variants, differing;
} ascend_run_t;

bool ascend_prepare(const ascend_request_t *request, ascend_run_t *run, base_error_t *error);

// The kernels that a file has, each of whose names begins at name[i]; *kernels is to be freed. False: error.
bool ascend_read_kernels(const char *file, ascend_kernel_t **kernels, size_t *count, base_error_t *error);

// Arguments by the request's texts: kinds, arrays, numbers.
bool ascend_read_arguments(const ascend_request_t *request, ascend_run_t *run, base_error_t *error);

// "f16": the name of a type, as --out has it; "?" if there is none.
const char *ascend_type_name(const ascend_argument_t *argument);
const char *ascend_role_name(ascend_role_t role);

// Element `index` as a number.
double ascend_number(const ascend_argument_t *argument, const npy_array_t *array, size_t index);

// Does the host get what is in it?
static inline bool ascend_is_result(const ascend_argument_t *argument) {
  return argument->role == ASCEND_OUT || argument->role == ASCEND_INOUT;
}

// Runs it on run->vary machines that are faster and slower in one respect each. False: error.
bool ascend_vary(ascend_run_t *run, base_error_t *error);

void ascend_json(const kernel_run_t *kernel, cJSON *root);

extern const kernel_ops_t ascend_ops;

#endif
