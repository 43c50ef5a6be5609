// PRODUCT in lists: every bit as num_matmul has it, for ragged shapes, groups and experts without rows and with all of
// them; what the second product reads is what the first one wrote; marks. One process a run.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "test.h"
#include "hal/command.h"
#include "num/num_format.h"
#include "num/product/num_matmul.h"
#include "num/num_rng.h"
#include "step_list.h"

// ---- A product in arrays ----

typedef struct matrix {
  uint32_t rows, cols, pitch;  // bytes
  uint32_t type;
  uint8_t *data;
} matrix_t;

static uint32_t type_bytes(uint32_t type) { return type == TYPE_F32 ? 4 : 2; }

static float get(const matrix_t *m, size_t row, size_t col) {
  const uint8_t *at = m->data + row * m->pitch + col * type_bytes(m->type);
  uint32_t bits = 0;
  memcpy(&bits, at, type_bytes(m->type));
  return m->type == TYPE_F32    ? num_f32_from_bits(bits)
         : m->type == TYPE_BF16 ? num_bf16_to_f32((uint16_t)bits)
                                : num_fp16_to_f32((uint16_t)bits);
}

static void put(const matrix_t *m, size_t row, size_t col, float value) {
  const uint32_t bits = m->type == TYPE_F32    ? num_f32_bits(value)
                        : m->type == TYPE_BF16 ? num_bf16_from_f32(value)
                                               : num_fp16_from_f32(value);
  memcpy(m->data + row * m->pitch + col * type_bytes(m->type), &bits, type_bytes(m->type));
}

// 0xFF where nothing is put: NaN.
static matrix_t matrix(uint32_t rows, uint32_t cols, uint32_t pad, uint32_t type) {
  matrix_t m = {rows, cols, cols * type_bytes(type) + 32 * pad, type, NULL};
  m.data = step_allocate(rows, m.pitch);
  memset(m.data, 0xff, (size_t)rows * m.pitch);
  return m;
}

static void fill(const matrix_t *m, num_rng_t *rng) {
  for (size_t i = 0; i < m->rows; ++i) {
    for (size_t j = 0; j < m->cols; ++j) {
      put(m, i, j, ldexpf((float)num_rng_normal(rng), (int)(num_rng_u64(rng) % 8) - 6));
    }
  }
}

// [k][n] as strips of 16 columns.
static uint16_t *in_strips(const matrix_t *b) {
  uint16_t *strips = step_allocate((size_t)b->rows * b->cols, 2);
  for (size_t p = 0; p < b->rows; ++p) {
    for (size_t j = 0; j < b->cols; ++j) {
      memcpy(&strips[j / 16 * b->rows * 16 + p * 16 + j % 16], b->data + p * b->pitch + 2 * j, 2);
    }
  }
  return strips;
}

// Rows first .. first + rows - 1 of c = a b.
static void multiply(const matrix_t *a, const matrix_t *b, const matrix_t *c, size_t first, size_t rows) {
  float *wide[2] = {step_allocate(rows * a->cols, 4), step_allocate((size_t)b->rows * b->cols, 4)};
  float *sums = step_allocate(rows * b->cols, 4);
  for (size_t i = 0; i < rows * a->cols; ++i) {
    wide[0][i] = get(a, first + i / a->cols, i % a->cols);
  }
  for (size_t i = 0; i < (size_t)b->rows * b->cols; ++i) {
    wide[1][i] = get(b, i / b->cols, i % b->cols);
  }
  num_matmul_ref(rows, b->cols, b->rows, wide[0], a->cols, wide[1], b->cols, sums, b->cols, false);
  for (size_t i = 0; i < rows * b->cols; ++i) {
    put(c, first + i / b->cols, i % b->cols, sums[i]);
  }
  free(wide[0]);
  free(wide[1]);
  free(sums);
}

// ---- Cases ----

enum pattern { NO_ROUTING, SPREAD, ALL_TO_ONE, NONE_HERE, FEW };  // FEW: the odd experts have no rows

typedef struct product_case {
  uint32_t groups, m, k, hidden, n;  // [m][k] x [k][hidden] = h, then h x [hidden][n]; routed: m tokens
  uint32_t tile_cols;
  uint32_t pad;
  uint32_t type;
  enum pattern pattern;
  uint32_t experts, first;  // groups of them are here
  bool chosen_by_product;   // the list's first product writes the experts' numbers
} product_case_t;

enum { TOP = 16 };

typedef struct run_case {
  product_case_t what;
  step_machine_t machine;
} run_case_t;

typedef struct outcome {
  soc_status_t status;
  char error[SOC_ERROR_BYTES];
  size_t wrong;
  uint64_t cycles, commands;
  size_t marks;
  bool marks_good;
} outcome_t;

// TOP different experts a token.
static int32_t choice(const product_case_t *what, uint32_t token, uint32_t place) {
  switch (what->pattern) {
    case ALL_TO_ONE:  // and places beside it elsewhere
      return (int32_t)(place == token % TOP ? what->first + 1 : what->first + what->groups + place);
    case NONE_HERE:
      return (int32_t)(what->first + what->groups + place);
    case FEW:
      return (int32_t)((2 * (token + place)) % what->experts);
    default:
      return (int32_t)((token * 7 + place * 3) % what->experts);
  }
}

// Rows of gathered arrays by expert, then token, then place.
static uint32_t sort(const product_case_t *what, const int32_t *chosen, uint32_t *rows) {
  uint32_t slots = 0;
  for (uint32_t e = 0; e < what->groups; ++e) {
    rows[e] = 0;
    for (uint32_t i = 0; i < what->m * TOP; ++i) {
      rows[e] += chosen[i] == (int32_t)(what->first + e);
    }
    slots += rows[e];
  }
  return slots;
}

// Numbers as FP32 bits: 2^-100 x number 2^-49, added to by nothing.
static void add_chooser(step_list_t *list, const product_case_t *what, const int32_t *chosen, uint64_t to) {
  const uint32_t depth = (what->m + 15) / 16 * 16;
  const matrix_t a = matrix(what->m, depth, 0, TYPE_BF16);
  const matrix_t b = matrix(depth, TOP, 0, TYPE_BF16);
  for (uint32_t i = 0; i < depth; ++i) {
    for (uint32_t j = 0; j < TOP; ++j) {
      put(&b, i, j, i < what->m ? ldexpf((float)chosen[i * TOP + j], -49) : 0);
    }
    for (uint32_t j = 0; i < what->m && j < depth; ++j) {
      put(&a, i, j, i == j ? ldexpf(1, -100) : 0);
    }
  }
  const step_product_args_t args = {.a = step_list_input(list, "rows", a.data, (uint64_t)a.rows * a.pitch),
                                    .b = step_list_input(list, "numbers", in_strips(&b), 2ull * depth * TOP),
                                    .c = to,
                                    .a_pitch = a.pitch,
                                    .c_pitch = 4 * TOP,
                                    .groups = 1,
                                    .m = what->m,
                                    .n = TOP,
                                    .k = depth,
                                    .type = TYPE_BF16,
                                    .c_type = TYPE_F32,
                                    .tile_cols = 16};
  step_list_add(list, STEP_PRODUCT, &args, sizeof args);
}

// Results seen by the host at the marks: a product's result is there, and the next one's is not.
typedef struct seen {
  uint64_t address[2], bytes[2];
  const uint8_t *expected[2];
  uint32_t first;  // number of the first of them
  size_t wrong;
} seen_t;

static void on_mark(void *context, uint32_t number) {
  seen_t *seen = context;
  for (uint32_t i = 0; i < 2; ++i) {
    const uint8_t *now = step_list_bytes(seen->address[i]);
    const bool there = number >= seen->first + i;
    for (uint64_t at = 0; at < seen->bytes[i]; ++at) {
      seen->wrong += now[at] != (there ? seen->expected[i][at] : 0xff);
    }
  }
}

typedef struct weights {
  matrix_t *group;
  uint64_t address, bytes;  // of group 0; from group to group
} weights_t;

static weights_t make_weights(step_list_t *list, const char *name, const product_case_t *what, uint32_t k, uint32_t n,
                              num_rng_t *rng) {
  weights_t w = {step_allocate(what->groups, sizeof(matrix_t)), 0, 2ull * k * n + 512};
  uint8_t *all = step_allocate(what->groups, w.bytes);
  for (uint32_t g = 0; g < what->groups; ++g) {
    w.group[g] = matrix(k, n, 0, what->type);
    fill(&w.group[g], rng);
    uint16_t *strips = in_strips(&w.group[g]);
    memcpy(all + g * w.bytes, strips, 2ull * k * n);
    free(strips);
  }
  w.address = step_list_input(list, name, all, what->groups * w.bytes);
  return w;
}

static size_t differ(const matrix_t *expected, const uint8_t *found) {
  size_t wrong = 0;
  for (size_t i = 0; i < (size_t)expected->rows * expected->pitch; ++i) {
    wrong += expected->data[i] != found[i];
  }
  return wrong;
}

static void check_marks(const step_list_t *list, const soc_result_t *result, outcome_t *outcome) {
  outcome->marks = result->mark_count;
  outcome->marks_good = result->mark_count == list->count;
  for (size_t i = 0; i < result->mark_count; ++i) {
    const soc_mark_t *mark = &result->marks[i];
    const soc_mark_t *before = i == 0 ? mark : mark - 1;
    outcome->marks_good = outcome->marks_good && mark->number == i && mark->cycle <= result->cycles &&
                          (i == 0 || mark->cycle > before->cycle) && mark->traffic.l2_read >= before->traffic.l2_read &&
                          mark->flops >= before->flops;
  }
  outcome->marks_good = outcome->marks_good && result->marks[result->mark_count - 1].flops == result->flops;
}

static void run_child(const void *given, void *to) {
  const run_case_t *run = given;
  const product_case_t *what = &run->what;
  outcome_t *outcome = to;
  static step_list_t list;
  num_rng_t rng;
  num_rng_seed(&rng, what->m * 1000003ull + what->n * 1009ull + what->k);
  const bool routed = what->pattern != NO_ROUTING;
  int32_t *chosen = step_allocate(what->m * TOP, sizeof *chosen);
  uint32_t *rows = step_allocate(what->groups, sizeof *rows);
  uint32_t all = what->groups * what->m;
  step_list_open(&list);
  step_routing_t routing = {0};
  if (routed) {
    for (uint32_t i = 0; i < what->m * TOP; ++i) {
      chosen[i] = choice(what, i / TOP, i % TOP);
    }
    all = sort(what, chosen, rows);
    // With timing only the program goes by what the host wrote.
    const bool written = what->chosen_by_product && !run->machine.timing_only;
    routing = (step_routing_t){.chosen = step_list_numbers(&list, "chosen", written ? NULL : chosen,
                                                           4ull * what->m * TOP, !what->chosen_by_product),
                               .tokens = what->m,
                               .top = TOP,
                               .first = what->first,
                               .here = what->groups};
  } else {
    for (uint32_t g = 0; g < what->groups; ++g) {
      rows[g] = what->m;
    }
  }
  if (what->chosen_by_product) {
    add_chooser(&list, what, chosen, routing.chosen);
  }
  const matrix_t x = matrix(all + 1, what->k, what->pad, what->type);
  const matrix_t h = matrix(all + 1, what->hidden, what->pad, what->type);
  const matrix_t y = matrix(all + 1, what->n, what->pad, TYPE_F32);
  fill(&x, &rng);
  const weights_t up = make_weights(&list, "up", what, what->k, what->hidden, &rng);
  const weights_t down = make_weights(&list, "down", what, what->hidden, what->n, &rng);
  uint8_t *found[2] = {step_allocate(h.rows, h.pitch), step_allocate(y.rows, y.pitch)};
  const uint64_t x_at = step_list_input(&list, "x", x.data, (uint64_t)x.rows * x.pitch);
  const uint64_t h_at = step_list_output(&list, "h", found[0], (uint64_t)h.rows * h.pitch);
  const uint64_t y_at = step_list_output(&list, "y", found[1], (uint64_t)y.rows * y.pitch);
  const step_product_args_t first = {.a = x_at,
                                     .b = up.address,
                                     .c = h_at,
                                     .b_group = up.bytes,
                                     .a_group = what->m * x.pitch,
                                     .c_group = what->m * h.pitch,
                                     .a_pitch = x.pitch,
                                     .c_pitch = h.pitch,
                                     .groups = what->groups,
                                     .m = what->m,
                                     .n = what->hidden,
                                     .k = what->k,
                                     .type = what->type,
                                     .c_type = what->type,
                                     .tile_cols = what->tile_cols,
                                     .routing = routing};
  step_product_args_t second = first;
  second.a = h_at;
  second.b = down.address;
  second.c = y_at;
  second.b_group = down.bytes;
  second.a_group = first.c_group;
  second.c_group = what->m * y.pitch;
  second.a_pitch = h.pitch;
  second.c_pitch = y.pitch;
  second.n = what->n;
  second.k = what->hidden;
  second.c_type = TYPE_F32;
  step_list_add(&list, STEP_PRODUCT, &first, sizeof first);
  step_list_add(&list, STEP_PRODUCT, &second, sizeof second);
  for (uint32_t g = 0, row = 0; g < what->groups; row += rows[g++]) {
    multiply(&x, &up.group[g], &h, row, rows[g]);
    multiply(&h, &down.group[g], &y, row, rows[g]);
  }
  const bool timing = run->machine.timing_only;
  seen_t seen = {
      {h_at, y_at}, {(uint64_t)h.rows * h.pitch, (uint64_t)y.rows * y.pitch}, {h.data, y.data}, list.count - 2, 0};
  step_machine_t machine = run->machine;
  machine.on_mark = timing ? NULL : on_mark;
  machine.on_mark_context = &seen;
  soc_result_t result;
  outcome->status = step_list_run(&list, &machine, &result);
  memcpy(outcome->error, result.error, sizeof outcome->error);
  outcome->cycles = result.cycles;
  outcome->commands = step_commands(&result);
  if (outcome->status == SOC_DONE) {
    check_marks(&list, &result, outcome);
    outcome->wrong = timing ? 0 : seen.wrong + differ(&h, found[0]) + differ(&y, found[1]);
  }
}

static outcome_t run(const product_case_t *what, const step_machine_t *machine) {
  const run_case_t all = {*what, *machine};
  outcome_t outcome;
  assert_true(step_forked(run_child, &all, &outcome, sizeof outcome));
  return outcome;
}

static outcome_t run_well(const product_case_t *what, const step_machine_t *machine) {
  const outcome_t outcome = run(what, machine);
  if (outcome.status != SOC_DONE || outcome.wrong > 0 || !outcome.marks_good) {
    printf("%s: %u x %u x %u x %u x %u, columns %u, pattern %d, %u cores: %zu bytes wrong, %zu marks, %s\n",
           machine->firmware, what->groups, what->m, what->k, what->hidden, what->n, what->tile_cols,
           (int)what->pattern, machine->cores, outcome.wrong, outcome.marks, outcome.error);
    fail();
  }
  return outcome;
}

static const struct {
  product_case_t what;
  unsigned cores;
} cases[] = {
    // groups, m, k, hidden, n, columns
    {{1, 1, 16, 16, 16, 16, .type = TYPE_F16}, 0},
    {{1, 1, 1024, 512, 48, 256, .type = TYPE_F16}, 0},
    {{1, 2, 304, 208, 96, 64, .type = TYPE_BF16, .pad = 1}, 3},
    {{3, 5, 80, 272, 176, 112, .type = TYPE_F16, .pad = 3}, 2},
    {{2, 16, 576, 144, 512, 128, .type = TYPE_BF16}, 5},
    {{1, 200, 336, 400, 80, 128, .type = TYPE_F16, .pad = 2}, 4},
    {{2, 130, 48, 304, 160, 240, .type = TYPE_F16}, 0},
    {{8, 16, 64, 64, 64, 32, .type = TYPE_F16, .pattern = SPREAD, .experts = 24, .first = 8}, 4},
    {{4, 37, 96, 112, 64, 128, .type = TYPE_F16, .pattern = ALL_TO_ONE, .experts = 24, .first = 2, .pad = 1}, 3},
    {{6, 9, 64, 32, 48, 64, .type = TYPE_F16, .pattern = NONE_HERE, .experts = 24}, 2},
    {{18, 140, 32, 48, 32, 256, .type = TYPE_BF16, .pattern = FEW, .experts = 40, .first = 1}, 0},
    {{16, 5, 80, 96, 64, 64, .type = TYPE_F16, .pattern = SPREAD, .experts = 32, .first = 4, .chosen_by_product = true},
     0},
    {{16, 30, 80, 96, 64, 64, .type = TYPE_F16, .pattern = SPREAD, .experts = 32, .first = 4,
      .chosen_by_product = true},
     7},
};

// RV64 and native firmware push the same commands.
TEST(every_bit) {
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    const step_machine_t riscv = {.firmware = "step_amla.elf", .cores = cases[i].cores};
    const step_machine_t native = {.firmware = "step_amla.so", .cores = cases[i].cores, .threads = 3};
    const outcome_t a = run_well(&cases[i].what, &riscv);
    const outcome_t b = run_well(&cases[i].what, &native);
    assert_int_equal(a.commands, b.commands);
  }
}

// Neither the host's threads nor the values change a cycle; a queue may be as short as one command.
TEST(cycles_repeat) {
  for (size_t i = 0; i < ARRAY_LEN(cases); i += 3) {
    const step_machine_t riscv = {.firmware = "step_base.elf", .cores = cases[i].cores};
    step_machine_t other = riscv;
    other.threads = 3;
    const uint64_t cycles = run_well(&cases[i].what, &riscv).cycles;
    assert_int_equal(run_well(&cases[i].what, &other).cycles, cycles);
    other.timing_only = true;
    assert_int_equal(run_well(&cases[i].what, &other).cycles, cycles);
    other.timing_only = false;
    other.queue_depth = 1;
    assert_true(run_well(&cases[i].what, &other).cycles >= cycles);
  }
}

TEST(whole_chip) {
  const step_machine_t machine = {.firmware = "step_fp8.so", .config = "ascend910", .threads = 2};
  run_well(&cases[ARRAY_LEN(cases) - 1].what, &machine);
}
