// AMLA with what kernel fp8 adds to it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_AMLA_H
#define AMALGAM_SW_KERNELS_FP8_FP8_AMLA_H

#include "kernels/fp8/fp8_vector.h"

#include "kernels/attention/amla_impl.h"

_Static_assert((int)ROW_AMLA_END <= (int)ROW_SINK, "row values do not fit in UB");

static const amla_hooks_t amla_hooks = {
    .sums = ROW_SINK,
    .before_rescale = fp8_keys_before_rescale,
};

#endif
