// SPDX-License-Identifier: Apache-2.0
#include "hal/command.h"
#include "kernel/fp8/fp8_settings.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/arrays.h"
#include "kernels/fp8/fp8_args.h"
#include "num/num_format.h"

// The arrays of one run and where each of them is in the list.
typedef struct layout {
  kernel_arrays_t arrays;
  size_t q, tokens, index, block_table, sink, out, lse, s, p, o, kv;
  size_t o_pitch;
} layout_t;

// One that decides which addresses are read.
static size_t add_numbers(kernel_arrays_t *arrays, const char *name, const void *data, size_t bytes) {
  return kernel_array_add(
      arrays, (soc_buffer_t){.name = name, .bytes = bytes, .init = data, .read_only = true, .numbers = true});
}

// What the lists name, as slots from their entry's first; -1 for nothing and behind the end.
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

static void add_inputs(layout_t *l, const fp8_problem_t *p, const int32_t *index, const float *sink) {
  kernel_arrays_t *arrays = &l->arrays;
  const bool tables = p->page_size != 0 && p->topk == 0;
  l->q = kernel_array_input(arrays, "q", p->q, fp8_rows(p) * FP8_DK * 2);
  l->tokens = kernel_array_input(arrays, "tokens", p->tokens, p->slots * FP8_TOKEN_BYTES);
  l->index = add_numbers(arrays, "index", index, fp8_lists(p) * p->topk * sizeof *index);
  l->block_table =
      add_numbers(arrays, "block_table", p->block_table, tables ? p->batch * p->pages * sizeof *p->block_table : 0);
  l->sink = kernel_array_input(arrays, "sink", sink, sink == NULL ? 0 : fp8_list_rows(p) * sizeof *sink);
}

static void add_results(layout_t *l, const fp8_run_t *run) {
  const size_t rows = fp8_rows(&run->problem);
  const size_t out_bytes = rows * FP8_DV * (run->settings.attention.out_f32 ? 4 : 2);
  l->out = kernel_array_add(&l->arrays, (soc_buffer_t){.name = "out", .result = run->out, .bytes = out_bytes});
  l->lse =
      kernel_array_add(&l->arrays, (soc_buffer_t){.name = "lse", .result = run->lse, .bytes = rows * sizeof *run->lse});
  kernel_array_shape(&l->arrays, l->q, TYPE_BF16, rows, FP8_DK, 0);  // for --watch and blame, as those below
  kernel_array_shape(&l->arrays, l->out, run->settings.attention.out_f32 ? TYPE_F32 : TYPE_BF16, rows, FP8_DV, 0);
  kernel_array_shape(&l->arrays, l->lse, TYPE_F32, rows, 1, 0);
}

static void add_workspaces(layout_t *l, const fp8_run_t *run) {
  const fp8_problem_t *p = &run->problem;
  const attention_settings_t *a = &run->settings.attention;
  const size_t cores = a->machine.soc.config.soc.ai_cores;
  const size_t rows = fp8_group_rows((uint32_t)fp8_list_rows(p), a->group_rows, run->crossover);
  const size_t slots = ATTENTION_SLOTS * rows * cores;
  const size_t dequantisers = run->crossover ? cores / 2 : cores;
  l->o_pitch = FP8_DV * 4;
  l->s = kernel_array_workspace(&l->arrays, "s", slots * p->block * 4);
  l->p = kernel_array_workspace(&l->arrays, "p", slots * p->block * 2);
  l->o = kernel_array_workspace(&l->arrays, "o", slots * l->o_pitch);
  l->kv = kernel_array_workspace(&l->arrays, "kv", dequantisers * FP8_KV_SLOTS * p->block * FP8_DK * 2);
  kernel_array_shape(&l->arrays, l->s, TYPE_F32, slots, p->block, 0);
  kernel_array_shape(&l->arrays, l->p, TYPE_BF16, slots, p->block, 0);
  kernel_array_shape(&l->arrays, l->o, TYPE_F32, slots, FP8_DV, 0);
  kernel_array_shape(&l->arrays, l->kv, TYPE_BF16, dequantisers * FP8_KV_SLOTS * p->block, FP8_DK, 0);
}

static attention_args_t attention_arguments(const fp8_problem_t *p, const attention_settings_t *a, const layout_t *l) {
  const kernel_arrays_t *arrays = &l->arrays;
  return (attention_args_t){
      .q = kernel_array_address(arrays, l->q),
      .out = kernel_array_address(arrays, l->out),
      .s = kernel_array_address(arrays, l->s),
      .p = kernel_array_address(arrays, l->p),
      .o = kernel_array_address(arrays, l->o),
      .o_pitch = (uint32_t)l->o_pitch,
      .batch = (uint32_t)fp8_lists(p),
      .rows = (uint32_t)fp8_list_rows(p),
      .group_rows = a->group_rows,
      .keys = p->capacity == 0 ? 1 : (uint32_t)p->capacity,
      .splits = 1,
      .dk = FP8_DK,
      .dv = FP8_DV,
      .block = (uint32_t)p->block,
      .scale = num_f32_bits(p->scale),
      .preload = a->preload,
      .rescale = a->rescale,
      .skip_noop = a->skip_noop,
      .out_f32 = a->out_f32,
      .tiling = a->tiling,
      .kv_buffers = a->kv_buffers,
      .qp_buffers = a->qp_buffers,
  };
}

static void fill_arguments(const fp8_run_t *run, const layout_t *l, fp8_args_t *args) {
  const fp8_problem_t *p = &run->problem;
  const kernel_arrays_t *arrays = &l->arrays;
  *args = (fp8_args_t){
      .attention = attention_arguments(p, &run->settings.attention, l),
      .tokens = kernel_array_address(arrays, l->tokens),
      .tokens_batch = p->shared ? 0 : p->capacity * FP8_TOKEN_BYTES,
      .index = kernel_array_address(arrays, l->index),
      .block_table = kernel_array_address(arrays, l->block_table),
      .sink = kernel_array_address(arrays, l->sink),
      .lse = kernel_array_address(arrays, l->lse),
      .kv = kernel_array_address(arrays, l->kv),
      .index_pitch = (uint32_t)(p->topk * sizeof(int32_t)),
      .block_table_pitch = (uint32_t)(p->pages * sizeof(int32_t)),
      .page_size = l->block_table == KERNEL_NO_ARRAY ? 0 : (uint32_t)p->page_size,
      .heads = (uint32_t)p->heads,
      .query_tokens = (uint32_t)p->seq_q,
      .lists_of_entry = p->topk == 0 ? 1 : (uint32_t)p->seq_q,
      .causal = p->causal && p->topk == 0,
      .crossover = run->crossover,
      .direct = run->settings.direct,
  };
  for (size_t list = 0; list < fp8_lists(p); ++list) {
    args->places[list] = (uint32_t)fp8_places(p, list);
  }
}

static soc_status_t simulate(fp8_run_t *run, const int32_t *index, const float *sink) {
  layout_t layout = {0};
  fp8_args_t args;
  kernel_arrays_t *arrays = &layout.arrays;
  add_inputs(&layout, &run->problem, index, sink);
  add_results(&layout, run);
  add_workspaces(&layout, run);
  soc_place(arrays->list, arrays->count);
  fill_arguments(run, &layout, &args);
  return soc_run(&run->settings.attention.machine.soc, arrays->list, arrays->count, &args,
                 fp8_args_bytes((uint32_t)fp8_lists(&run->problem)), &run->result.soc);
}

base_exit_t fp8_simulate(fp8_run_t *run, base_error_t *error) {
  const fp8_problem_t *problem = &run->problem;
  int32_t *index = problem->topk == 0 ? NULL : make_index(problem);
  float *sink = problem->sink == NULL ? NULL : make_sink(problem);
  base_exit_t code = BASE_BAD_INPUT;
  if ((problem->topk != 0 && index == NULL) || (problem->sink != NULL && sink == NULL)) {
    base_fail(error, "lists: out of memory");
  } else {
    const soc_status_t status = simulate(run, index, sink);
    code = kernel_result_take(&run->result, &run->settings.attention.machine, status, fp8_flops(problem), error);
  }
  free(index);
  free(sink);
  return code;
}

uint64_t fp8_flops(const fp8_problem_t *problem) {
  return 2ull * fp8_attended(problem) * fp8_list_rows(problem) * (FP8_DK + FP8_DV);
}
