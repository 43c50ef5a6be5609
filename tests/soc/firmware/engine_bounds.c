// Queries that end beyond the engine's buffer.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/engine/engine_args.h"

void engine_main(void) {
  const engine_args_t *args = hal_gm(hal_read(REG_ARGS));
  attention_op(.q = (uint32_t)hal_read(REG_ENGINE_BUFFER) - 32, .queries = 2, .dim = args->dim, .stride = 1, .keys = 1,
               .share = 1, .final = 1);
}
