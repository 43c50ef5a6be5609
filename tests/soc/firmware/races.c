// Kernels in which a wait is missing, or seems to be: argument 0 chooses one; the names in comments are those that
// bad_firmware.sh looks for.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom.h"

enum { LINE = 512, PLACES = 3000 };

static void put(uint64_t gm) {
  data_copy_ub_to_gm(.ub_pitch = LINE, .gm = gm, .rows = 1, .row_bytes = LINE, .op = GM_STORE);  // put
}

static void get(uint64_t gm, uint32_t rows) {
  data_copy_gm_to_ub(.gm = gm, .gm_pitch = LINE, .ub_pitch = LINE, .rows = rows, .row_bytes = LINE);  // get
}

static void fill(uint32_t ub) {
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = 8, .dst = ub, .dst_pitch = 32, .b_kind = OPERAND_SCALAR);  // fill
}

// Stores again what it has handed on, and waits for nobody.
static void store_again(uint64_t gm) {
  put(gm);
  put(gm + LINE);
  sync_all(PIPE_MTE3);
  put(gm);
}

// V writes, does much elsewhere, and reads what it wrote. MTE3 has heard of nothing.
static void forget_a_write(uint64_t gm) {
  fill(0);
  vector_op(.op = VOP_ABS, .rows = 1, .cols = 8, .dst = 32, .dst_pitch = 32, .a_pitch = 32);
  for (uint32_t i = 2; i < PLACES; ++i) {
    fill(32 * i);
  }
  order_pipes(PIPE_MTE2, PIPE_MTE3, 0);
  data_copy_ub_to_gm(.ub_pitch = 32, .gm = gm, .rows = 1, .row_bytes = 32, .op = GM_STORE);  // of V
}

// AI core 0 stores, all meet, it stores once more, much later; AI core 1 loads, without a second SYNC_ALL.
static void store_while_read(uint64_t gm, uint64_t core) {
  sync_all(PIPE_MTE3);
  order_pipes(PIPE_MTE3, PIPE_MTE2, 1);
  if (core == 0) {
    for (int i = 0; i < 20; ++i) {
      get(gm + LINE, 31);
    }
    order_pipes(PIPE_MTE2, PIPE_MTE3, 2);
    put(gm);
  } else {
    get(gm, 1);
  }
}

// AI core 1 loads, all MTE2 meet; AI core 0 lets its MTE3 know, and all MTE3 meet: it is over when AI core 1 stores.
static void ask_others(uint64_t gm, uint64_t core, uint64_t sub) {
  if (core == 1 && sub == 1) {
    get(gm, 1);
  }
  sync_all(PIPE_MTE2);
  if (core == 0 && sub == 0) {
    order_pipes(PIPE_MTE2, PIPE_MTE3, 0);
  }
  sync_all(PIPE_MTE3);
  if (core == 1 && sub == 1) {
    put(gm + LINE);
  }
}

void vector_main(void) {
  const custom_args_t *args = custom_args();
  const uint64_t gm = args->out.gm, core = hal_read(REG_CORE_INDEX), sub = hal_read(REG_SUB_INDEX);
  const int32_t which = custom_whole(args, 0);
  if (which == 5) {
    ask_others(gm, core, sub);
  } else if (sub != 0) {
    if (which == 0) {
      cross_core_set_flag(PIPE_MTE3, 0);
    } else if (which != 2) {
      sync_all(which == 4 ? PIPE_MTE2 : PIPE_MTE3);
    }
  } else if (which == 0) {  // hands one store on, and not the second
    put(gm);
    put(gm + LINE);
    cross_core_set_flag(PIPE_MTE3, 0);
    put(gm);
  } else if (which == 1) {
    if (core == 0) {
      store_again(gm);
    } else {
      sync_all(PIPE_MTE3);
      order_pipes(PIPE_MTE3, PIPE_MTE2, 0);
      get(gm, 1);
    }
  } else if (which == 2) {
    if (core == 0) {
      forget_a_write(gm);
    }
  } else if (which == 3) {
    if (core == 0) {
      put(gm);
    }
    store_while_read(gm, core);
  } else if (which == 4) {  // a store that MTE2 does not wait for, before all MTE2 meet
    if (core == 0) {
      put(gm);
    }
    sync_all(PIPE_MTE2);
    if (core == 1) {
      get(gm, 1);
    }
  }
}

void cube_main(void) {
  const custom_args_t *args = custom_args();
  if (custom_whole(args, 0) == 0) {
    cross_core_wait_flag(PIPE_MTE2, 0);
    data_copy_gm_to_l1(.gm = args->out.gm, .gm_pitch = 32, .rows = 16, .cols = 16);  // load
  }
}
