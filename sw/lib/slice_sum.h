// The sums of slices of k: out = slice 0 + slice 1 + ..., in FP32, then cast.  Chunks of the result,
// taken as one long row, are dealt to all vector cores.  It has all of UB, and the flags from 16 on between
// MTE2, V and MTE3.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_LIB_SLICE_SUM_H
#define AMALGAM_SW_LIB_SLICE_SUM_H

#include <stdint.h>

typedef struct slice_sum {
  uint64_t partial;  // [slices] of [elements] FP32, partial_bytes apart
  uint64_t partial_bytes;
  uint64_t out;
  uint64_t elements;
  uint32_t slices;  // 1 to 64
  uint32_t type;    // of out: TYPE_F32, TYPE_F16 or TYPE_BF16
} slice_sum_t;

// flag: cross-core flag from the cube core, after which all of partial is there.
void slice_sum_add(const slice_sum_t *sum, uint32_t flag);

#endif
