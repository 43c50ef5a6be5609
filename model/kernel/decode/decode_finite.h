// Where infinities and NaNs of a step begin: looks at what each operation leaves, when it has ended.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_FINITE_H
#define AMALGAM_KERNEL_DECODE_DECODE_FINITE_H

#include "kernel/decode/decode_step.h"

typedef struct decode_finite decode_finite_t;

// Looks on at the machine from here on. NULL: out of memory.
decode_finite_t *decode_finite_open(decode_machine_t *machine);
void decode_finite_close(decode_finite_t *finite);  // may be NULL

// The first operation of all steps so far that left an infinity or a NaN, as "swiglu of layer 0"; NULL: none did.
const char *decode_finite_first(const decode_finite_t *finite);

#endif
