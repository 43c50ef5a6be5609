// Estimates for plans, on a machine whose values are all different where a mistake could take one for another. The cost
// of the commands themselves is tested by soc/time and soc/time_moves.
// SPDX-License-Identifier: Apache-2.0
#include "core/estimate.h"
#include "core/work.h"
#include "core_test.h"

static const config_t config = {
    .soc = {.ai_cores = 1, .vector_cores = 2, .clock_mhz = 1800, .flag_cycles = 1, .cross_flag_us = 0.5},
    .cube = {.l1_kb = 512,
             .l0a_kb = 64,
             .l0b_kb = 64,
             .l0c_kb = 128,
             .mac_m = 16,
             .mac_n = 16,
             .mac_k = 16,
             .mmad_startup = 12,
             .l0a_bytes_per_cycle = 238,
             .l0b_bytes_per_cycle = 119,
             .load_gbps = 150,
             .store_gbps = 135},
    .vector = {.ub_kb = 192,
               .load_gbps = 100.9,
               .store_gbps = 160,
               .repeat_bytes = 256,
               .alu_cycles = 2.1,
               .alu_startup = 6,
               .scalar_cycles = 1,
               .scalar_startup = 5,
               .div_cycles = 4,
               .div_startup = 12,
               .exp_cycles = 2,
               .exp_startup = 13,
               .cast_cycles = 1.53,
               .cast_startup = 10,
               .cast_int4_cycles = 1,
               .direct_bytes_per_cycle = 128,
               .reduce_cycles = 7,
               .reduce_startup = 11,
               .broadcast_cycles = 1,
               .broadcast_startup = 7,
               .drain = 16},
    .engine = {.clock_mhz = 500,
               .blocks = 4,
               .queries = 1,
               .rows = 1024,
               .buffer_kb = 256,
               .load_gbps = 128,
               .store_gbps = 64},
};

// Estimates for plans: the same costs, and every rate from the config.
TEST(estimates) {
  config_t machine = config;
  machine.gm = (config_gm_t){.move_bytes = 16384, .worst_efficiency = 0.5};
  machine.scalar = (config_scalar_t){.cpi = 2, .push_cycles = 5};
  assert_true(estimate_efficiency(&machine, 16384, true) == 1);
  assert_true(estimate_efficiency(&machine, 8192, true) == 0.75);
  assert_true(estimate_efficiency(&machine, 1 << 20, false) == 0.5);
  assert_true(estimate_move_rate(&machine, 10, 16384, 1) == 10000);
  assert_true(estimate_move_rate(&machine, 10, 16384, 0) == 5000);
  assert_true(estimate_mmad_cycles(&machine, 32, 48, 64, 3) == 2 * 3 * 4 + 3 * (12 + 2));
  assert_true(estimate_l0_cycles(&machine, 2 * 238, 3 * 119) == 5);
  assert_true(estimate_scalar_cycles(&machine, 4, 10) == 4 * (5 + 2 * 10));
  const command_t exp = COMMAND_OF(VEC, vec, V, .op = VOP_EXP, .rows = 8, .cols = 128);
  assert_true(estimate_vector_cycles(&machine, &exp.vec) == (double)core_cycles(&machine, &exp));
  assert_true(estimate_handover_cycles(&machine) == 0.5 * 1800);
}

static core_work_t work_of(const command_t *command) {
  core_access_t access[CORE_MAX_ACCESSES];
  core_work_t work = {0};
  core_add_work(&work, NULL, command, access, core_accesses(command, access));
  return work;
}

// Work, by hand: what an operation has in elements, and what it moves.
TEST(work) {
  const command_t add = COMMAND_OF(VEC, vec, V, .op = VOP_ADD, .rows = 3, .cols = 40, .a_pitch = 160, .b_pitch = 160,
                                   .dst_pitch = 160, .b = 4096, .dst = 8192);
  core_work_t work = work_of(&add);
  assert_true(work.vector == 3 * 40 * 4 && work.vector_hard == 0 && work.moved[SPACE_UB] == 3 * 3 * 40 * 4);
  const command_t half = COMMAND_OF(VINST, vinst, V, .op = VI_EXP, .type = TYPE_F16, .repeats = 5, .mask = 0xff,
                                    .a_step = VECTOR_STEP(1, 8), .dst_step = VECTOR_STEP(1, 8), .dst = 8192);
  work = work_of(&half);
  assert_true(work.vector == 0 && work.vector_hard == 5 * 8 * 2 && work.moved[SPACE_UB] == 2 * 5 * 8 * 2);
  const command_t product = COMMAND_OF(MMAD, mmad, M, .m = 5, .n = 33, .k = 40, .type = TYPE_U8);
  work = work_of(&product);
  assert_true(work.macs_8 == 5 * 33 * 40 && work.macs_16 == 0 && work.vector == 0 && work.moved[SPACE_L0C] > 0);
}
