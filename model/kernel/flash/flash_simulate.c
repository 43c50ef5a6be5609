// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "kernel/arrays.h"
#include "kernel/flash/flash.h"
#include "kernel/mask.h"
#include "kernels/flash/flash_args.h"
#include "num/num_format.h"

// Arrays that the host makes for the run.
typedef struct made {
  float *tokens;
  uint8_t *bits;
  float *sinks;
  size_t bits_bytes, bits_pitch;
} made_t;

static bool make_tokens(const flash_problem_t *problem, made_t *made) {
  const size_t rows = flash_rows(problem);
  made->tokens = malloc(rows * sizeof *made->tokens);
  for (size_t row = 0; made->tokens != NULL && row < rows; ++row) {
    made->tokens[row] = -(float)(row % problem->seq_q);
  }
  return made->tokens != NULL;
}

static bool pack_mask(const flash_problem_t *problem, made_t *made) {
  made->bits_pitch = (problem->keys / 8 + 63) / 32 * 32;
  made->bits_bytes = problem->mask_rows * made->bits_pitch;
  made->bits = mask_pack(problem->visible, problem->mask_rows, problem->keys, made->bits_pitch);
  return made->bits != NULL;
}

// Of each row of a batch entry.
static bool make_sinks(const flash_problem_t *problem, made_t *made) {
  const size_t rows = flash_rows(problem);
  made->sinks = malloc(problem->kv_heads * rows * sizeof *made->sinks);
  for (size_t i = 0; made->sinks != NULL && i < problem->kv_heads * rows; ++i) {
    made->sinks[i] = problem->sink[flash_head(problem, i / rows, i % rows)];
  }
  return made->sinks != NULL;
}

// Rows of keys or values that are in global memory.
static size_t rows_of_keys(const flash_problem_t *problem) {
  return problem->table == NULL ? flash_entries(problem) * problem->keys
                                : problem->all_pages * problem->kv_heads * FLASH_PAGE;
}

static void add_arrays(flash_run_t *run, const made_t *made, flash_args_t *flash, kernel_arrays_t *arrays) {
  const flash_problem_t *p = &run->problem;
  attention_args_t *args = &flash->attention;
  const unsigned half = p->fp16 ? TYPE_F16 : TYPE_BF16;
  const unsigned stored = run->settings.out_f32 ? TYPE_F32 : half;
  const size_t queries = flash_entries(p) * flash_rows(p);
  const size_t tokens = rows_of_keys(p);
  const size_t rows = flash_group_rows(&run->deal);
  const size_t slots = FLASH_SLOTS * rows * run->settings.machine.soc.config.soc.ai_cores;
  const size_t units = p->splits > 1 ? flash_units(&run->deal) : 0;
  const size_t o_pitch = args->o_pitch;
  kernel_array(arrays, &args->q, queries * p->dk * 2,
               (soc_buffer_t){KERNEL_INPUT("q", p->q), KERNEL_MATRIX(half, queries, p->dk)});
  kernel_array(
      arrays, &args->k, tokens * p->dk * 2,
      (soc_buffer_t){KERNEL_INPUT("k", p->table == NULL ? p->k : p->k_pages), KERNEL_MATRIX(half, tokens, p->dk)});
  kernel_array(
      arrays, &args->v, tokens * p->dv * 2,
      (soc_buffer_t){KERNEL_INPUT("v", p->table == NULL ? p->v : p->v_pages), KERNEL_MATRIX(half, tokens, p->dv)});
  kernel_array(arrays, &flash->token, made->tokens == NULL ? 0 : flash_rows(p) * 4,
               (soc_buffer_t){KERNEL_INPUT("token", made->tokens)});
  kernel_array(arrays, &flash->visible, made->bits_bytes, (soc_buffer_t){KERNEL_INPUT("visible", made->bits)});
  kernel_array(arrays, &flash->sink, made->sinks == NULL ? 0 : p->kv_heads * flash_rows(p) * sizeof *made->sinks,
               (soc_buffer_t){KERNEL_INPUT("sink", made->sinks)});
  kernel_array(arrays, &flash->table, p->table == NULL ? 0 : p->batch * p->pages * sizeof *p->table,
               (soc_buffer_t){KERNEL_INPUT("table", p->table), .numbers = true});
  kernel_array(
      arrays, &args->out, flash_out_count(p) * (run->settings.out_f32 ? 4 : 2),
      (soc_buffer_t){.name = "out", .result = run->out, KERNEL_MATRIX(stored, flash_out_count(p) / p->dv, p->dv)});
  kernel_array(arrays, &args->s, slots * p->block * 4,
               (soc_buffer_t){.name = "s", KERNEL_MATRIX(TYPE_F32, slots, p->block)});
  kernel_array(arrays, &args->p, slots * p->block * 2,
               (soc_buffer_t){.name = "p", KERNEL_MATRIX(half, slots, p->block)});
  kernel_array(arrays, &args->t, slots * o_pitch,
               (soc_buffer_t){.name = "t", KERNEL_MATRIX(TYPE_F32, slots, p->dv), .pitch = o_pitch});
  kernel_array(arrays, &args->split_o, units * rows * o_pitch, (soc_buffer_t){.name = "split_o"});
  kernel_array(arrays, &args->split_ml, units * rows * 8, (soc_buffer_t){.name = "split_ml"});
}

static void set_cap(float cap, flash_args_t *args) {
  if (cap != 0) {
    args->cap = num_f32_bits(cap);
    args->cap_near = num_f32_bits(cap / 16);
    args->cap_cubic = num_f32_bits((float)(-1 / (3.0 * (double)cap * (double)cap)));
    args->cap_inverse = num_f32_bits(2 / cap);
    args->cap_twice = num_f32_bits(2 * cap);
  }
}

static void set_pages(const flash_problem_t *problem, flash_args_t *args) {
  if (problem->table != NULL) {
    args->table_pitch = (uint32_t)problem->pages;
    args->attention.k_batch = FLASH_PAGE * problem->dk * 2;
    args->attention.v_batch = FLASH_PAGE * problem->dv * 2;
  }
}

// All but the arrays' addresses.
static flash_args_t arguments(const flash_run_t *run, size_t bits_pitch) {
  const flash_problem_t *problem = &run->problem;
  flash_args_t args = {
      .attention = {.k_batch = problem->keys * problem->dk * 2,
                    .v_batch = problem->keys * problem->dv * 2,
                    .k_pitch = (uint32_t)(problem->dk * 2),
                    .v_pitch = (uint32_t)(problem->dv * 2),
                    .o_pitch = (uint32_t)((problem->dv * 4 + 63) / 64 * 64),
                    .batch = (uint32_t)flash_entries(problem),
                    .rows = (uint32_t)flash_rows(problem),
                    .group_rows = run->settings.group_rows,
                    .keys = (uint32_t)problem->keys,
                    .splits = (uint32_t)problem->splits,
                    .dk = (uint32_t)problem->dk,
                    .dv = (uint32_t)problem->dv,
                    .block = (uint32_t)problem->block,
                    .scale = num_f32_bits(problem->scale),
                    .preload = run->settings.preload < ATTENTION_SLOTS ? run->settings.preload : ATTENTION_SLOTS,
                    .out_f32 = run->settings.out_f32},
      .visible_pitch = problem->mask_rows > 1 ? (uint32_t)bits_pitch : 0,
      .seq_q = (uint32_t)problem->seq_q,
      .kv_heads = (uint32_t)problem->kv_heads,
      .groups = run->deal.groups,
      .causal = problem->causal,
      .fp16 = problem->fp16,
      .preload = run->settings.preload,
      .behind = flash_behind(&run->settings.machine.soc.config, flash_group_rows(&run->deal), problem->block,
                             problem->dk, problem->dv),
      .has_lengths = problem->length != NULL,
  };
  set_cap(problem->cap, &args);
  set_pages(problem, &args);
  if (problem->length != NULL) {
    memcpy(args.length, problem->length, problem->batch * sizeof *args.length);
  }
  return args;
}

static soc_status_t simulate(flash_run_t *run, const made_t *made) {
  const flash_problem_t *problem = &run->problem;
  flash_args_t args = arguments(run, made->bits_pitch);
  kernel_arrays_t arrays = {.count = 0};
  add_arrays(run, made, &args, &arrays);
  kernel_arrays_place(&arrays);
  return soc_run(&run->settings.machine.soc, arrays.list, arrays.count, &args,
                 flash_args_bytes(problem->length == NULL ? 0 : (uint32_t)problem->batch), &run->kernel.result.soc);
}

base_exit_t flash_simulate(kernel_run_t *kernel, base_error_t *error) {
  flash_run_t *run = (flash_run_t *)kernel;
  const flash_problem_t *problem = &run->problem;
  made_t made = {0};
  base_exit_t code = BASE_BAD_INPUT;
  if ((!problem->causal || make_tokens(problem, &made)) && (problem->visible == NULL || pack_mask(problem, &made)) &&
      (problem->sink == NULL || make_sinks(problem, &made))) {
    const soc_status_t status = simulate(run, &made);
    code = kernel_result_take(&run->kernel.result, &run->settings.machine, status, flash_flops(problem), error);
  } else {
    base_fail(error, "--causal, --mask, --window, --sinks: out of memory");
  }
  free(made.tokens);
  free(made.bits);
  free(made.sinks);
  return code;
}

// A row sees its first keys; the sum over an entry's tokens, for each head.
static uint64_t scores(const flash_problem_t *problem, size_t entry) {
  uint64_t sum = 0;
  for (size_t token = 0; token < problem->seq_q; ++token) {
    sum += flash_seen(problem, entry, token);
  }
  return sum * (problem->heads / problem->kv_heads);
}

uint64_t flash_flops(const flash_problem_t *problem) {
  uint64_t sum = 0;
  for (size_t entry = 0; entry < flash_entries(problem); ++entry) {
    sum += scores(problem, entry);
  }
  return 2 * sum * (problem->dk + problem->dv);
}
