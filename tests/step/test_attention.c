// ATTENTION in lists: several problems one after the other in the same workspaces, one of them twice, and a product for
// each head of what came out; every bit as the contract's C loops have it. One process a run.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "test.h"
#include "firmware/fp8_case.h"
#include "hal/command.h"
#include "num/golden/num_attention.h"
#include "num/num_format.h"
#include "num/num_rng.h"
#include "step_list.h"

enum { MAX_CORES = 8, HEAD_COLS = 32, PROBLEMS = 4 };

typedef struct outcome {
  soc_status_t status;
  char error[SOC_ERROR_BYTES];
  size_t wrong;
  uint64_t cycles, commands;
} outcome_t;

static uint16_t *random_bf16(num_rng_t *rng, size_t count, double sigma) {
  uint16_t *values = step_allocate(count, sizeof *values);
  for (size_t i = 0; i < count; ++i) {
    values[i] = num_bf16_from_f32((float)(sigma * num_rng_normal(rng)));
  }
  return values;
}

// ---- base and amla ----

// Token t of an entry sees keys 0 .. past + t.
typedef struct shape {
  uint32_t batch, tokens, heads, past, dk, dv, group, splits;
  bool causal;
} shape_t;

typedef struct plain_case {
  shape_t shape[3];  // the first one comes twice
  unsigned cores;
} plain_case_t;

typedef struct plain_run {
  plain_case_t what;
  step_machine_t machine;
  bool amla;
} plain_run_t;

typedef struct problem {
  shape_t shape;
  uint32_t rows, keys;
  uint16_t *q, *kv, *out;
  uint8_t *visible, *bits;  // a byte, a bit a key
  uint64_t out_at;
  attention_args_t args;
} problem_t;

static void make_mask(problem_t *problem) {
  const shape_t *s = &problem->shape;
  const uint32_t pitch = (problem->keys + 7) / 8;
  problem->visible = step_allocate((size_t)problem->rows * problem->keys, 1);
  problem->bits = step_allocate((size_t)problem->rows * pitch, 1);
  for (uint32_t row = 0; row < problem->rows; ++row) {
    for (uint32_t key = 0; key <= s->past + row / s->heads; ++key) {
      problem->visible[(size_t)row * problem->keys + key] = 1;
      problem->bits[row * pitch + key / 8] |= (uint8_t)(1u << key % 8);
    }
  }
}

static problem_t make_problem(step_list_t *list, const shape_t *s, const attention_args_t *work, num_rng_t *rng) {
  problem_t p = {.shape = *s, .rows = s->tokens * s->heads, .keys = s->past + s->tokens};
  const size_t q_count = (size_t)s->batch * p.rows * s->dk, kv_count = (size_t)s->batch * p.keys * s->dk;
  const size_t out_bytes = (size_t)s->batch * p.rows * s->dv * 2;
  p.q = random_bf16(rng, q_count, 2);
  p.kv = random_bf16(rng, kv_count, 1);
  p.out = step_allocate(out_bytes, 1);
  p.args = *work;
  p.args.q = step_list_input(list, "q", p.q, 2 * q_count);
  p.args.k = p.args.v = step_list_input(list, "kv", p.kv, 2 * kv_count);
  p.args.out = step_list_output(list, "out", p.out, out_bytes);
  p.args.k_batch = p.args.v_batch = 2ull * p.keys * s->dk;
  p.args.k_pitch = p.args.v_pitch = 2 * s->dk;
  p.args.o_pitch = (4 * s->dv + 63) / 64 * 64;
  p.args.batch = s->batch;
  p.args.rows = p.rows;
  p.args.group_rows = s->group;
  p.args.keys = p.keys;
  p.args.splits = s->splits;
  p.args.dk = s->dk;
  p.args.dv = s->dv;
  p.args.block = 512;
  p.args.scale = num_f32_bits(0.125f);
  p.args.cycles = (attention_cycles_t){{s->past % 5, s->past % 3}, {s->past % 7, s->past % 2}};
  p.args.preload = 2;
  p.args.rescale = RESCALE_ROW;
  p.args.tiling = TILING_PAPER;
  if (s->causal) {
    make_mask(&p);
    p.args.visible_pitch = (p.keys + 7) / 8;
    p.args.visible = step_list_input(list, "visible", p.bits, (uint64_t)p.rows * p.args.visible_pitch);
  }
  return p;
}

static attention_args_t workspaces(step_list_t *list) {
  const uint64_t slots = (uint64_t)MAX_CORES * ATTENTION_SLOTS * ATTENTION_MAX_GROUP;
  return (attention_args_t){.s = step_list_output(list, "s", NULL, slots * 512 * 4),
                            .p = step_list_output(list, "p", NULL, slots * 512 * 2),
                            .t = step_list_output(list, "t", NULL, slots * 512 * 4),
                            .o = step_list_output(list, "o", NULL, slots * 512 * 4),
                            .split_o = step_list_output(list, "split_o", NULL, 64ull * 256 * 512 * 4),
                            .split_ml = step_list_output(list, "split_ml", NULL, 64ull * 256 * 8)};
}

static void attend(step_list_t *list, const attention_args_t *args) {
  const step_attention_args_t entry = {STEP_ATTENTION_PLAIN, step_list_args(list, args, sizeof *args)};
  step_list_add(list, STEP_ATTENTION, &entry, sizeof entry);
}

static uint16_t *expected(const problem_t *p, bool amla) {
  const shape_t *s = &p->shape;
  const size_t entry = (size_t)p->rows * s->dv;
  float *wide = step_allocate(entry, sizeof *wide);
  uint16_t *out = step_allocate(s->batch * entry, sizeof *out);
  for (uint32_t b = 0; b < s->batch; ++b) {
    const uint16_t *kv = p->kv + (size_t)b * p->keys * s->dk;
    const num_attn_t attn = {.rows = p->rows,
                             .keys = p->keys,
                             .dk = s->dk,
                             .dv = s->dv,
                             .q = p->q + (size_t)b * p->rows * s->dk,
                             .k = kv,
                             .ldk = s->dk,
                             .v = kv,
                             .ldv = s->dk,
                             .visible = p->visible,
                             .scale = 0.125f,
                             .block = 512,
                             .splits = s->splits};
    const int status =
        amla ? num_attn_amla(&attn, NUM_ISA_AUTO, 0, wide, NULL) : num_attn_base(&attn, NUM_ISA_AUTO, wide);
    assert_int_equal(status, 0);
    for (size_t i = 0; i < entry; ++i) {
      out[b * entry + i] = num_bf16_from_f32(wide[i]);
    }
  }
  free(wide);
  return out;
}

static size_t differ(const uint16_t *a, const uint16_t *b, size_t count) {
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    wrong += a[i] != b[i];
  }
  return wrong;
}

// The result, by a product a head: the head's columns of every token x its weights [dv][HEAD_COLS].
typedef struct heads {
  uint16_t *weights, *found;  // weights in strips
} heads_t;

static heads_t add_heads(step_list_t *list, const problem_t *p, uint64_t out, num_rng_t *rng) {
  const shape_t *s = &p->shape;
  const uint32_t tokens = s->batch * s->tokens;
  heads_t heads = {random_bf16(rng, (size_t)s->heads * s->dv * HEAD_COLS, 1),
                   step_allocate((size_t)tokens * s->heads * HEAD_COLS, 2)};
  const step_product_args_t args = {
      .a = out,
      .b = step_list_input(list, "heads", heads.weights, 2ull * s->heads * s->dv * HEAD_COLS),
      .c = step_list_output(list, "values", heads.found, 2ull * tokens * s->heads * HEAD_COLS),
      .b_group = 2ull * s->dv * HEAD_COLS,
      .a_group = 2 * s->dv,
      .c_group = 2 * HEAD_COLS,
      .a_pitch = 2 * s->heads * s->dv,
      .c_pitch = 2 * s->heads * HEAD_COLS,
      .groups = s->heads,
      .m = tokens,
      .n = HEAD_COLS,
      .k = s->dv,
      .type = TYPE_BF16,
      .c_type = TYPE_F16,
      .tile_cols = 32};
  step_list_add(list, STEP_PRODUCT, &args, sizeof args);
  return heads;
}

static size_t wrong_heads(const heads_t *heads, const shape_t *s, const uint16_t *out) {
  size_t wrong = 0;
  for (size_t i = 0; i < (size_t)s->batch * s->tokens * s->heads * HEAD_COLS; ++i) {
    const size_t column = i % HEAD_COLS, row = i / HEAD_COLS, head = row % s->heads;
    const uint16_t *weights = heads->weights + head * s->dv * HEAD_COLS + column / 16 * s->dv * 16 + column % 16;
    float sum = 0;
    for (size_t p = 0; p < s->dv; ++p) {
      sum = fmaf(num_bf16_to_f32(out[row * s->dv + p]), num_bf16_to_f32(weights[p * 16]), sum);
    }
    wrong += num_fp16_from_f32(sum) != heads->found[i];
  }
  return wrong;
}

static void run_plain(const void *given, void *to) {
  const plain_run_t *run = given;
  outcome_t *outcome = to;
  static step_list_t list;
  problem_t problem[PROBLEMS];
  num_rng_t rng;
  num_rng_seed(&rng, 22);
  step_list_open(&list);
  const attention_args_t work = workspaces(&list);
  for (size_t i = 0; i < PROBLEMS; ++i) {
    if (i < 3) {
      problem[i] = make_problem(&list, &run->what.shape[i], &work, &rng);
    } else {
      problem[i] = problem[0];
      const size_t bytes = 2ull * problem[0].shape.batch * problem[0].rows * problem[0].shape.dv;
      problem[i].out = step_allocate(bytes, 1);
      problem[i].args.out = step_list_output(&list, "again", problem[i].out, bytes);
    }
    attend(&list, &problem[i].args);
  }
  const heads_t heads = add_heads(&list, &problem[3], problem[3].args.out, &rng);
  soc_result_t result;
  outcome->status = step_list_run(&list, &run->machine, &result);
  memcpy(outcome->error, result.error, sizeof outcome->error);
  outcome->cycles = result.cycles;
  outcome->commands = step_commands(&result);
  for (size_t i = 0; outcome->status == SOC_DONE && !run->machine.timing_only && i < PROBLEMS; ++i) {
    const size_t count = (size_t)problem[i].shape.batch * problem[i].rows * problem[i].shape.dv;
    uint16_t *right = expected(&problem[i], run->amla);
    outcome->wrong += differ(right, problem[i].out, count);
    outcome->wrong += i == 3 ? wrong_heads(&heads, &problem[i].shape, right) : 0;
    free(right);
  }
}

static const plain_case_t plain_cases[] = {
    // batch, tokens, heads, past, dk, dv, group, splits, causal
    {{{2, 2, 16, 600, 576, 512, 256, 1, true},
      {1, 1, 16, 39, 64, 48, 256, 1, false},
      {1, 19, 16, 1100, 96, 64, 128, 2, false}},
     0},
    {{{3, 5, 8, 0, 96, 64, 256, 1, true},
      {2, 1, 128, 1300, 64, 48, 64, 2, false},
      {5, 1, 16, 10, 64, 64, 256, 1, false}},
     3},
    {{{1, 40, 2, 600, 80, 64, 32, 2, true},
      {9, 1, 16, 520, 64, 32, 256, 1, false},
      {1, 1, 1, 0, 16, 16, 256, 1, false}},
     5},
};

static outcome_t run_well(void (*child)(const void *, void *), const void *run, const char *firmware, size_t number) {
  outcome_t outcome;
  assert_true(step_forked(child, run, &outcome, sizeof outcome));
  if (outcome.status != SOC_DONE || outcome.wrong > 0) {
    printf("%s, case %zu: %zu values wrong, %s\n", firmware, number, outcome.wrong, outcome.error);
    fail();
  }
  return outcome;
}

static void plain(const char *kernel, bool amla) {
  for (size_t i = 0; i < ARRAY_LEN(plain_cases); ++i) {
    char elf[32], so[32];
    snprintf(elf, sizeof elf, "%s.elf", kernel);
    snprintf(so, sizeof so, "%s.so", kernel);
    plain_run_t run = {plain_cases[i], {.firmware = elf, .cores = plain_cases[i].cores}, amla};
    const outcome_t a = run_well(run_plain, &run, elf, i);
    run.machine.threads = 3;
    run.machine.firmware = so;
    const outcome_t b = run_well(run_plain, &run, so, i);
    assert_int_equal(a.commands, b.commands);
    run.machine.timing_only = true;
    assert_int_equal(run_well(run_plain, &run, so, i).cycles, b.cycles);
  }
}

TEST(base_in_lists) { plain("step_base", false); }

TEST(amla_in_lists) { plain("step_amla", true); }

// ---- fp8 ----

typedef struct fp8_run {
  fp8_shape_t shape[2];  // the first one comes twice
  step_machine_t machine;
} fp8_run_t;

typedef struct fp8_problem {
  fp8_case_t problem;
  void *out, *lse;
} fp8_problem_t;

static void add_fp8(step_list_t *list, fp8_problem_t *p, const fp8_shape_t *shape, unsigned cores) {
  fp8_shape_t s = *shape;
  s.cores = cores == 0 ? 1 : cores;
  fp8_case_init(&p->problem, s, 1);
  p->out = step_allocate(p->problem.array[FP8_OUT].bytes, 1);
  p->lse = step_allocate(p->problem.array[FP8_LSE].bytes, 1);
  for (int i = 0; i < FP8_ARRAYS; ++i) {
    fp8_array_t *a = &p->problem.array[i];
    if (a->bytes == 0) {
      continue;
    }
    a->address = a->numbers        ? step_list_numbers(list, a->name, a->data, a->bytes, true)
                 : a->data != NULL ? step_list_input(list, a->name, a->data, a->bytes)
                                   : step_list_output(list, a->name,
                                                      i == FP8_OUT   ? p->out
                                                      : i == FP8_LSE ? p->lse
                                                                     : NULL,
                                                      a->bytes);
  }
  fp8_case_args(&p->problem);
  const step_attention_args_t entry = {STEP_ATTENTION_FP8,
                                       step_list_args(list, &p->problem.args, fp8_args_bytes(p->problem.lists))};
  step_list_add(list, STEP_ATTENTION, &entry, sizeof entry);
}

static void run_fp8(const void *given, void *to) {
  const fp8_run_t *run = given;
  outcome_t *outcome = to;
  static step_list_t list;
  static fp8_problem_t problem[3];
  step_list_open(&list);
  for (size_t i = 0; i < ARRAY_LEN(problem); ++i) {
    add_fp8(&list, &problem[i], &run->shape[i % 2], run->machine.cores);
  }
  soc_result_t result;
  outcome->status = step_list_run(&list, &run->machine, &result);
  memcpy(outcome->error, result.error, sizeof outcome->error);
  outcome->cycles = result.cycles;
  outcome->commands = step_commands(&result);
  for (size_t i = 0; outcome->status == SOC_DONE && i < ARRAY_LEN(problem); ++i) {
    const fp8_result_t right = fp8_case_expected(&problem[i].problem);
    outcome->wrong += fp8_case_wrong(&problem[i].problem, &right, problem[i].out, problem[i].lse);
  }
}

TEST(fp8_in_lists) {
  static const fp8_run_t runs[] = {
      {{{.query_tokens = 2, .heads = 16, .batch = 3, .tokens = 700, .causal = true, .bf16 = true, .vary = true},
        {.query_tokens = 1, .heads = 128, .batch = 1, .tokens = 100}},
       {.cores = 0}},
      {{{.query_tokens = 5, .heads = 16, .batch = 2, .tokens = 600, .causal = true, .bf16 = true},
        {.query_tokens = 1, .heads = 16, .batch = 7, .tokens = 200, .vary = true}},
       {.cores = 4}},
      {{{.query_tokens = 2, .heads = 64, .batch = 3, .tokens = 600, .causal = true, .crossover = true},
        {.query_tokens = 1, .heads = 16, .batch = 2, .tokens = 300, .cache = FP8_SPARSE, .topk = 128}},
       {.cores = 4, .pairs = true}},
  };
  for (size_t i = 0; i < ARRAY_LEN(runs); ++i) {
    fp8_run_t run = runs[i];
    run.machine.firmware = "step_fp8.elf";
    const outcome_t a = run_well(run_fp8, &run, "step_fp8.elf", i);
    run.machine.threads = 2;
    run.machine.firmware = "step_fp8.so";
    const outcome_t b = run_well(run_fp8, &run, "step_fp8.so", i);
    assert_int_equal(a.commands, b.commands);
  }
}
