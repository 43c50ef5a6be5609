// A scalar core reads where no numbers are.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  read_gm(args->q, 4);
}
