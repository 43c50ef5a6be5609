// Each operation against its contract (model/num/NUMERICS.md), bit for bit: when one has ended, what it was given is
// still in global memory, and the same is computed from that by the golden functions.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_VERIFY_H
#define AMALGAM_KERNEL_DECODE_DECODE_VERIFY_H

#include "kernel/decode/decode_step.h"

typedef struct decode_verified {
  size_t operations, elements, wrong;
} decode_verified_t;

typedef struct decode_verify decode_verify_t;

// Looks on at the machine from here on. NULL: out of memory.
decode_verify_t *decode_verify_open(decode_machine_t *machine, size_t threads);
void decode_verify_close(decode_verify_t *verify);  // may be NULL

// The operations of a kind that there were.
const decode_verified_t *decode_verify_found(const decode_verify_t *verify, enum step_op op);

// The first operation with a wrong element, as "attention of layer 1"; NULL: there is none.
const char *decode_verify_first(const decode_verify_t *verify);

#endif
