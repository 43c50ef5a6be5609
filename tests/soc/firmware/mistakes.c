// Mistakes of kernels: argument 0 chooses one; the names in comments are those that bad_firmware.sh looks for.
// Those marked RV64 would take a simulator down that runs them natively.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"
#include "lib/panic.h"

enum { TOO_MANY = 70 };

static void load_row(const custom_array_t *array, uint32_t rows) {
  data_copy_gm_to_l1(.gm = array->gm, .gm_pitch = 32, .rows = rows, .cols = 16);  // row
}

static void load_ub(const custom_array_t *array) {
  data_copy_gm_to_ub(.gm = array->gm, .rows = 1, .row_bytes = 32);  // ub
}

static void store(const custom_array_t *array) {
  data_copy_ub_to_gm(.gm = array->gm, .rows = 1, .row_bytes = 32, .op = GM_STORE);  // store
}

static void check(volatile uint32_t found) {
  require(found > 0, PANIC_ARGUMENTS);
  require(found < 3, TOO_MANY);  // check
  require(found > 1, PANIC_MACHINE);
}

static uint32_t descend(volatile uint32_t depth) {
  volatile uint32_t room[64] = {depth};
  return depth == 0 ? 0 : descend(depth + 1) + room[depth % 64];
}

static uint32_t descend_loudly(volatile uint32_t depth) {
  volatile uint32_t room[64] = {(uint32_t)hal_read(REG_ARGS)};
  return depth == 0 ? 0 : descend_loudly(depth + 1) + room[depth % 64];
}

static void on_cube(int32_t which, const custom_args_t *args) {
  switch (which) {
    case 0:                                // nobody raises this flag
      wait_flag(PIPE_MTE2, PIPE_MTE1, 3);  // nobody
      break;
    case 1:  // waits for what its own later commands would allow
      wait_flag(PIPE_MTE1, PIPE_MTE2, 3);
      read_gm(hal_read(REG_ARGS), 4);
      set_flag(PIPE_MTE1, PIPE_MTE2, 3);
      break;
    case 2:                        // reads where no numbers are
      read_gm(args->in[0].gm, 4);  // no numbers
      break;
    case 3:  // loads rows beyond the end of an array
      load_row(&args->in[0], args->in[0].shape[0] + 1);
      break;
    case 4:  // loads from behind the last array
      load_row(&(custom_array_t){.gm = GM_BASE + (UINT64_C(1) << 39)}, 1);
      break;
    case 5:                                                                    // a tile that leaves L0C
      mmad(.l0c = 96 * 1024, .m = 128, .n = 128, .k = 16, .type = TYPE_BF16);  // leaves L0C
      break;
    case 6:  // multiplies what may not have arrived in L1
      load_row(&args->in[0], 1);
      load_data_a(.l1_pitch = 512, .m = 1, .k = 16);  // not arrived
      break;
    case 7:  // reads what a vector core may not have stored yet
      load_row(&args->out, 1);
      break;
    case 9:  // raises a flag twice
      set_flag(PIPE_MTE2, PIPE_MTE1, 0);
      set_flag(PIPE_MTE2, PIPE_MTE1, 0);  // twice
      break;
    case 10:                             // leaves a flag up
      cross_core_set_flag(PIPE_FIX, 5);  // left
      break;
    case 12:
      hal_halt(77);  // gives up
      break;
    case 13:  // three checks in one function, of which the second fails
      check(3);
      break;
    case 14:                                // RV64: follows a wild pointer
      *(volatile uint64_t *)0x1234000 = 1;  // wild
      break;
    case 15:  // RV64: writes its own code, which its file says cannot be written
      *(volatile uint32_t *)(uintptr_t)cube_main = 0;  // code
      break;
    case 17:  // reads from L1 what a vector core may still be writing there
      load_data_b(.l1 = 512, .l1_pitch = 512, .k = 16, .n = 16);  // still written
      break;
    case 19:  // calls itself for ever
      descend(1);
      break;
    case 20:  // the same, and speaks to its host meanwhile
      descend_loudly(1);
      break;
    default:
      break;
  }
}

static void on_vector(int32_t which, const custom_args_t *args) {
  const uint32_t first = hal_read(REG_SUB_INDEX) == 0;
  switch (which) {
    case 7:
    case 18:  // the first vector core of every AI core writes the same bytes
      if (first) {
        store(&args->out);
      }
      break;
    case 8:  // loads over what the vector pipe may still read
      load_ub(&args->in[0]);
      set_flag(PIPE_MTE2, PIPE_V, 0);
      wait_flag(PIPE_MTE2, PIPE_V, 0);
      vector_op(.op = VOP_EXP, .rows = 1, .cols = 8, .dst = 64, .dst_pitch = 32, .a_pitch = 32);  // still read
      load_ub(&args->in[0]);
      break;
    case 11:  // writes an input
      store(&args->in[0]);
      break;
    case 16:  // writes beyond the cube core's L1, where without the direct path it may not write at all
      data_copy_ub_to_l1(.ub_pitch = 512, .l1 = 511 * 1024, .l1_pitch = 512, .rows = 16, .cols = 256);  // beyond L1
      break;
    case 17:
      if (first) {
        data_copy_ub_to_l1(.ub_pitch = 512, .l1_pitch = 512, .rows = 16, .cols = 256);  // into L1
      }
      break;
    default:
      break;
  }
}

static const custom_args_t *arguments(void) { return hal_gm(hal_read(REG_ARGS)); }
void cube_main(void) { on_cube(arguments()->param[0].whole, arguments()); }
void vector_main(void) { on_vector(arguments()->param[0].whole, arguments()); }
