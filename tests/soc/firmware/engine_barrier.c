// Reads triplets that may still be in the engine.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/engine/engine_args.h"

void engine_main(void) {
  const engine_args_t *args = hal_gm(hal_read(REG_ARGS));
  load_kv(.k_gm = args->k, .v_gm = args->v, .keys = 1, .stride = 1, .dim = args->dim);
  set_flag(PIPE_LOAD, PIPE_ATTN, 0);
  wait_flag(PIPE_LOAD, PIPE_ATTN, 0);
  attention_op(.queries = 1, .dim = args->dim, .stride = 1, .keys = 1, .share = 1, .triplet = 8192);
  attention_op(.queries = 1, .dim = args->dim, .stride = 1, .keys = 1, .share = 1, .triplet = 8192, .carry = 1,
               .final = 1);
}
