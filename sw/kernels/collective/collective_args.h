// Arguments of the collective kernels.  Addresses are those in the first die's memory; every die has the same arrays at
// the same places of its own (REG_DIE_WINDOW).
//
//   in       all-reduce, reduce-scatter, all-to-all: `bytes`; all-gather: this rank's part
//   out      all-reduce, all-gather, all-to-all: `bytes`; reduce-scatter: this rank's part
//            all-to-all: a slot of `part` bytes for each rank, of which as much is used as this rank's part has
//   scratch  of reductions: such slots, for the others' parts of this rank's sum
//   flags    collective_flags words, 0 at first
//
// A rank is a die.  `bytes` are cut into parts of `part` bytes, one for each rank; the last ones may be short or empty.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_COLLECTIVE_COLLECTIVE_ARGS_H
#define AMALGAM_SW_KERNELS_COLLECTIVE_COLLECTIVE_ARGS_H

#include <stdint.h>

enum collective_op {
#define COLLECTIVE(NAME, name, reduces, gathers, text) COLLECTIVE_##NAME,
#include "kernels/collective/collective_ops.def"
  COLLECTIVE_OPS
};

enum {
  COLLECTIVE_ALIGN = 512,  // of parts, and of what each core takes of a part
  COLLECTIVE_PHASES = 2,   // in which a rank waits for each other once
};

typedef struct collective_args {
  uint64_t in, out, scratch, flags;
  uint64_t bytes, part;
  uint32_t op;    // enum collective_op
  uint32_t type;  // of reductions: TYPE_F32 or TYPE_F16
} collective_args_t;

// Words of flags on a die: for each phase and vector core.
static inline uint64_t collective_flags(uint64_t cores) { return COLLECTIVE_PHASES * cores; }

#endif
