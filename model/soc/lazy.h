// Inputs that are made when they are read, for instance of random numbers: anyone can make them again.  A run makes
// parts of one when commands read them, and may drop and make them again, so that not all of it need be there at a
// time.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_LAZY_H
#define AMALGAM_SOC_LAZY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes first .. first + bytes - 1 of an input, to `out`: in any thread, each time the same.
typedef void soc_make_fn(const void *context, uint64_t first, uint64_t bytes, void *out);

// As soc_alloc (soc.h), for such an input.  context is copied.
void *soc_alloc_lazy(uint64_t bytes, soc_make_fn *make, const void *context, size_t context_bytes);

// Makes memory hold its contents before the host reads it.  Memory that is not lazy need not be held.
void soc_hold(const void *begin, uint64_t bytes);
void soc_let_go(const void *begin, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
