// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_simulate.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/fp8/fp8_args.h"
#include "num/num_format.h"

enum { MAX_BUFFERS = 12, NOWHERE = MAX_BUFFERS };

// The arrays of one run and where each of them is in the list.
typedef struct layout {
  soc_buffer_t list[MAX_BUFFERS];
  size_t count;
  size_t q, tokens, index, block_table, sink, out, lse, s, p, o, kv;
  size_t o_pitch;
} layout_t;

static size_t add(layout_t *layout, soc_buffer_t buffer) {
  layout->list[layout->count] = buffer;
  return layout->count++;
}

// NOWHERE: an array of no bytes, which the problem does not have.
static size_t add_input(layout_t *layout, const char *name, const void *data, size_t bytes) {
  return bytes == 0 ? NOWHERE
                    : add(layout, (soc_buffer_t){.name = name, .bytes = bytes, .init = data,
                                                 .read_only = true});
}

// One that decides which addresses are read.
static size_t add_numbers(layout_t *layout, const char *name, const void *data, size_t bytes) {
  const size_t index = add_input(layout, name, data, bytes);
  if (index != NOWHERE) {
    layout->list[index].numbers = true;
  }
  return index;
}

static size_t add_workspace(layout_t *layout, const char *name, size_t bytes) {
  return add(layout, (soc_buffer_t){.name = name, .bytes = bytes});
}

static size_t group_rows(const fp8_settings_t *settings) {
  const size_t rows = settings->attention.group_rows;
  return rows == 0 ? ATTENTION_MAX_GROUP : rows;
}

// Of a group, at most.
static size_t rows_of_group(const fp8_problem_t *problem, const fp8_settings_t *settings) {
  return fp8_group_rows((uint32_t)fp8_list_rows(problem), (uint32_t)group_rows(settings),
                        settings->crossover);
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

static void add_arrays(layout_t *l, const fp8_problem_t *p, const fp8_settings_t *settings,
                       const int32_t *index, const float *sink, void *out, float *lse) {
  const size_t rows = fp8_rows(p);
  const bool tables = p->page_size != 0 && p->topk == 0;
  l->q = add_input(l, "q", p->q, rows * FP8_DK * 2);
  l->tokens = add_input(l, "tokens", p->tokens, p->slots * FP8_TOKEN_BYTES);
  l->index = add_numbers(l, "index", index, fp8_lists(p) * p->topk * sizeof *index);
  l->block_table = add_numbers(l, "block_table", p->block_table,
                               tables ? p->batch * p->pages * sizeof *p->block_table : 0);
  l->sink = add_input(l, "sink", sink, sink == NULL ? 0 : fp8_list_rows(p) * sizeof *sink);
  l->out = add(l, (soc_buffer_t){.name = "out", .result = out,
                                 .bytes = rows * FP8_DV * (settings->attention.out_f32 ? 4 : 2)});
  l->lse = lse == NULL ? NOWHERE
                       : add(l, (soc_buffer_t){.name = "lse", .result = lse,
                                               .bytes = rows * sizeof *lse});
}

static void add_workspaces(layout_t *l, const fp8_problem_t *p, const fp8_settings_t *settings) {
  const size_t cores = settings->attention.soc.config.soc.ai_cores;
  const size_t slots = ATTENTION_SLOTS * rows_of_group(p, settings) * cores;
  const size_t dequantisers = settings->crossover ? cores / 2 : cores;
  l->o_pitch = FP8_DV * 4;
  l->s = add_workspace(l, "s", slots * p->block * 4);
  l->p = add_workspace(l, "p", slots * p->block * 2);
  l->o = add_workspace(l, "o", slots * l->o_pitch);
  l->kv = add_workspace(l, "kv", dequantisers * FP8_KV_SLOTS * p->block * FP8_DK * 2);
}

static uint64_t address(const layout_t *layout, size_t index) {
  return index == NOWHERE ? 0 : layout->list[index].address;
}

static attention_args_t attention_arguments(const fp8_problem_t *p, const fp8_settings_t *settings,
                                            const layout_t *l) {
  const attention_settings_t *a = &settings->attention;
  return (attention_args_t){
      .q = address(l, l->q),
      .out = address(l, l->out),
      .s = address(l, l->s),
      .p = address(l, l->p),
      .o = address(l, l->o),
      .o_pitch = (uint32_t)l->o_pitch,
      .batch = (uint32_t)fp8_lists(p),
      .rows = (uint32_t)fp8_list_rows(p),
      .group_rows = (uint32_t)group_rows(settings),
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

static void fill_arguments(const fp8_problem_t *p, const fp8_settings_t *settings,
                           const layout_t *l, fp8_args_t *args) {
  *args = (fp8_args_t){
      .attention = attention_arguments(p, settings, l),
      .tokens = address(l, l->tokens),
      .tokens_batch = p->shared ? 0 : p->capacity * FP8_TOKEN_BYTES,
      .index = address(l, l->index),
      .block_table = address(l, l->block_table),
      .sink = address(l, l->sink),
      .lse = address(l, l->lse),
      .kv = address(l, l->kv),
      .index_pitch = (uint32_t)(p->topk * sizeof(int32_t)),
      .block_table_pitch = (uint32_t)(p->pages * sizeof(int32_t)),
      .page_size = l->block_table == NOWHERE ? 0 : (uint32_t)p->page_size,
      .heads = (uint32_t)p->heads,
      .query_tokens = (uint32_t)p->seq_q,
      .lists_of_entry = p->topk == 0 ? 1 : (uint32_t)p->seq_q,
      .causal = p->causal && p->topk == 0,
      .crossover = settings->crossover,
      .direct = settings->direct,
  };
  for (size_t list = 0; list < fp8_lists(p); ++list) {
    args->places[list] = (uint32_t)fp8_places(p, list);
  }
}

soc_status_t fp8_simulate(const fp8_problem_t *problem, const fp8_settings_t *settings, void *out,
                          float *lse, soc_result_t *result) {
  layout_t layout = {0};
  fp8_args_t args;
  memset(result, 0, sizeof *result);
  int32_t *index = problem->topk == 0 ? NULL : make_index(problem);
  float *sink = problem->sink == NULL ? NULL : make_sink(problem);
  if ((problem->topk != 0 && index == NULL) || (problem->sink != NULL && sink == NULL)) {
    snprintf(result->error, sizeof result->error, "lists: out of memory");
    result->status = SOC_BAD_INPUT;
  } else {
    add_arrays(&layout, problem, settings, index, sink, out, lse);
    add_workspaces(&layout, problem, settings);
    soc_place(layout.list, layout.count);
    fill_arguments(problem, settings, &layout, &args);
    soc_run(&settings->attention.soc, layout.list, layout.count, &args,
            fp8_args_bytes((uint32_t)fp8_lists(problem)), result);
  }
  free(index);
  free(sink);
  return result->status;
}

uint64_t fp8_flops(const fp8_problem_t *problem) {
  return 2ull * fp8_attended(problem) * fp8_list_rows(problem) * (FP8_DK + FP8_DV);
}

double fp8_fu(const fp8_problem_t *problem, const config_t *config, uint64_t cycles) {
  const double peak = 2.0 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k *
                      config->soc.ai_cores;
  return cycles == 0 ? 0 : (double)fp8_flops(problem) / ((double)cycles * peak);
}
