// Keys beyond the end of the array.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/engine/engine_args.h"

void engine_main(void) {
  const engine_args_t *args = hal_gm(hal_read(REG_ARGS));
  load_kv(.k_gm = args->k, .k_pitch = args->k_pitch, .v_gm = args->v + args->v_pitch, .v_pitch = args->v_pitch,
          .keys = args->keys, .stride = 16, .dim = args->dim);
}
