// Messages of an operation of a list about an argument outside of its limits: that it is, and in which file. The same
// operation with good ones runs to its end.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "hal/command.h"
#include "step_list.h"

enum { ARRAY_BYTES = 64 << 10, ARGS_MAX = 512 };

typedef struct bad {
  enum step_op op;
  size_t offset;       // of a uint32_t of its arguments
  uint32_t value;      // which is outside of its limits, whatever the others are
  const char *source;  // that says so
} bad_t;

#define BAD(NAME, name, field, value, source) \
  { STEP_##NAME, offsetof(step_##name##_args_t, field), value, source }
static const bad_t cases[] = {
    BAD(SWIGLU, swiglu, cols, 0, "swiglu.c"),
    BAD(SWIGLU, swiglu, cols, 8, "swiglu.c"),
    BAD(SWIGLU, swiglu, cols, 24, "swiglu.c"),
    BAD(GATHER, gather, cols, 0, "gather.c"),
    BAD(GATHER, gather, cols, 32769, "gather.c"),  // more than a slot of UB
    BAD(COMBINE, combine, cols, 0, "combine.c"),
    BAD(ARGMAX, argmax, rows, 0, "argmax.c"),
    BAD(ARGMAX, argmax, cols, 0, "argmax.c"),
    BAD(ARGMAX, argmax, cols, (1 << 24) + 1, "argmax.c"),
    BAD(CACHE, cache, tokens, 0, "cache.c"),
    BAD(CACHE, cache, tokens_of_entry, 0, "cache.c"),
    BAD(CACHE, cache, latent, 0, "cache.c"),
    BAD(CACHE, cache, latent, 24, "cache.c"),
    BAD(CACHE, cache, latent, 1024, "cache.c"),  // with rope
    BAD(CACHE, cache, rope, 0, "cache.c"),
    BAD(CACHE, cache, rope, 24, "cache.c"),
    BAD(CACHE, cache, kind, 3, "cache.c"),
    BAD(CACHE, cache, kind, STEP_CACHE_FP8, "cache.c"),  // of other columns than 512 + 64
    BAD(PRODUCT, product, m, 0, "product_impl.h"),
    BAD(PRODUCT, product, n, 0, "product_impl.h"),
    BAD(PRODUCT, product, n, 24, "product_impl.h"),
    BAD(PRODUCT, product, k, 0, "product_impl.h"),
    BAD(PRODUCT, product, k, 24, "product_impl.h"),
    BAD(PRODUCT, product, tile_cols, 0, "product_impl.h"),
    BAD(PRODUCT, product, tile_cols, 24, "product_impl.h"),
    BAD(PRODUCT, product, tile_cols, 272, "product_impl.h"),
    BAD(PRODUCT, product, type, TYPE_F32, "product_impl.h"),
    BAD(PRODUCT, product, c_type, TYPE_S4, "product_impl.h"),
    BAD(PRODUCT, product, groups, 2, "product_impl.h"),  // routing has one
    BAD(W4A16, w4a16, groups, 0, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, groups, STEP_MAX_EXPERTS + 1, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, groups, 2, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, product.phases, W4A16_SEQUENTIAL, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, product.reduce, 1, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, a_pitch, 126, "step_w4a16_problem.c"),  // 64 columns need 128
    BAD(W4A16, w4a16, a_pitch, 129, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, c_pitch, 126, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, c_pitch, 129, "step_w4a16_problem.c"),
    BAD(W4A16, w4a16, product.n, 0, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.n, 60, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.k, 0, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.k, 96, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.group, 0, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.splits, 0, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.splits, 2, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.tile_cols, 96, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.dequant_rows, 0, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.dequant_rows, 513, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.zeros, W4A16_ZEROS_COUNT, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.nibbles, TYPE_F16, "w4a16_problem_impl.h"),
    BAD(W4A16, w4a16, product.out_f32, 2, "w4a16_problem_impl.h"),
    BAD(PRODUCT_S8, product_s8, n, 16, "product_impl.h"),
    BAD(PRODUCT_S8, product_s8, k, 16, "product_impl.h"),
    BAD(PRODUCT_S8, product_s8, tile_cols, 16, "product_impl.h"),
    BAD(PRODUCT_S8, product_s8, type, TYPE_F16, "product_impl.h"),
    BAD(PRODUCT_S8, product_s8, c_type, TYPE_F32, "product_impl.h"),
    BAD(QUANTISE, quantise, cols, 0, "quantise.c"),
    BAD(QUANTISE, quantise, cols, 16, "quantise.c"),
    BAD(QUANTISE, quantise, type, TYPE_F32, "quantise.c"),
    BAD(DEQUANTISE, dequantise, cols, 0, "dequantise.c"),
    BAD(DEQUANTISE, dequantise, cols, 24, "dequantise.c"),
    BAD(DEQUANTISE, dequantise, c_type, TYPE_S32, "dequantise.c"),
    BAD(PACK, pack, cols, 16, "cache8.c"),
    BAD(PACK, pack, cols, STEP_MAX_HEAD + 32, "cache8.c"),
    BAD(PACK, pack, type, TYPE_F16, "cache8.c"),
    BAD(PACK, pack, run, 0, "cache8.c"),
    BAD(PACK, pack, run, 3, "cache8.c"),
    BAD(UNPACK, unpack, cols, 0, "cache8.c"),
    BAD(UNPACK, unpack, type, TYPE_BF16, "cache8.c"),
    BAD(UNPACK, unpack, run, 0, "cache8.c"),
    BAD(UNPACK, unpack, runs, 0, "cache8.c"),
    BAD(ATTENTION, attention, kind, STEP_ATTENTION_FP8, "step_problem.h"),  // in firmware that has the other one
};
#undef BAD

static const int32_t chosen[16];  // every token chooses expert 0

typedef union any_args {
#define STEP_OP(NAME, name, cores, text) step_##name##_args_t name;
#include "kernels/step/step_ops.def"
#undef STEP_OP
  uint8_t bytes[ARGS_MAX];
} any_args_t;

// Arguments that hold, of one token or row, with arrays in the list.
static any_args_t good(step_list_t *list, enum step_op op) {
  static uint8_t zeros[ARRAY_BYTES];
  const uint64_t in = step_list_input(list, "in", zeros, ARRAY_BYTES),
                 more = step_list_input(list, "more", zeros, ARRAY_BYTES);
  const uint64_t out = step_list_output(list, "out", NULL, ARRAY_BYTES),
                 room = step_list_output(list, "room", NULL, 1 << 20);
  const step_routing_t one = {step_list_numbers(list, "chosen", chosen, sizeof chosen, true), 1, 1, 0, 1};
  any_args_t args = {.bytes = {0}};
  switch (op) {
    case STEP_SWIGLU:
      args.swiglu = (step_swiglu_args_t){
          .in = in, .out = out, .rows = 1, .cols = 16, .in_pitch = 64, .out_pitch = 32, .type = TYPE_F16};
      break;
    case STEP_GATHER:
      args.gather = (step_gather_args_t){.x = in, .out = out, .cols = 16, .pitch = 32, .routing = one};
      break;
    case STEP_COMBINE:
      args.combine = (step_combine_args_t){.y = in, .weights = more, .out = out, .cols = 16, .routing = one};
      break;
    case STEP_ARGMAX:
      args.argmax = (step_argmax_args_t){.x = in, .out = out, .rows = 1, .cols = 16, .pitch = 64};
      break;
    case STEP_CACHE:
      args.cache = (step_cache_args_t){.kv = in,
                                       .weight = more,
                                       .angles = more,
                                       .cache = out,
                                       .batch_bytes = 64,
                                       .tokens = 1,
                                       .tokens_of_entry = 1,
                                       .latent = 16,
                                       .rope = 16,
                                       .kv_pitch = 128,
                                       .place_bytes = 64};
      break;
    case STEP_PRODUCT:
      args.product = (step_product_args_t){.a = in,
                                           .b = more,
                                           .c = out,
                                           .a_pitch = 32,
                                           .c_pitch = 64,
                                           .groups = 1,
                                           .m = 1,
                                           .n = 16,
                                           .k = 16,
                                           .type = TYPE_F16,
                                           .c_type = TYPE_F32,
                                           .tile_cols = 16,
                                           .routing = one};
      break;
    case STEP_PRODUCT_S8:
      args.product_s8 = (step_product_s8_args_t){.a = in,
                                                 .b = more,
                                                 .c = out,
                                                 .a_pitch = 32,
                                                 .c_pitch = 128,
                                                 .groups = 1,
                                                 .m = 1,
                                                 .n = 32,
                                                 .k = 32,
                                                 .type = TYPE_S8,
                                                 .c_type = TYPE_S32,
                                                 .tile_cols = 32,
                                                 .routing = one};
      break;
    case STEP_QUANTISE:
      args.quantise = (step_quantise_args_t){
          .x = in, .out = out, .scale = room, .cols = 32, .x_pitch = 64, .type = TYPE_F16, .routing = one};
      break;
    case STEP_DEQUANTISE:
      args.dequantise = (step_dequantise_args_t){.sums = in,
                                                 .scale = more,
                                                 .columns = more,
                                                 .c = out,
                                                 .cols = 16,
                                                 .sums_pitch = 64,
                                                 .c_pitch = 64,
                                                 .routing = one};
      break;
    case STEP_PACK:
      args.pack = (step_pack_args_t){.x = in,
                                     .out = out,
                                     .scale = room,
                                     .out_run = 32,
                                     .scale_run = 4,
                                     .groups = 1,
                                     .rows = 2,
                                     .run = 1,
                                     .cols = 32,
                                     .type = TYPE_S8};
      break;
    case STEP_UNPACK:
      args.unpack = (step_unpack_args_t){
          .x = in, .scale = more, .out = out, .groups = 1, .runs = 1, .run = 2, .cols = 32, .type = TYPE_E4M3};
      break;
    default:
      args.w4a16 = (step_w4a16_args_t){.product = {.a = in,
                                                   .w = more,
                                                   .scale = more,
                                                   .c = out,
                                                   .b = room,
                                                   .m = 1,
                                                   .n = 64,
                                                   .k = 64,
                                                   .group = 64,
                                                   .splits = 1,
                                                   .tile_cols = 64,
                                                   .dequant_rows = 32,
                                                   .phases = W4A16_OVERLAPPED,
                                                   .nibbles = TYPE_S4},
                                       .groups = 1,
                                       .routing = one};
  }
  return args;
}

typedef struct outcome {
  soc_status_t status;
  char error[SOC_ERROR_BYTES];
} outcome_t;

static void run(const void *what, void *outcome) {
  const bad_t *bad = what;
  static step_list_t list;
  step_list_open(&list);
  any_args_t args = good(&list, bad->op);
  if (bad->source != NULL) {
    memcpy(args.bytes + bad->offset, &bad->value, sizeof bad->value);
  }
  step_list_add(&list, bad->op, &args, sizeof args);
  soc_result_t result = {0};
  outcome_t *o = outcome;
  o->status = step_list_run(&list, &(step_machine_t){.firmware = "step_amla.so"}, &result);
  snprintf(o->error, sizeof o->error, "%s", result.error);
}

TEST(bad_arguments_are_named) {
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    outcome_t outcome;
    assert_true(step_forked(run, &cases[i], &outcome, sizeof outcome));
    if (outcome.status != SOC_STOPPED || strstr(outcome.error, "panic ARGUMENTS") == NULL ||
        strstr(outcome.error, cases[i].source) == NULL) {
      fail_msg("op %d, offset %zu, %u: %s", (int)cases[i].op, cases[i].offset, cases[i].value,
               outcome.status == SOC_DONE ? "accepted" : outcome.error);
    }
  }
}

TEST(good_arguments_run) {
  static const enum step_op ops[] = {STEP_SWIGLU,   STEP_GATHER,     STEP_COMBINE, STEP_ARGMAX,
                                     STEP_CACHE,    STEP_PRODUCT,    STEP_W4A16,   STEP_PRODUCT_S8,
                                     STEP_QUANTISE, STEP_DEQUANTISE, STEP_PACK,    STEP_UNPACK};
  for (size_t i = 0; i < ARRAY_LEN(ops); ++i) {
    outcome_t outcome;
    assert_true(step_forked(run, &(bad_t){.op = ops[i]}, &outcome, sizeof outcome));
    assert_string_equal(outcome.error, "");
    assert_int_equal(outcome.status, SOC_DONE);
  }
}
