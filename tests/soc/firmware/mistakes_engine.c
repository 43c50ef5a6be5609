// Mistakes on attention engines, with their kernel's arguments, whose scale says which; the names in comments are those
// that bad_firmware.sh looks for.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/engine/engine_args.h"

static void load_key(const engine_args_t *args, uint32_t dim) {
  load_kv(.k_gm = args->k, .v_gm = args->v, .keys = 1, .stride = 1, .dim = dim);  // key
}

static void store(const engine_args_t *args, uint32_t eb) {
  data_copy_eb_to_gm(.eb = eb, .gm = args->out, .rows = 1, .row_bytes = 32);  // store
}

static const engine_args_t *arguments(void) { return hal_gm(hal_read(REG_ARGS)); }

void engine_main(void) {
  const engine_args_t *args = arguments();
  const uint32_t d = args->dim, end = (uint32_t)hal_read(REG_ENGINE_BUFFER);
  switch (args->scale) {
    case 0:  // keys that may not have arrived
      load_key(args, d);
      attention_op(.queries = 1, .dim = d, .stride = 1, .keys = 1, .share = 1, .final = 1);  // not arrived
      break;
    case 1:  // results that may not have come
      attention_op(.queries = 1, .dim = d, .stride = 1, .keys = 1, .share = 1, .final = 1, .out = 64);  // to come
      store(args, 64);
      break;
    case 2:  // triplets that may still be in the engine
      load_key(args, d);
      set_flag(PIPE_LOAD, PIPE_ATTN, 0);
      wait_flag(PIPE_LOAD, PIPE_ATTN, 0);
      attention_op(.queries = 1, .dim = d, .stride = 1, .keys = 1, .share = 1, .triplet = 8192);             // first
      attention_op(.queries = 1, .dim = d, .stride = 1, .keys = 1, .share = 1, .triplet = 8192, .carry = 1,  // second
                   .final = 1);
      break;
    case 3:  // queries that end beyond the engine's buffer
      attention_op(.q = end - 32, .queries = 2, .dim = d, .stride = 1, .keys = 1, .share = 1, .final = 1);  // too far
      break;
    case 4:  // keys of another size than the engine's
      load_key(args, d / 2);
      break;
    case 5:                                            // a vector core's command
      vector_op(.op = VOP_ADD, .rows = 1, .cols = 1);  // foreign
      break;
    case 6:  // values beyond the end of the array
      load_kv(.k_gm = args->k, .v_gm = args->v + args->v_pitch, .keys = args->keys,  // beyond
              .k_pitch = args->k_pitch, .v_pitch = args->v_pitch, .stride = 16, .dim = d);
      break;
    case 7:                                 // STORE waits for a result that nobody announces
      wait_flag(PIPE_ATTN, PIPE_STORE, 2);  // nobody
      break;
    case 8:
      hal_halt(77);
      break;
    default:  // 9: every engine stores to the same results; 10: so does a cube core, the first of its kind as well
      store(args, 0);
      break;
  }
}

void cube_main(void) {
  if (arguments()->scale == 10) {
    fixpipe(.gm = arguments()->out, .m = 1, .n = 4, .type = TYPE_F32);  // of the cube
  }
}
