// Messages of each kernel about an argument outside of its limits: that it is, and in which file. The others hold.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "config/config.h"
#include "hal/command.h"
#include "kernels/flash/flash_args.h"
#include "kernels/fp8/fp8_args.h"
#include "kernels/gemm/gemm_args.h"
#include "kernels/w4a16/w4a16_args.h"
#include "step_list.h"

// --- arguments that hold, of arrays that are not there ---------------------------------------------------

#define PLAIN \
  { .batch = 1, .rows = 16, .group_rows = 16, .keys = 32, .splits = 1, .dk = 16, .dv = 16, .block = 16, .o_pitch = 64 }
static const attention_args_t amla = PLAIN;
static const flash_args_t flash = {.attention = PLAIN, .seq_q = 1, .kv_heads = 1, .groups = 1, .behind = 1};
static const flash_args_t flash_more = {.attention = PLAIN, .seq_q = 1, .kv_heads = 1, .groups = 1, .behind = 1};
static const fp8_args_t fp8 = {.attention = {.batch = 1,
                                             .rows = 16,
                                             .group_rows = 16,
                                             .keys = 16,
                                             .splits = 1,
                                             .dk = FP8_DK,
                                             .dv = FP8_DV,
                                             .block = 16,
                                             .o_pitch = 4 * FP8_DV},
                               .heads = 16,
                               .query_tokens = 1,
                               .lists_of_entry = 1};
#define PRODUCT \
  { .a_pitch = 32, .b_pitch = 32, .c_pitch = 64, .m = 16, .n = 16, .k = 16, .type = TYPE_F16 }
static const gemm_args_t gemm = PRODUCT;
static const gemm_fp16_args_t gemm_fp16 = {.product = PRODUCT, .c_type = TYPE_F32};
static const gemm_tiles_args_t gemm_tiles = {.product = PRODUCT,
                                             .c_type = TYPE_F32,
                                             .tile_rows = 16,
                                             .tile_cols = 16,
                                             .a_depth = 32,
                                             .b_depth = 16,
                                             .a_slots = 2,
                                             .b_slots = 2,
                                             .splits = 1,
                                             .band = 1};
static const gemm_tiles_args_t gemm_tiles_s8 = {
    .product = {.a_pitch = 32, .b_pitch = 32, .c_pitch = 128, .m = 16, .n = 32, .k = 32, .type = TYPE_S8},
    .c_type = TYPE_S32,
    .tile_rows = 16,
    .tile_cols = 32,
    .a_depth = 64,
    .b_depth = 32,
    .a_slots = 2,
    .b_slots = 2,
    .splits = 1,
    .band = 1};
static const w4a16_args_t w4a16 = {.m = 1,
                                   .n = 64,
                                   .k = 64,
                                   .group = 64,
                                   .splits = 1,
                                   .tile_cols = 64,
                                   .dequant_rows = 32,
                                   .phases = W4A16_OVERLAPPED,
                                   .nibbles = TYPE_S4};

static const struct kernel {
  const char *name;
  const void *args;
  size_t bytes;
} kernels[] = {
#define KERNEL(name) \
  { #name, &name, sizeof name }
    KERNEL(amla),      KERNEL(flash),      KERNEL(flash_more),    KERNEL(fp8),   KERNEL(gemm),
    KERNEL(gemm_fp16), KERNEL(gemm_tiles), KERNEL(gemm_tiles_s8), KERNEL(w4a16),
#undef KERNEL
};

// --- and those that do not -------------------------------------------------------------------------------

typedef struct change {
  size_t offset, bytes;  // 0: none
  uint64_t value;
} change_t;

typedef struct bad {
  const char *kernel, *source;  // who says so
  change_t change[3];
} bad_t;

#define SET(kernel, field, v) \
  { offsetof(kernel##_args_t, field), sizeof(((kernel##_args_t *)0)->field), v }
#define BAD(kernel, source, ...)     \
  {                                  \
#kernel, source, { __VA_ARGS__ } \
  }
typedef attention_args_t amla_args_t;

static const bad_t cases[] = {
#define AMLA(field, v) BAD(amla, "attention_problem_impl.h", SET(amla, field, v))
    AMLA(batch, 0),
    AMLA(rows, 0),
    AMLA(group_rows, 0),
    AMLA(group_rows, 24),
    AMLA(group_rows, ATTENTION_MAX_GROUP + 16),
    AMLA(keys, 0),
    AMLA(dk, 0),
    AMLA(dk, ATTENTION_MAX_DK + 1),
    AMLA(dv, 0),
    AMLA(block, 0),
    AMLA(block, 24),
    AMLA(block, ATTENTION_MAX_BLOCK + 16),
    AMLA(splits, 0),
    AMLA(splits, 3),
    AMLA(o_pitch, 60),
    AMLA(preload, ATTENTION_SLOTS + 1),
    AMLA(tiling, TILING_COUNT),
    AMLA(kv_buffers, ATTENTION_MAX_KV_BUFFERS + 1),
    BAD(amla, "attention_problem_impl.h", SET(amla, dv, ATTENTION_MAX_DV + 1), SET(amla, o_pitch, 4096)),

#define FLASH(field, v) BAD(flash, "flash_units.c", SET(flash, field, v))
    FLASH(attention.dk, FLASH_MAX_DIM + 1),
    BAD(flash, "flash_units.c", SET(flash, attention.dv, FLASH_MAX_DIM + 1), SET(flash, attention.o_pitch, 2048)),
    FLASH(attention.group_rows, FLASH_GROUP + 16),
    FLASH(attention.visible, 64),
    FLASH(attention.tiling, TILING_SINGLE),
    FLASH(attention.kv_buffers, 2),
    FLASH(attention.qp_buffers, QP_SEPARATE),
    FLASH(seq_q, 0),
    FLASH(seq_q, 3),
    FLASH(kv_heads, 0),
    FLASH(kv_heads, 2),
    FLASH(causal, 1),
    FLASH(fp16, 2),
    FLASH(groups, 0),
    FLASH(groups, 2),
    FLASH(preload, FLASH_PRELOAD + 1),
    FLASH(behind, 0),
    FLASH(behind, FLASH_SLOTS),
    FLASH(behind, FLASH_SLOTS),
    BAD(flash, "flash_units.c", SET(flash, causal, 2), SET(flash, token, 64)),
    BAD(flash_more, "flash_units.c", SET(flash, table, 64)),
    BAD(flash, "flash_units.c", SET(flash, attention.batch, FLASH_MAX_LENGTHS + 1), SET(flash, has_lengths, 1)),

#define FP8(field, v) BAD(fp8, "fp8_units.c", SET(fp8, field, v))
    FP8(attention.batch, FP8_MAX_LISTS + 1),
    FP8(attention.dk, 512),
    FP8(attention.dv, 256),
    BAD(fp8, "fp8_units.c", SET(fp8, attention.splits, 2), SET(fp8, attention.keys, 32)),
    FP8(attention.visible, 64),
    FP8(heads, 0),
    FP8(query_tokens, 0),
    FP8(lists_of_entry, 0),
    FP8(crossover, 2),
    FP8(direct, 1),
    FP8(attention.tiling, TILING_SINGLE),
    FP8(attention.kv_buffers, 2),
    FP8(attention.qp_buffers, QP_SEPARATE),
    FP8(block_table, 64),
    BAD(fp8, "fp8_units.c", SET(fp8, index, 64), SET(fp8, block_table, 64), SET(fp8, page_size, 16)),
    BAD(fp8, "fp8_units.c", SET(fp8, index, 64), SET(fp8, causal, 1)),
    BAD(fp8, "fp8_units.c", SET(fp8, crossover, 1), SET(fp8, attention.rows, 1)),

#define GEMM(field, v) BAD(gemm, "gemm_problem.h", SET(gemm, field, v))
    GEMM(m, 0),
    GEMM(m, GEMM_MAX + 1),
    GEMM(n, 0),
    GEMM(k, 0),
    GEMM(type, TYPE_F32),
    GEMM(a, 1),
    GEMM(b, 1),
    GEMM(c, 2),
    GEMM(a_pitch, 33),
    GEMM(a_pitch, 30),
    GEMM(b_pitch, 30),
    GEMM(c_pitch, 66),
    GEMM(c_pitch, 60),
    BAD(gemm, "gemm_problem.h", SET(gemm, n, GEMM_MAX + 1), SET(gemm, b_pitch, 1 << 23), SET(gemm, c_pitch, 1 << 24)),
    BAD(gemm, "gemm_problem.h", SET(gemm, k, GEMM_MAX + 1), SET(gemm, a_pitch, 1 << 23)),

#define GEMM_FP16(field, v) BAD(gemm_fp16, "gemm_fp16.c", SET(gemm_fp16, field, v))
    GEMM_FP16(tile_cols, 24),
    GEMM_FP16(tile_cols, 272),
    GEMM_FP16(c_type, TYPE_BF16),

#define TILES(field, v) BAD(gemm_tiles, "gemm_tiles.", SET(gemm_tiles, field, v))
    TILES(product.m, 0),
    TILES(product.n, 0),
    TILES(product.k, 0),
    TILES(product.m, GEMM_MAX + 1),
    TILES(product.type, TYPE_F32),
    TILES(layout, GEMM_LAYOUTS),
    TILES(c_type, TYPE_S4),
    TILES(product.a, 1),
    TILES(product.b, 1),
    TILES(product.c, 2),
    TILES(product.a_pitch, 33),
    TILES(product.a_pitch, 30),
    TILES(product.b_pitch, 30),
    TILES(product.c_pitch, 66),
    TILES(product.c_pitch, 60),
    TILES(layout, GEMM_NZ),
    TILES(tile_rows, 0),
    TILES(tile_rows, 24),
    TILES(tile_rows, 272),
    TILES(tile_cols, 0),
    TILES(tile_cols, 24),
    TILES(tile_cols, 272),
    TILES(a_depth, 0),
    TILES(a_depth, 40),
    TILES(a_depth, GEMM_MAX_DEPTH + 16),
    TILES(b_depth, 0),
    TILES(b_depth, 48),
    TILES(a_slots, 1),
    TILES(b_slots, 1),
    TILES(splits, 0),
    TILES(splits, 17),
    TILES(band, 0),
    TILES(kept, 2),
    TILES(kept, GEMM_MAX_SLOTS + 1),
    BAD(gemm_tiles, "gemm_tiles.", SET(gemm_tiles, a_depth, 48), SET(gemm_tiles, b_depth, 32)),
    BAD(gemm_tiles, "gemm_tiles.", SET(gemm_tiles, splits, 2), SET(gemm_tiles, partial, 2)),
    BAD(gemm_tiles, "gemm_tiles.", SET(gemm_tiles, splits, 2), SET(gemm_tiles, partial_bytes, 2)),
    BAD(gemm_tiles, "gemm_tiles.", SET(gemm_tiles, splits, 2), SET(gemm_tiles, product.c_pitch, 128)),
    BAD(gemm_tiles, "gemm_tiles.", SET(gemm_tiles, a_depth, 4096), SET(gemm_tiles, tile_rows, 128)),  // more than L1

#define TILES_S8(field, v) BAD(gemm_tiles_s8, "gemm_tiles.", SET(gemm_tiles, field, v))
    TILES_S8(product.type, TYPE_F16),
    TILES_S8(product.a_pitch, 31),
    TILES_S8(c_type, TYPE_F16),
    TILES_S8(c_type, TYPE_F32),
    TILES_S8(scales, 64),
    TILES_S8(tile_cols, 48),
    TILES_S8(a_depth, 80),
    TILES_S8(b_depth, 16),
    TILES_S8(splits, 2),
    BAD(gemm_tiles_s8, "gemm_tiles.", SET(gemm_tiles, tile_rows, 128), SET(gemm_tiles, tile_cols, 224)),

#define W4A16(field, v) BAD(w4a16, "w4a16_problem_impl.h", SET(w4a16, field, v))
    W4A16(m, 0),
    W4A16(m, W4A16_MAX + 1),
    W4A16(n, 0),
    W4A16(n, 60),
    W4A16(n, W4A16_MAX + 8),
    W4A16(k, 0),
    W4A16(k, 96),
    W4A16(group, 0),
    W4A16(splits, 0),
    W4A16(splits, 2),
    W4A16(reduce, 2),
    W4A16(phases, W4A16_PHASES_COUNT),
    W4A16(tile_cols, 96),
    W4A16(dequant_rows, 0),
    W4A16(dequant_rows, 513),
    W4A16(zeros, W4A16_ZEROS_COUNT),
    W4A16(nibbles, TYPE_F16),
    W4A16(out_f32, 2),
    W4A16(a, 1),
    W4A16(b, 1),
    W4A16(scale, 1),
    W4A16(zero, 1),
    W4A16(c, 1),
    BAD(w4a16, "w4a16_problem_impl.h", SET(w4a16, out_f32, 1), SET(w4a16, c, 2)),
    BAD(w4a16, "w4a16_problem_impl.h", SET(w4a16, k, W4A16_MAX + 64)),
    BAD(w4a16, "w4a16_problem_impl.h", SET(w4a16, reduce, 1), SET(w4a16, splits, W4A16_MAX_SPLITS + 1),
        SET(w4a16, k, 128)),
    BAD(w4a16, "w4a16_problem_impl.h", SET(w4a16, reduce, 1), SET(w4a16, splits, 65)),
    BAD(w4a16, "w4a16_problem_impl.h", SET(w4a16, reduce, 1), SET(w4a16, partial, 2)),
    BAD(w4a16, "w4a16_problem_impl.h", SET(w4a16, reduce, 1), SET(w4a16, partial_bytes, 2)),
};

// --- a run -----------------------------------------------------------------------------------------------

typedef struct outcome {
  soc_status_t status;
  char error[SOC_ERROR_BYTES];
} outcome_t;

static const struct kernel *kernel_named(const char *name) {
  for (size_t i = 0; i < ARRAY_LEN(kernels); ++i) {
    if (strcmp(kernels[i].name, name) == 0) {
      return &kernels[i];
    }
  }
  return NULL;
}

static void run(const void *what, void *outcome) {
  const bad_t *bad = what;
  const struct kernel *kernel = kernel_named(bad->kernel);
  static _Alignas(64) uint8_t args[sizeof(fp8_args_t) + sizeof(flash_args_t)];
  outcome_t *o = outcome;
  memcpy(args, kernel->args, kernel->bytes);
  for (size_t i = 0; i < ARRAY_LEN(bad->change); ++i) {
    memcpy(args + bad->change[i].offset, &bad->change[i].value, bad->change[i].bytes);
  }
  char file[512];
  snprintf(file, sizeof file, "%s/%s.so", FIRMWARE_DIR, kernel->name);
  soc_options_t options = {.firmware = SOC_FIRMWARE_NATIVE, .firmware_file = file, .gm = SOC_GM_C, .threads = 1};
  soc_buffer_t buffer = {.name = "none", .bytes = 64};
  soc_place(&buffer, 1);
  soc_result_t result = {0};
  o->status = SOC_BAD_INPUT;
  base_error_t error;
  if (config_open("ascend910_core", &options.config, &error)) {
    soc_run(&options, &buffer, 1, args, kernel->bytes, &result);
    o->status = result.status;
    snprintf(o->error, sizeof o->error, "%s", result.error);
  }
}

// With good ones the run ends at the first array.
TEST(good_arguments_are_accepted) {
  for (size_t i = 0; i < ARRAY_LEN(kernels); ++i) {
    outcome_t outcome;
    assert_true(step_forked(run, &(bad_t){.kernel = kernels[i].name}, &outcome, sizeof outcome));
    if (outcome.status != SOC_STOPPED || strstr(outcome.error, "panic") != NULL) {
      fail_msg("%s: %s", kernels[i].name, outcome.error);
    }
  }
}

TEST(bad_arguments_are_named) {
  size_t wrong = 0;
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    outcome_t outcome;
    assert_true(step_forked(run, &cases[i], &outcome, sizeof outcome));
    if (outcome.status != SOC_STOPPED || strstr(outcome.error, "panic ARGUMENTS") == NULL ||
        strstr(outcome.error, cases[i].source) == NULL) {
      print_error("%s, offset %zu, %llu: %s\n", cases[i].kernel, cases[i].change[0].offset,
                  (unsigned long long)cases[i].change[0].value, outcome.error);
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
}
