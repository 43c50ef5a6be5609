// Limits of this process (ulimit): what there is of stack and of addresses.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_LIMITS_H
#define AMALGAM_HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HOST_STACK_KIB = 8192, HOST_LEAST_STACK_KIB = 1024, HOST_GUARD_KIB = 1024 };

// Threads from here on have stacks of HOST_STACK_KIB, whatever the limit, above HOST_GUARD_KIB that nobody may touch;
// the main thread's limit is raised as far as that may be done. False: to less than HOST_LEAST_STACK_KIB, *kib of them.
bool host_take_stacks(uint64_t *kib);

// Bytes of addresses that this process may still take, and may have in all; UINT64_MAX: as many as there are.
uint64_t host_addresses_left(void);
uint64_t host_addresses(void);

#ifdef __cplusplus
}
#endif

#endif
