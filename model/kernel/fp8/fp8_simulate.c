// SPDX-License-Identifier: Apache-2.0
#include "hal/command.h"
#include "kernel/fp8/fp8_settings.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/arrays.h"
#include "kernel/attention/attention_stages.h"
#include "kernels/fp8/fp8_args.h"
#include "num/num_format.h"

// The lists' tokens, as slots from their entry's first; -1 for nothing and behind the end.
static int32_t *make_index(const fp8_problem_t *p) {
  const size_t lists = fp8_lists(p);
  int32_t *index = malloc(lists * p->topk * sizeof *index);
  for (size_t i = 0; index != NULL && i < lists * p->topk; ++i) {
    const size_t list = i / p->topk;
    const size_t place = i % p->topk;
    const size_t first = p->shared ? 0 : fp8_entry_of(p, list) * p->capacity;
    const ptrdiff_t slot = place < fp8_places(p, list) ? fp8_place_slot(p, list, place) : -1;
    index[i] = slot < 0 ? -1 : (int32_t)((size_t)slot - first);
  }
  return index;
}

// For every row of a list.
static float *make_sink(const fp8_problem_t *p) {
  const size_t rows = fp8_list_rows(p);
  float *sink = malloc(rows * sizeof *sink);
  for (size_t row = 0; sink != NULL && row < rows; ++row) {
    sink[row] = p->sink[row % p->heads];
  }
  return sink;
}

// A workspace's shape is for --watch and blame.
static void add_arrays(fp8_run_t *run, const int32_t *index, const float *sink, fp8_args_t *fp8,
                       kernel_arrays_t *arrays) {
  const fp8_problem_t *p = &run->problem;
  const attention_settings_t *a = &run->settings.attention;
  attention_args_t *args = &fp8->attention;
  const size_t queries = fp8_rows(p);
  const size_t cores = a->machine.soc.config.soc.ai_cores;
  const size_t slots =
      ATTENTION_SLOTS * fp8_group_rows((uint32_t)fp8_list_rows(p), a->group_rows, run->crossover) * cores;
  const size_t keys = (run->crossover ? cores / 2 : cores) * FP8_KV_SLOTS * p->block;
  const size_t pages = p->page_size != 0 && p->topk == 0 ? p->batch * p->pages : 0;
  kernel_array(arrays, &args->q, queries * FP8_DK * 2,
               (soc_buffer_t){KERNEL_INPUT("q", p->q), KERNEL_MATRIX(TYPE_BF16, queries, FP8_DK)});
  kernel_array(arrays, &fp8->tokens, p->slots * FP8_TOKEN_BYTES, (soc_buffer_t){KERNEL_INPUT("tokens", p->tokens)});
  kernel_array(arrays, &fp8->index, fp8_lists(p) * p->topk * sizeof *index,
               (soc_buffer_t){KERNEL_INPUT("index", index), .numbers = true});
  kernel_array(arrays, &fp8->block_table, pages * sizeof *p->block_table,
               (soc_buffer_t){KERNEL_INPUT("block_table", p->block_table), .numbers = true});
  kernel_array(arrays, &fp8->sink, sink == NULL ? 0 : fp8_list_rows(p) * sizeof *sink,
               (soc_buffer_t){KERNEL_INPUT("sink", sink)});
  kernel_array(
      arrays, &args->out, queries * FP8_DV * (a->out_f32 ? 4 : 2),
      (soc_buffer_t){
          .name = "out", .result = run->out, KERNEL_MATRIX(a->out_f32 ? TYPE_F32 : TYPE_BF16, queries, FP8_DV)});
  kernel_array(arrays, &fp8->lse, queries * sizeof *run->lse,
               (soc_buffer_t){.name = "lse", .result = run->lse, KERNEL_MATRIX(TYPE_F32, queries, 1)});
  kernel_array(arrays, &args->s, slots * p->block * 4,
               (soc_buffer_t){.name = "s", KERNEL_MATRIX(TYPE_F32, slots, p->block)});
  kernel_array(arrays, &args->p, slots * p->block * 2,
               (soc_buffer_t){.name = "p", KERNEL_MATRIX(TYPE_BF16, slots, p->block)});
  kernel_array(arrays, &args->o, slots * FP8_DV * 4,
               (soc_buffer_t){.name = "o", KERNEL_MATRIX(TYPE_F32, slots, FP8_DV)});
  kernel_array(arrays, &fp8->kv, keys * FP8_DK * 2,
               (soc_buffer_t){.name = "kv", KERNEL_MATRIX(TYPE_BF16, keys, FP8_DK)});
}

// All but the arrays' addresses.
static void fill_arguments(const fp8_run_t *run, fp8_args_t *args) {
  const fp8_problem_t *p = &run->problem;
  const attention_settings_t *a = &run->settings.attention;
  *args = (fp8_args_t){
      .attention = {.o_pitch = FP8_DV * 4,
                    .batch = (uint32_t)fp8_lists(p),
                    .rows = (uint32_t)fp8_list_rows(p),
                    .group_rows = a->group_rows,
                    .keys = p->capacity == 0 ? 1 : (uint32_t)p->capacity,
                    .splits = 1,
                    .dk = FP8_DK,
                    .dv = FP8_DV,
                    .block = (uint32_t)p->block,
                    .scale = num_f32_bits(p->scale),
#define SETTING(field, option, type, arg, commands, start, low, high, help) .field = a->field,
#include "kernels/attention/attention_settings.def"
#undef SETTING
                    .out_f32 = a->out_f32},
      .tokens_batch = p->shared ? 0 : p->capacity * FP8_TOKEN_BYTES,
      .index_pitch = (uint32_t)(p->topk * sizeof(int32_t)),
      .block_table_pitch = (uint32_t)(p->pages * sizeof(int32_t)),
      .page_size = p->topk == 0 && p->pages != 0 ? (uint32_t)p->page_size : 0,
      .heads = (uint32_t)p->heads,
      .query_tokens = (uint32_t)p->seq_q,
      .lists_of_entry = p->topk == 0 ? 1 : (uint32_t)p->seq_q,
      .causal = p->causal && p->topk == 0,
      .crossover = run->crossover,
      .direct = run->settings.direct,
  };
  args->attention.cycles = fp8_args_cycles(&a->machine.soc.config, args);
  for (size_t list = 0; list < fp8_lists(p); ++list) {
    args->places[list] = (uint32_t)fp8_places(p, list);
  }
}

static soc_status_t simulate(fp8_run_t *run, const int32_t *index, const float *sink) {
  fp8_args_t args;
  kernel_arrays_t arrays = {.count = 0};
  fill_arguments(run, &args);
  add_arrays(run, index, sink, &args, &arrays);
  kernel_arrays_place(&arrays);
  return soc_run(&run->settings.attention.machine.soc, arrays.list, arrays.count, &args,
                 fp8_args_bytes((uint32_t)fp8_lists(&run->problem)), &run->kernel.result.soc);
}

base_exit_t fp8_simulate(kernel_run_t *kernel, base_error_t *error) {
  fp8_run_t *run = (fp8_run_t *)kernel;
  const fp8_problem_t *problem = &run->problem;
  int32_t *index = problem->topk == 0 ? NULL : make_index(problem);
  float *sink = problem->sink == NULL ? NULL : make_sink(problem);
  base_exit_t code = BASE_BAD_INPUT;
  if ((problem->topk != 0 && index == NULL) || (problem->sink != NULL && sink == NULL)) {
    base_fail(error, "lists: out of memory");
  } else {
    const soc_status_t status = simulate(run, index, sink);
    code = kernel_result_take(&run->kernel.result, &run->settings.attention.machine, status, fp8_flops(problem), error);
  }
  free(index);
  free(sink);
  return code;
}

uint64_t fp8_flops(const fp8_problem_t *problem) {
  return 2ull * fp8_attended(problem) * fp8_list_rows(problem) * (FP8_DK + FP8_DV);
}

double fp8_cycles_per_token(const fp8_run_t *run) {
  const uint32_t groups =
      fp8_groups((uint32_t)fp8_list_rows(&run->problem), run->settings.attention.group_rows, run->crossover);
  const double cores = run->settings.attention.machine.soc.config.soc.ai_cores;
  return fp8_per_token(&run->problem, run->kernel.result.soc.cycles) * cores / (double)groups;
}

double fp8_per_token(const fp8_problem_t *problem, uint64_t counter) {
  const uint64_t tokens = fp8_attended(problem);
  return tokens == 0 ? 0 : (double)counter / (double)tokens;
}
