// A list that is not one of numbers.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

void cube_main(void) {}

void vector_main(void) {
  const fp8_args_t *args = hal_gm(hal_read(REG_ARGS));
  data_gather_gm_to_ub(.gm = args->tokens, .gm_pitch = 656, .list = args->tokens, .first = 0, .page = 1, .ub = 0,
                       .ub_pitch = 672, .rows = 1, .row_bytes = 656);
}
