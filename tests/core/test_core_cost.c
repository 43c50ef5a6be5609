// Cycles, worked out by hand for a machine whose values are all different where a mistake could take one for another.
// SPDX-License-Identifier: Apache-2.0
#include "core/estimate.h"
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

static uint64_t cube(command_t command) { return core_cycles(&config, &command); }
static uint64_t vector(command_t command) { return core_cycles(&config, &command); }
static uint64_t engine(command_t command) { return core_cycles(&config, &command); }

static uint64_t mmad(uint32_t m, uint32_t n, uint32_t k) {
  return cube(COMMAND_OF(MMAD, mmad, M, .m = m, .n = n, .k = k, .type = TYPE_BF16));
}

static void matrix_multiply(void **state) {
  (void)state;
  assert_int_equal(mmad(128, 128, 96), 12 + 8 * 8 * 6);  // 396
  assert_int_equal(mmad(1, 1, 1), 12 + 1);
  assert_int_equal(mmad(17, 33, 40), 12 + 2 * 3 * 3);
  const command_t c = COMMAND_OF(MMAD, mmad, M, .m = 17, .n = 33, .k = 40);
  assert_int_equal(core_flops(&c), 2 * 17 * 33 * 40);
  const command_t other = COMMAND_OF(PIPE_BARRIER, pipe_barrier, M, .zero_ = 0);
  assert_int_equal(core_flops(&other), 0);
}

static void cube_transfers(void **state) {
  (void)state;
  // 150 GB/s at 1800 MHz is 83.33 bytes a cycle; 128*576*2 = 147456 bytes: 1769.47
  assert_int_equal(cube(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .rows = 128, .cols = 576)), 1770);
  // 250 bytes are 3 cycles, padding is not read from GM; 5250 are 63, though a division of doubles
  // says 63.00000000000001
  assert_int_equal(cube(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .rows = 1, .cols = 125)), 3);
  assert_int_equal(cube(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .rows = 128, .cols = 570, .strips = 1)), 1770);
  assert_int_equal(cube(COMMAND_OF(LOAD_NZ, load_nz, MTE2, .rows = 1, .cols = 2625)), 63);
  // 128*96*2 = 24576 bytes: / 238 = 103.3, / 119 = 206.5
  assert_int_equal(cube(COMMAND_OF(LOAD_A, load_a, MTE1, .m = 128, .k = 96)), 104);
  assert_int_equal(cube(COMMAND_OF(LOAD_B, load_b, MTE1, .n = 128, .k = 96)), 207);
  // padded to 112*96*2 = 21504 bytes: / 238 = 90.4
  assert_int_equal(cube(COMMAND_OF(LOAD_A, load_a, MTE1, .m = 100, .k = 90)), 91);
  // 512 bytes at any rate cost a cycle
  config_t fast = config;
  fast.cube.l0a_bytes_per_cycle = 100000;
  const command_t small = COMMAND_OF(LOAD_A, load_a, MTE1, .m = 1, .k = 1);
  assert_int_equal(core_cycles(&fast, &small), 1);
  // 135 GB/s is 75 bytes a cycle: 128*128*4 / 75 = 873.8, half of it 436.9, 100*100*4 / 75 = 533.3
  command_t fix = COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = 128, .n = 128, .type = TYPE_F32);
  assert_int_equal(cube(fix), 874);
  fix.fixpipe.op = GM_ADD_F32;
  assert_int_equal(cube(fix), 874);
  fix.fixpipe.op = GM_STORE;
  fix.fixpipe.type = TYPE_BF16;
  assert_int_equal(cube(fix), 437);
  assert_int_equal(cube(COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = 100, .n = 100, .type = TYPE_F32)), 534);
}

static void vector_transfers(void **state) {
  (void)state;
  // 100.9 GB/s is 56.06 bytes a cycle: 131072 bytes take 2338.3
  assert_int_equal(vector(COMMAND_OF(COPY_IN, copy_in, MTE2, .rows = 64, .row_bytes = 2048)), 2339);
  // 160 GB/s is 88.89: 1474.6; RESCALE sends 64*4 bytes only: 2.9
  command_t out = COMMAND_OF(COPY_OUT, copy_out, MTE3, .rows = 64, .row_bytes = 2048);
  assert_int_equal(vector(out), 1475);
  out.copy_out.op = GM_ADD_S32;
  assert_int_equal(vector(out), 1475);
  out.copy_out.op = GM_RESCALE;
  assert_int_equal(vector(out), 3);
}

static void engine_commands(void **state) {
  (void)state;
  // 128 GB/s at 1800 MHz is 71.11 bytes a cycle: a key and its value of 64 elements each are 256
  // bytes, 3.6 cycles
  assert_int_equal(engine(COMMAND_OF(LOAD_KV, load_kv, LOAD, .keys = 100, .stride = 25, .dim = 64)), 360);
  assert_int_equal(engine(COMMAND_OF(LOAD_KV, load_kv, LOAD, .keys = 1, .stride = 256, .dim = 64)), 4);
  command_t load = COMMAND_OF(LOAD_EB, load_eb, LOAD, .rows = 16, .row_bytes = 128);
  assert_int_equal(engine(load), 29);  // 28.8
  load.load_eb.scale = 0x3f800000u;
  assert_int_equal(engine(load), 29);
  // 64 GB/s: 57.6
  const command_t store = COMMAND_OF(STORE_EB, store_eb, STORE, .rows = 16, .row_bytes = 128);
  assert_int_equal(engine(store), 58);
  core_move_t move;
  assert_true(core_moves(&config, &store, &move) && move.store && move.bytes == 2048);
  assert_true(core_moves(&config, &load, &move) && !move.store && move.bytes == 2048);
  // The engine says how long an ATTN takes.
  const command_t attn = COMMAND_OF(ATTN, attn, ATTN, .queries = 9, .dim = 64, .keys = 100, .stride = 25, .share = 1);
  assert_int_equal(engine(attn), 0);
  assert_false(core_moves(&config, &attn, &move));
  assert_false(core_is_atomic(&attn) || core_is_atomic(&store));
  assert_int_equal(core_flops(&attn), 0);
  assert_int_equal(engine(COMMAND_OF(PIPE_BARRIER, pipe_barrier, ATTN, .zero_ = 0)), 1);
}

static uint64_t vec(uint32_t op, uint32_t b_kind, uint32_t rows, uint32_t cols, uint32_t pitch) {
  return vector(COMMAND_OF(VEC, vec, V, .op = op, .rows = rows, .cols = cols, .dst_pitch = pitch, .a_pitch = pitch,
                           .b_pitch = pitch, .c_pitch = pitch, .b_kind = b_kind));
}

// 64 x 512 FP32 are 512 repeats of 256 bytes.
static void vector_operations(void **state) {
  (void)state;
  static const uint32_t alu[] = {VOP_ADD, VOP_SUB,    VOP_MUL,    VOP_MAX,   VOP_MIN,
                                 VOP_FMA, VOP_CMP_GT, VOP_CMP_EQ, VOP_SELECT};
  for (size_t i = 0; i < ARRAY_LEN(alu); ++i) {
    assert_int_equal(vec(alu[i], OPERAND_TILE, 64, 512, 2048), 6 + 1076);  // 1075.2
    assert_int_equal(vec(alu[i], OPERAND_ROW, 64, 512, 2048), 6 + 1076);
    assert_int_equal(vec(alu[i], OPERAND_SCALAR, 64, 512, 2048), 5 + 512);
  }
  assert_int_equal(vec(VOP_DIV, OPERAND_TILE, 64, 512, 2048), 12 + 2048);
  assert_int_equal(vec(VOP_DIV, OPERAND_SCALAR, 64, 512, 2048), 12 + 2048);
  assert_int_equal(vec(VOP_EXP, OPERAND_TILE, 64, 512, 2048), 13 + 1024);
  assert_int_equal(vec(VOP_CAST, OPERAND_TILE, 64, 512, 2048), 10 + 784);  // 783.36
  assert_int_equal(vec(VOP_ROW_MAX, OPERAND_TILE, 64, 512, 2048), 11 + 3584);
  assert_int_equal(vec(VOP_ROW_SUM, OPERAND_TILE, 64, 512, 2048), 11 + 3584);
  assert_int_equal(vec(VOP_BROADCAST, OPERAND_ROW, 64, 512, 2048), 7 + 512);
  assert_int_equal(vec(VOP_BROADCAST, OPERAND_SCALAR, 64, 512, 2048), 7 + 512);
}

static void vector_repeats(void **state) {
  (void)state;
  // Rows of 416 bytes, packed: 64*416 / 256 = 104 repeats, 218.4; with a gap: 64*2 = 128, 268.8
  assert_int_equal(vec(VOP_ADD, OPERAND_TILE, 64, 104, 416), 6 + 219);
  assert_int_equal(vec(VOP_ADD, OPERAND_TILE, 64, 104, 448), 6 + 269);
  // One value a row, or one result a row: rows stay apart
  assert_int_equal(vec(VOP_ADD, OPERAND_ROW, 64, 104, 416), 6 + 269);
  assert_int_equal(vec(VOP_ROW_SUM, OPERAND_TILE, 64, 104, 416), 11 + 128 * 7);
  // 10 repeats of 2.1; a repeat that is not full
  assert_int_equal(vec(VOP_ADD, OPERAND_TILE, 1, 640, 2560), 6 + 21);
  assert_int_equal(vec(VOP_ADD, OPERAND_TILE, 1, 1, 32), 6 + 3);
}

static uint64_t narrow(uint32_t op, uint32_t from, uint32_t to, uint32_t rows, uint32_t cols, uint32_t pitch,
                       uint32_t b_pitch) {
  return vector(COMMAND_OF(VEC, vec, V, .op = op, .rows = rows, .cols = cols, .dst_pitch = pitch,
                           .a_pitch = from == TYPE_S4 ? pitch / 4 : pitch, .b_pitch = b_pitch, .c_pitch = b_pitch,
                           .from = from, .to = to));
}

// 64 x 256 FP16 are 128 repeats of 128 lanes; 5.2 cycles each to dequantise them.
static void narrow_operations(void **state) {
  (void)state;
  assert_int_equal(narrow(VOP_CAST, TYPE_S4, TYPE_F16, 64, 256, 512, 0), 10 + 128);
  assert_int_equal(narrow(VOP_SUB, TYPE_F16, TYPE_F16, 64, 256, 512, 0), 6 + 269);  // 268.8
  assert_int_equal(narrow(VOP_MUL, TYPE_F16, TYPE_F16, 64, 256, 512, 512), 6 + 269);
  // A row that is not a multiple of 128, for each of which b starts again: two repeats a row
  assert_int_equal(narrow(VOP_MUL, TYPE_F16, TYPE_F16, 64, 136, 288, 0), 6 + 269);
  // To FP32, and FP32 operands: 64 lanes a repeat
  assert_int_equal(narrow(VOP_CAST, TYPE_S4, TYPE_F32, 64, 256, 1024, 0), 10 + 256);
  assert_int_equal(narrow(VOP_FMA, TYPE_F32, TYPE_F16, 64, 256, 1024, 0), 6 + 538);  // 537.6
  // 64 rows of 16 strips of 32 bytes, at 128 a cycle
  assert_int_equal(vector(COMMAND_OF(COPY_L1, copy_l1, MTE3, .rows = 64, .cols = 256)), 256);
  assert_int_equal(vector(COMMAND_OF(COPY_L1, copy_l1, MTE3, .rows = 3, .cols = 17)), 2);
  core_move_t move;
  const command_t copy = COMMAND_OF(COPY_L1, copy_l1, MTE3, .rows = 64, .cols = 256);
  assert_false(core_moves(&config, &copy, &move));  // global memory sees nothing of it
}

static void flags_and_barriers(void **state) {
  (void)state;
  assert_int_equal(vector(COMMAND_OF(PIPE_BARRIER, pipe_barrier, V, .zero_ = 0)), 16);
  assert_int_equal(vector(COMMAND_OF(PIPE_BARRIER, pipe_barrier, MTE2, .zero_ = 0)), 1);
  assert_int_equal(cube(COMMAND_OF(PIPE_BARRIER, pipe_barrier, M, .zero_ = 0)), 1);
  assert_int_equal(cube(COMMAND_OF(SET_FLAG, set_flag, M, .to = PIPE_FIX)), 1);
  assert_int_equal(cube(COMMAND_OF(WAIT_FLAG, wait_flag, FIX, .from = PIPE_M)), 1);
  assert_int_equal(vector(COMMAND_OF(CROSS_SET, cross_set, V, .flag = 1)), 1);
  assert_int_equal(vector(COMMAND_OF(CROSS_WAIT, cross_wait, V, .flag = 1)), 1);
}

// What plans are made by: the same costs, and every rate from the config.
static void estimates(void **state) {
  (void)state;
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
  assert_true(estimate_vector_cycles(&machine, &exp.vec) == (double)vector(exp));
  assert_true(estimate_handover_cycles(&machine) == 0.5 * 1800);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_multiply),   cmocka_unit_test(cube_transfers),     cmocka_unit_test(vector_transfers),
      cmocka_unit_test(engine_commands),   cmocka_unit_test(vector_operations),  cmocka_unit_test(vector_repeats),
      cmocka_unit_test(narrow_operations), cmocka_unit_test(flags_and_barriers), cmocka_unit_test(estimates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
