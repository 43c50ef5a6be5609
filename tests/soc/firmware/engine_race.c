// Attention over keys that may not have arrived.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/engine/engine_args.h"

void engine_main(void) {
  const engine_args_t *args = hal_gm(hal_read(REG_ARGS));
  load_kv(.k_gm = args->k, .v_gm = args->v, .keys = 1, .stride = 1, .dim = args->dim);
  attention_op(.queries = 1, .dim = args->dim, .stride = 1, .keys = 1, .share = 1, .final = 1);
}
