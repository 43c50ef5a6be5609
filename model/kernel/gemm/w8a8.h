// Internal: the kernel w8a8, three operations of the firmware step. Activations in 16 bits become 8-bit integers with a
// scale a row, products of these are S32, and these times the scales of row and column are the result.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_GEMM_W8A8_H
#define AMALGAM_KERNEL_GEMM_W8A8_H

#include "kernel/gemm/gemm.h"

// So many products of 127 x 127 fit into S32.
enum { W8A8_K_MULTIPLE = 32, W8A8_MAX_K = 131072, W8A8_N_MULTIPLE = 16 };

// weights: in strips (GEMM_NZ); NULL with timing only.
base_exit_t w8a8_simulate(gemm_run_t *run, const void *weights, base_error_t *error);

// Callbacks of judge_answer_t: on quantised activations, by the contract, and on those that were given.
bool w8a8_fp64(void *run, const size_t *column, size_t count, size_t at, double *golden);
bool w8a8_contract(void *run, const size_t *column, size_t count, size_t at, float *want);
bool w8a8_exact(void *run, const size_t *column, size_t count, size_t at, double *golden);

#endif
