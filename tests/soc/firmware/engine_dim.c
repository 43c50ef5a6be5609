// Keys of another size than the engine's.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/engine/engine_args.h"

void engine_main(void) {
  const engine_args_t *args = hal_gm(hal_read(REG_ARGS));
  load_kv(.k_gm = args->k, .v_gm = args->v, .keys = 1, .stride = 1, .dim = args->dim / 2);
}
