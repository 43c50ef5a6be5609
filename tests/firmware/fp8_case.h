// A problem for kernel fp8 at the level of its arguments: made up arrays, where they are, and what
// the contract's C loops make of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_FIRMWARE_FP8_CASE_H
#define AMALGAM_TESTS_FIRMWARE_FP8_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/fp8/fp8_args.h"

enum fp8_cache { FP8_DENSE, FP8_PAGED, FP8_SPARSE };
// The growth of a key with its place, and with it of the running maximum.
enum fp8_trend { FP8_LEVEL, FP8_RISING, FP8_FALLING, FP8_EQUAL };

typedef struct fp8_shape {
  uint32_t query_tokens, heads, batch;
  uint32_t tokens;  // of an entry, at most
  enum fp8_cache cache;
  uint32_t topk;   // sparse: places of a list, at most
  uint32_t page;   // paged
  uint32_t block;  // 0: 512
  uint32_t group;  // 0: 256, or 128 with direct
  bool crossover, direct;
  unsigned cores;         // 0: 1, or 2 with crossover
  unsigned vector_cores;  // 0: 2
  bool vary;              // lengths and top-k lengths differ by entry, some are 0
  bool causal, sinks, no_lse;
  enum fp8_trend trend;
  uint32_t preload;  // from 2 down: 0 stands for 2
  uint32_t rescale, tiling, kv_buffers, qp_buffers;
  bool skip, bf16;
  unsigned depth;  // of queues, 0: 32
  bool blank;      // queries and tokens are zeros
} fp8_shape_t;

typedef struct fp8_array {
  const char *name;
  uint64_t bytes, address;
  void *data;    // of an input; NULL
  bool numbers;  // a list of a GATHER_IN
} fp8_array_t;

enum {
  FP8_Q,
  FP8_TOKENS,
  FP8_INDEX,
  FP8_TABLE,
  FP8_SINK,  // inputs
  FP8_OUT,
  FP8_LSE,
  FP8_S,
  FP8_P,
  FP8_O,
  FP8_KV,
  FP8_ARRAYS
};

typedef struct fp8_case {
  fp8_shape_t shape;              // defaults filled in
  fp8_array_t array[FP8_ARRAYS];  // those of 0 bytes are not there
  uint32_t lists, rows;           // of a list
  uint32_t *length;               // of entries
  uint32_t *places;               // of lists
  fp8_args_t args;                // once fp8_case_args has been called
} fp8_case_t;

void fp8_case_init(fp8_case_t *problem, fp8_shape_t shape, uint64_t seed);
void fp8_case_free(fp8_case_t *problem);

// Addresses are there: arguments from them.
void fp8_case_args(fp8_case_t *problem);

// The result, FP32, [lists][rows][512] and [lists][rows]; to be freed.
typedef struct fp8_result {
  float *out, *lse;
} fp8_result_t;
fp8_result_t fp8_case_expected(const fp8_case_t *problem);

// Values that differ in a bit, of the arrays out and lse as the kernel leaves them.
size_t fp8_case_wrong(const fp8_case_t *problem, const fp8_result_t *expected, const void *out, const void *lse);

#endif
