// The resource that bounds an operation's time: HBM, L2 or the cube cores, whichever would need most of it at full
// speed.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_BOUND_H
#define AMALGAM_KERNEL_DECODE_DECODE_BOUND_H

#include "kernel/decode/decode_step.h"

typedef struct decode_bound {
  const char *name;  // "hbm", "l2" or "cube"; "latency" if none needs half of the time
  double share;      // of the time
} decode_bound_t;

decode_bound_t decode_bound(const config_t *config, const decode_sums_t *sums);

#endif
