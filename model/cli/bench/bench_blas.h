// OpenBLAS to measure against, in a process of its own: its choice of kernels can be set only
// before it is loaded, and one process can load it only once.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_BENCH_BENCH_BLAS_H
#define AMALGAM_CLI_BENCH_BENCH_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "host/worker.h"

enum { BLAS_MAX = 512, BLAS_ALIGN = 64 };  // largest m, n, k; bytes, as buffers of cores are aligned

typedef struct blas {
  worker_t worker;
  int socket;
  char core[32];  // the kernels it uses, by its own name for them
} blas_t;

// core: OPENBLAS_CORETYPE, "Haswell" (AVX2) or "SkylakeX" (AVX-512), NULL: its own choice. False:
// there is no libopenblas.so.0.
bool blas_open(blas_t *blas, const char *core);

// Seconds of `rounds` products C = A B in FP32 by one thread; negative: failed.
double blas_seconds(const blas_t *blas, size_t m, size_t n, size_t k, size_t rounds);

// Ends the process.  Does nothing to a blas_t that is all zero or failed to open.
void blas_close(blas_t *blas);

#endif
