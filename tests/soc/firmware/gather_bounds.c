// A number behind the end of the table.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

void cube_main(void) {}

void vector_main(void) {
  const fp8_args_t *args = hal_gm(hal_read(REG_ARGS));
  data_gather_gm_to_ub(.gm = args->tokens + 656 * 90, .gm_pitch = 656, .list = args->index, .first = 0, .page = 1,
                       .ub = 0, .ub_pitch = 672, .rows = 30, .row_bytes = 656);
}
