// Mistakes in pairs of AI cores, and in gathers, with the FP8 kernel's arguments, whose scale says which; the names in
// comments are those that bad_firmware.sh looks for.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

static void on_cube(uint32_t which, const fp8_args_t *args) {
  switch (which) {
    case 0:                        // in a run that is not one of pairs
      pair_set_flag(PIPE_FIX, 5);  // no pair
      break;
    case 2:                          // waits for the pair's other AI core; its own vector cores do not count
      pair_wait_flag(PIPE_MTE2, 5);  // nobody
      break;
    case 3:  // reads what a vector core of the other AI core writes
      if (hal_read(REG_PAIR_SIDE) == 1) {
        data_copy_gm_to_l1(.gm = args->kv, .gm_pitch = 64, .rows = 1, .cols = 32);  // other's
      }
      break;
    case 5:  // reads from its L1 what a vector core of the other AI core may still be writing there
      if (hal_read(REG_CORE_INDEX) == 0) {
        load_data_b(.l1 = 512, .l1_pitch = 512, .k = 16, .n = 16);  // still written
      }
      break;
    default:
      break;
  }
}

// As many rows as there are of an array, from number 0 of a list on.
static void gather(uint64_t gm, uint64_t list, uint32_t first, uint32_t rows, uint32_t bytes) {
  data_gather_gm_to_ub(.gm = gm, .gm_pitch = bytes, .list = list, .first = first, .page = 1,  // gather
                       .ub_pitch = (bytes + 31) / 32 * 32, .rows = rows, .row_bytes = bytes);
}

static void on_vector(uint32_t which, const fp8_args_t *args) {
  const uint32_t first = hal_read(REG_SUB_INDEX) == 0;
  switch (which) {
    case 1:                         // leaves a flag up in the other AI core
      pair_set_flag(PIPE_MTE3, 5);  // left
      break;
    case 2:
      cross_core_set_flag(PIPE_MTE3, 5);
      break;
    case 3:
    case 4:  // AI cores of two pairs meet, for whom a flag of a pair is none
      if (hal_read(REG_PAIR_SIDE) == 0 && first) {
        data_copy_ub_to_gm(.gm = args->kv, .rows = 1, .row_bytes = 64, .op = GM_STORE);  // store
      }
      break;
    case 5:
      if (hal_read(REG_CORE_INDEX) == 1 && first) {
        data_copy_ub_to_l1(.ub_pitch = 512, .l1_pitch = 512, .rows = 16, .cols = 256, .pair = 1);  // into L1
      }
      break;
    case 6:  // a number of the list is below -1
      gather(args->tokens, args->index, args->places[0], 1, FP8_TOKEN_BYTES);
      break;
    case 7:  // a number is behind the end of the table
      gather(args->tokens + FP8_TOKEN_BYTES * 90, args->index, 0, 30, FP8_TOKEN_BYTES);
      break;
    case 8:  // the list is not one of numbers
      gather(args->tokens, args->tokens, 0, 1, FP8_TOKEN_BYTES);
      break;
    case 9:  // the rows are those of an array that may be written
      gather(args->kv, args->index, 0, 30, 64);
      break;
    default:
      break;
  }
}

static const fp8_args_t *arguments(void) { return hal_gm(hal_read(REG_ARGS)); }
void cube_main(void) { on_cube(arguments()->attention.scale, arguments()); }
void vector_main(void) { on_vector(arguments()->attention.scale, arguments()); }
