// Lists of operations (kernel step) on a machine that steps in random order: products and attention that read what the
// operation before wrote, with cores that have nothing to do in some of them. Every order gives the bits of the
// contract's C loops, ends, leaves no flag up and has no race.
//   test_step_schedule [FIRMWARE]      a shared object in place of step_base.so and step_amla.so
// SPDX-License-Identifier: Apache-2.0
#include "hal/registers.h"
#include "kernels/step/step_args.h"
#include "firmware/schedule.h"
#include "num/golden/num_attention.h"
#include "num/num_format.h"
#include "num/product/num_matmul.h"
#include "num/num_rng.h"

enum {
  HIDDEN = 48,
  DK = 64,
  DV = 32,
  OUT = 48,
  BLOCK = 32,
  CORES = 2,
  TOP = 1,
  EXPERTS = 5,
  GM_BYTES = 1 << 20,
  SEEDS = 26
};

typedef struct shape {
  uint32_t rows, keys;
} shape_t;

// With 2 AI cores: a unit for each, or for one of them only.
static const shape_t shapes[] = {{16, 40}, {1, 100}, {37, 70}};

typedef struct problem {
  schedule_t schedule;
  step_entry_t *entries;
  step_args_t *args;
  uint64_t out, experts;  // what is compared
  uint32_t rows, slots;
  float *expected, *expected_experts;
} problem_t;

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  assert_non_null(memory);
  return memory;
}

static void *host(const problem_t *problem, uint64_t address) { return schedule_host(&problem->schedule, address); }

static uint64_t place(problem_t *problem, const char *name, uint64_t bytes, bool read_only) {
  const uint64_t address = schedule_place(&problem->schedule, name, bytes, read_only);
  assert_true(problem->schedule.machine.gm_bytes <= GM_BYTES);
  return address;
}

static uint64_t random_array(problem_t *problem, const char *name, num_rng_t *rng, size_t count) {
  const uint64_t address = place(problem, name, 2 * count, true);
  uint16_t *values = host(problem, address);
  for (size_t i = 0; i < count; ++i) {
    values[i] = num_bf16_from_f32((float)num_rng_normal(rng));
  }
  return address;
}

static void add(problem_t *problem, enum step_op op, const void *args, size_t bytes) {
  const uint64_t at = place(problem, "arguments", bytes, true);
  memcpy(host(problem, at), args, bytes);
  problem->entries[problem->args->count] = (step_entry_t){op, problem->args->count, at};
  problem->args->count++;
}

// One chain an element; weights [k][n] in strips.
static float *product(const problem_t *problem, const float *a, uint64_t weights, uint32_t m, uint32_t n, uint32_t k) {
  const uint16_t *strips = host(problem, weights);
  float *b = allocate((size_t)k * n, sizeof *b), *c = allocate((size_t)m * n, sizeof *c);
  for (size_t i = 0; i < (size_t)k * n; ++i) {
    const size_t p = i / n, j = i % n;
    b[i] = num_bf16_to_f32(strips[j / 16 * k * 16 + p * 16 + j % 16]);
  }
  num_matmul_ref(m, n, k, a, k, b, n, c, n, false);
  free(b);
  return c;
}

static uint16_t *narrow(const float *values, size_t count) {
  uint16_t *out = allocate(count, sizeof *out);
  for (size_t i = 0; i < count; ++i) {
    out[i] = num_bf16_from_f32(values[i]);
  }
  return out;
}

static float *widen(const uint16_t *values, size_t count) {
  float *out = allocate(count, sizeof *out);
  for (size_t i = 0; i < count; ++i) {
    out[i] = num_bf16_to_f32(values[i]);
  }
  return out;
}

static step_product_args_t product_args(uint64_t a, uint64_t b, uint64_t c, uint32_t m, uint32_t n, uint32_t k) {
  return (step_product_args_t){.a = a,
                               .b = b,
                               .c = c,
                               .a_pitch = 2 * k,
                               .c_pitch = 2 * n,
                               .groups = 1,
                               .m = m,
                               .n = n,
                               .k = k,
                               .type = TYPE_BF16,
                               .c_type = TYPE_BF16,
                               .tile_cols = 16};
}

// q = x W1; attention over kv, twice; out = o W2; and rows of experts.
static void problem_init(problem_t *problem, const char *firmware, const shape_t *s) {
  *problem = (problem_t){.schedule.gm = allocate(GM_BYTES, 1), .rows = s->rows};
  num_rng_t rng;
  num_rng_seed(&rng, s->rows);
  problem->args = host(problem, place(problem, "args", sizeof *problem->args, true));
  problem->args->entries = place(problem, "entries", 16 * sizeof(step_entry_t), true);
  problem->entries = host(problem, problem->args->entries);
  const uint64_t x = random_array(problem, "x", &rng, (size_t)s->rows * HIDDEN);
  const uint64_t w1 = random_array(problem, "w1", &rng, (size_t)HIDDEN * DK);
  const uint64_t kv = random_array(problem, "kv", &rng, (size_t)s->keys * DK);
  const uint64_t w2 = random_array(problem, "w2", &rng, (size_t)DV * OUT);
  const uint64_t w3 = random_array(problem, "w3", &rng, (size_t)EXPERTS * OUT * 16);
  const uint64_t chosen = place(problem, "chosen", 4ull * s->rows * TOP, true);
  int32_t *choice = host(problem, chosen);
  uint32_t of_expert[EXPERTS + 1] = {0};  // expert EXPERTS is elsewhere
  for (uint32_t i = 0; i < s->rows * TOP; ++i) {
    choice[i] = (int32_t)((i / TOP + 3 * (i % TOP)) % (EXPERTS + 1));
    of_expert[choice[i]]++;
  }
  problem->slots = s->rows * TOP - of_expert[EXPERTS];
  const step_routing_t routing = {chosen, s->rows, TOP, 0, EXPERTS};

  const uint64_t q = place(problem, "q", 2ull * s->rows * DK, false);
  const uint64_t o = place(problem, "o", 2ull * s->rows * DV, false);
  problem->out = place(problem, "out", 2ull * s->rows * OUT, false);
  problem->experts = place(problem, "experts", 4ull * (problem->slots + 1) * 16, false);
  const uint64_t slots = (uint64_t)CORES * ATTENTION_SLOTS * 16;
  attention_args_t attention = {.q = q,
                                .k = kv,
                                .v = kv,
                                .out = o,
                                .s = place(problem, "s", slots * BLOCK * 4, false),
                                .p = place(problem, "p", slots * BLOCK * 2, false),
                                .t = place(problem, "t", slots * 4 * DV, false),
                                .o = place(problem, "sums", slots * 4 * DV, false),
                                .k_pitch = 2 * DK,
                                .v_pitch = 2 * DK,
                                .o_pitch = 4 * DV,
                                .batch = 1,
                                .rows = s->rows,
                                .group_rows = 16,
                                .keys = s->keys,
                                .splits = 1,
                                .dk = DK,
                                .dv = DV,
                                .block = BLOCK,
                                .scale = num_f32_bits(0.125f),
                                .preload = 2};
  const uint64_t at = place(problem, "attention", sizeof attention, true);
  memcpy(host(problem, at), &attention, sizeof attention);
  const step_product_args_t first = product_args(x, w1, q, s->rows, DK, HIDDEN);
  const step_attention_args_t attend = {STEP_ATTENTION_PLAIN, at};
  const step_product_args_t last = product_args(o, w2, problem->out, s->rows, OUT, DV);
  step_product_args_t routed = product_args(problem->out, w3, problem->experts, s->rows, 16, OUT);
  routed.b_group = 2ull * OUT * 16;
  routed.c_pitch = 64;
  routed.c_type = TYPE_F32;
  routed.groups = EXPERTS;
  routed.routing = routing;
  add(problem, STEP_PRODUCT, &first, sizeof first);
  add(problem, STEP_ATTENTION, &attend, sizeof attend);
  add(problem, STEP_ATTENTION, &attend, sizeof attend);
  add(problem, STEP_PRODUCT, &last, sizeof last);
  add(problem, STEP_PRODUCT, &routed, sizeof routed);

  float *wide = widen(host(problem, x), (size_t)s->rows * HIDDEN);
  float *queries = product(problem, wide, w1, s->rows, DK, HIDDEN);
  uint16_t *narrow_q = narrow(queries, (size_t)s->rows * DK);
  float *attended = allocate((size_t)s->rows * DV, sizeof *attended);
  const num_attn_t attn = {.rows = s->rows,
                           .keys = s->keys,
                           .dk = DK,
                           .dv = DV,
                           .q = narrow_q,
                           .k = host(problem, kv),
                           .ldk = DK,
                           .v = host(problem, kv),
                           .ldv = DK,
                           .scale = 0.125f,
                           .block = BLOCK,
                           .splits = 1};
  const bool amla = strstr(firmware, "amla") != NULL;
  assert_int_equal(
      amla ? num_attn_amla(&attn, NUM_ISA_AUTO, 0, attended, NULL) : num_attn_base(&attn, NUM_ISA_AUTO, attended), 0);
  uint16_t *narrow_o = narrow(attended, (size_t)s->rows * DV);
  float *o_wide = widen(narrow_o, (size_t)s->rows * DV);
  problem->expected = product(problem, o_wide, w2, s->rows, OUT, DV);
  uint16_t *narrow_out = narrow(problem->expected, (size_t)s->rows * OUT);
  float *out_wide = widen(narrow_out, (size_t)s->rows * OUT);
  problem->expected_experts = allocate((size_t)problem->slots * 16, sizeof(float));
  for (uint32_t e = 0, slot = 0; e < EXPERTS; slot += of_expert[e++]) {
    float *c = product(problem, out_wide + (size_t)slot * OUT, w3 + e * routed.b_group, of_expert[e], 16, OUT);
    memcpy(problem->expected_experts + (size_t)slot * 16, c, (size_t)of_expert[e] * 16 * sizeof *c);
    free(c);
  }
  free(narrow_out);
  free(out_wide);
  free(wide);
  free(queries);
  free(narrow_q);
  free(attended);
  free(narrow_o);
  free(o_wide);
}

static size_t wrong_values(const void *of) {
  const problem_t *problem = of;
  const uint16_t *out = host(problem, problem->out);
  size_t wrong = memcmp(host(problem, problem->experts), problem->expected_experts, 64ull * problem->slots) != 0;
  for (size_t i = 0; i < (size_t)problem->rows * OUT; ++i) {
    wrong += out[i] != num_bf16_from_f32(problem->expected[i]);
  }
  return wrong;
}

static void every_order_of(const char *firmware) {
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    problem_t problem;
    problem_init(&problem, firmware, &shapes[i]);
    machine_options_t *machine = &problem.schedule.machine;
    machine->firmware = firmware;
    machine->ai_cores = CORES;
    schedule_every_order(&problem.schedule, SEEDS, i, wrong_values, &problem);
    machine->queue_depth = 1;
    schedule_every_order(&problem.schedule, SEEDS / 2, i, wrong_values, &problem);
    free(problem.schedule.gm);
    free(problem.expected);
    free(problem.expected_experts);
  }
}

static const char *given;  // or NULL

TEST(every_order) {
  if (given != NULL) {
    every_order_of(given);
    return;
  }
  every_order_of(FIRMWARE_DIR "/step_base.so");
  every_order_of(FIRMWARE_DIR "/step_amla.so");
}

int main(int argc, char **argv) {
  given = argc > 1 ? argv[1] : NULL;
  return test_run(NULL);
}
