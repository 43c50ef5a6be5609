// The vector core's program reads numbers out of UB and of an array of no numbers, goes by them, and writes others into
// UB; or does it wrongly, as the first parameter says.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"

enum { COUNT = 16, SUMS = 64, RESULT = 128 };

static const custom_args_t *arguments(void) { return hal_gm(hal_read(REG_ARGS)); }

static void add_five(void) {
  vector_instruction(.op = VI_ADDS, .type = TYPE_S32, .count = COUNT, .dst = SUMS, .dst_step = VECTOR_STEP(1, 8),
                     .a_step = VECTOR_STEP(1, 8), .scalar = 5);
}

static void load(void) {
  data_copy_gm_to_ub(.gm = arguments()->in[0].gm, .gm_pitch = 4 * COUNT, .ub_pitch = 4 * COUNT, .rows = 1,
                     .row_bytes = 4 * COUNT);
  order_pipes(PIPE_MTE2, PIPE_V, 0);
}

// As many numbers as the fourth sum says: each sum, and a byte of the input.
static void store_numbers(void) {
  const uint32_t most = (uint32_t)read_ub(PIPE_V, SUMS + 12, 4);
  for (uint32_t i = 0; i < most && i < COUNT; ++i) {
    const uint64_t byte = read_value(PIPE_MTE3, arguments()->in[0].gm + 4 * i + 1, 1);
    write_ub(PIPE_MTE3, RESULT + 8 * i, 8, read_ub(PIPE_V, SUMS + 4 * i, 2) | byte << 32);
  }
  data_copy_ub_to_gm(.ub = RESULT, .ub_pitch = 8 * COUNT, .gm = arguments()->out.gm, .gm_pitch = 8 * COUNT, .rows = 1,
                     .row_bytes = 8 * most);
}

// The same as the program's own: pipe S, with flags to and from it. A step that is the wrong one is left out.
static void store_by_flags(int32_t wrong) {
  const uint64_t out = arguments()->out.gm;
  if (wrong != 4) {
    order_pipes(PIPE_V, PIPE_S, 1);
  }
  const uint64_t first = read_ub(PIPE_S, SUMS, 4);  // nobody waits for V
  load();                                           // over what V has read: S has waited for that
  write_ub(PIPE_S, SUMS + 4, 4, first + 1);
  if (wrong != 5) {
    order_pipes(PIPE_S, PIPE_MTE3, 1);
  }
  data_copy_ub_to_gm(.ub = SUMS, .ub_pitch = 32, .gm = out, .gm_pitch = 32, .rows = 1, .row_bytes = 8);  // S may write
  if (wrong != 6) {
    pipe_barrier(PIPE_S);
  }
  write_value(PIPE_S, out + 5, 1, 0x77);  // MTE3 may still write there
  if (wrong == 7) {
    set_flag(PIPE_S, PIPE_V, 9);  // for nobody
  }
}

static void double_sums(void) {
  vector_instruction(.op = VI_ADD, .type = TYPE_S32, .count = COUNT, .dst = RESULT, .dst_step = VECTOR_STEP(1, 8),
                     .a = SUMS, .a_step = VECTOR_STEP(1, 8), .b = SUMS, .b_step = VECTOR_STEP(1, 8));
}

// Results of an instruction that the next one reads: with a barrier between them (10), none (9), or a wait for somebody
// who has waited for the first (11).
static void add_twice(int32_t how) {
  switch (how) {
    case 10:
      pipe_barrier(PIPE_V);
      break;
    case 11:
      order_pipes(PIPE_V, PIPE_MTE3, 2);
      order_pipes(PIPE_MTE3, PIPE_V, 2);
      break;
    default:
      break;
  }
  double_sums();  // the sums may not be there
  order_pipes(PIPE_V, PIPE_MTE3, 3);
  data_copy_ub_to_gm(.ub = RESULT, .ub_pitch = 4 * COUNT, .gm = arguments()->out.gm, .gm_pitch = 4 * COUNT, .rows = 1,
                     .row_bytes = 4 * COUNT);
}

// The program's own numbers in global memory, and MTE3's and MTE2's beside them: with CLEAN_LINES between them (12, 13,
// 14), without what makes MTE3's number seen (15), or the program's (16), and with that of another line (17).
static void share_lines(int32_t how) {
  const uint64_t out = arguments()->out.gm;
  write_value(PIPE_S, out, 4, 1);
  if (how != 16) {
    clean_lines(PIPE_S, how == 17 ? out + 64 : how == 13 ? 0 : out + 60);
  }
  order_pipes(PIPE_S, PIPE_MTE2, 4);
  data_copy_gm_to_ub(.gm = out, .gm_pitch = 32, .ub = RESULT, .ub_pitch = 32, .rows = 1, .row_bytes = 4);  // S has it
  read_value(PIPE_S, out + 8, 4);
  order_pipes(PIPE_MTE2, PIPE_MTE3, 5);
  order_pipes(PIPE_S, PIPE_MTE3, 5);
  data_copy_ub_to_gm(.ub = RESULT, .ub_pitch = 32, .gm = out + 8, .gm_pitch = 32, .rows = 1, .row_bytes = 4);  // newer
  order_pipes(PIPE_MTE3, PIPE_S, 6);
  if (how != 15) {
    clean_lines(PIPE_S, how == 14 ? 0 : out + 8);
  }
  read_value(PIPE_S, out + 12, 4);  // MTE3 wrote other bytes
  read_value(PIPE_S, out + 8, 4);   // its line is old
}

void vector_main(void) {
  if (hal_read(REG_SUB_INDEX) != 0) {
    return;
  }
  load();
  add_five();
  switch (arguments()->param[0].whole) {
    case 1:
      read_ub(PIPE_MTE2, SUMS, 4);  // V may not have written it
      break;
    case 2:
      read_ub(PIPE_V, SUMS + 2, 4);  // at half a number
      break;
    case 3:
      write_ub(PIPE_MTE3, SUMS, 4, 1);  // V may still write there
      break;
    case 0:
      store_numbers();
      break;
    case 9:
    case 10:
    case 11:
      add_twice(arguments()->param[0].whole);
      break;
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
      share_lines(arguments()->param[0].whole);
      break;
    default:
      store_by_flags(arguments()->param[0].whole);
  }
}
