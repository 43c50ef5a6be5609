// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "kernel/arrays.h"
#include "kernel/attention/attention_mask.h"
#include "num/num_format.h"

// The arrays of one run and where each of them is in the list.
typedef struct layout {
  kernel_arrays_t arrays;
  size_t q, k, v, visible, out, s, p, t, o, split_o, split_ml;
  size_t visible_pitch, o_pitch;
} layout_t;

static void add_inputs(layout_t *layout, const attention_problem_t *problem) {
  const size_t tokens = problem->batch * problem->keys;
  const size_t queries = problem->batch * problem->rows;
  const bool shared = problem->v == NULL;
  kernel_arrays_t *arrays = &layout->arrays;
  layout->q = kernel_array_input(arrays, "q", problem->q, queries * problem->dk * 2);
  layout->k = kernel_array_input(arrays, shared ? "kv" : "k", problem->k, tokens * problem->dk * 2);
  layout->v = shared ? layout->k : kernel_array_input(arrays, "v", problem->v, tokens * problem->dv * 2);
}

static size_t group_rows(const attention_settings_t *settings) {
  return settings->group_rows == 0 ? ATTENTION_MAX_GROUP : settings->group_rows;
}

static size_t at_most(size_t value, size_t limit) { return value < limit ? value : limit; }

size_t attention_group_rows(const attention_problem_t *problem, const attention_settings_t *settings) {
  return at_most(group_rows(settings), problem->rows);
}

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

// Groups of rows, all batch entries.
static size_t items(const attention_problem_t *problem, const attention_settings_t *settings) {
  return problem->batch * ceil_div(problem->rows, group_rows(settings));
}

size_t attention_splits(const attention_problem_t *problem, const attention_settings_t *settings) {
  const size_t blocks = ceil_div(problem->keys, problem->block);
  size_t splits = settings->splits;
  if (splits == ATTENTION_SPLITS_AUTO) {
    splits = settings->machine.soc.config.soc.ai_cores / items(problem, settings);
    splits = at_most(splits, ATTENTION_MAX_SPLITS);
  }
  return at_most(splits == 0 ? 1 : splits, blocks);
}

// The cores' own as often as there are AI cores.
static void add_workspaces(layout_t *layout, const attention_problem_t *problem, const attention_settings_t *settings) {
  const size_t cores = settings->machine.soc.config.soc.ai_cores;
  const size_t rows = attention_group_rows(problem, settings);
  const size_t slots = ATTENTION_SLOTS * rows * cores;
  const size_t units = problem->splits > 1 ? items(problem, settings) * problem->splits : 0;
  const bool base = strcmp(settings->kernel, "base") == 0;
  const size_t row_bytes = (problem->dv * 4 + 63) / 64 * 64;
  kernel_arrays_t *arrays = &layout->arrays;
  layout->o_pitch = row_bytes;
  layout->s = kernel_array_workspace(arrays, "s", slots * problem->block * 4);
  layout->p = kernel_array_workspace(arrays, "p", slots * problem->block * 2);
  layout->t = kernel_array_workspace(arrays, "t", base ? slots * row_bytes : 0);
  layout->o = kernel_array_workspace(arrays, "o", slots * row_bytes);
  layout->split_o = kernel_array_workspace(arrays, "split_o", units * rows * row_bytes);
  layout->split_ml = kernel_array_workspace(arrays, "split_ml", units * rows * 2 * sizeof(float));
}

// For --watch and blame.
static void name_elements(layout_t *layout, const attention_run_t *run) {
  const attention_problem_t *p = &run->problem;
  const size_t slots =
      ATTENTION_SLOTS * attention_group_rows(p, &run->settings) * run->settings.machine.soc.config.soc.ai_cores;
  kernel_arrays_t *arrays = &layout->arrays;
  kernel_array_shape(arrays, layout->q, TYPE_BF16, p->batch * p->rows, p->dk, 0);
  kernel_array_shape(arrays, layout->k, TYPE_BF16, p->batch * p->keys, p->dk, 0);
  if (p->v != NULL) {
    kernel_array_shape(arrays, layout->v, TYPE_BF16, p->batch * p->keys, p->dv, 0);
  }
  kernel_array_shape(arrays, layout->out, run->settings.out_f32 ? TYPE_F32 : TYPE_BF16, p->batch * p->rows, p->dv, 0);
  kernel_array_shape(arrays, layout->s, TYPE_F32, slots, p->block, 0);
  kernel_array_shape(arrays, layout->p, TYPE_BF16, slots, p->block, 0);
  kernel_array_shape(arrays, layout->t, TYPE_F32, slots, p->dv, layout->o_pitch);
  kernel_array_shape(arrays, layout->o, TYPE_F32, slots, p->dv, layout->o_pitch);
}

static attention_args_t arguments(const attention_problem_t *problem, const attention_settings_t *settings,
                                  const layout_t *layout) {
  const kernel_arrays_t *arrays = &layout->arrays;
  const size_t v_columns = problem->v == NULL ? problem->dk : problem->dv;
  return (attention_args_t){
      .q = kernel_array_address(arrays, layout->q),
      .k = kernel_array_address(arrays, layout->k),
      .v = kernel_array_address(arrays, layout->v),
      .visible = kernel_array_address(arrays, layout->visible),
      .out = kernel_array_address(arrays, layout->out),
      .s = kernel_array_address(arrays, layout->s),
      .p = kernel_array_address(arrays, layout->p),
      .t = kernel_array_address(arrays, layout->t),
      .o = kernel_array_address(arrays, layout->o),
      .split_o = kernel_array_address(arrays, layout->split_o),
      .split_ml = kernel_array_address(arrays, layout->split_ml),
      .k_batch = problem->keys * problem->dk * 2,
      .v_batch = problem->keys * v_columns * 2,
      .k_pitch = (uint32_t)(problem->dk * 2),
      .v_pitch = (uint32_t)(v_columns * 2),
      .visible_pitch = (uint32_t)layout->visible_pitch,
      .o_pitch = (uint32_t)layout->o_pitch,
      .batch = (uint32_t)problem->batch,
      .rows = (uint32_t)problem->rows,
      .group_rows = (uint32_t)group_rows(settings),
      .keys = (uint32_t)problem->keys,
      .splits = problem->splits > 1 ? (uint32_t)problem->splits : 1,
      .dk = (uint32_t)problem->dk,
      .dv = (uint32_t)problem->dv,
      .block = (uint32_t)problem->block,
      .scale = num_f32_bits(problem->scale),
      .preload = settings->preload,
      .rescale = settings->rescale,
      .skip_noop = settings->skip_noop,
      .out_f32 = settings->out_f32,
      .tiling = settings->tiling,
      .kv_buffers = settings->kv_buffers,
      .qp_buffers = settings->qp_buffers,
  };
}

static soc_status_t simulate(attention_run_t *run, const uint8_t *mask, size_t mask_bytes, layout_t *layout) {
  const attention_problem_t *problem = &run->problem;
  const attention_settings_t *settings = &run->settings;
  kernel_arrays_t *arrays = &layout->arrays;
  const size_t out_bytes = attention_out_count(problem) * (settings->out_f32 ? 4 : 2);
  add_inputs(layout, problem);
  layout->visible = kernel_array_input(arrays, "visible", mask, mask_bytes);
  layout->out = kernel_array_add(arrays, (soc_buffer_t){.name = "out", .bytes = out_bytes, .result = run->out});
  add_workspaces(layout, problem, settings);
  name_elements(layout, run);
  soc_place(arrays->list, arrays->count);
  const attention_args_t args = arguments(problem, settings, layout);
  return soc_run(&settings->machine.soc, arrays->list, arrays->count, &args, sizeof args, &run->result.soc);
}

base_exit_t attention_simulate(attention_run_t *run, base_error_t *error) {
  layout_t layout = {0};
  uint8_t *mask = NULL;
  size_t mask_bytes = 0;
  if (run->problem.visible != NULL) {
    mask = attention_pack_mask(&run->problem, &mask_bytes, &layout.visible_pitch);
    if (mask == NULL) {
      base_fail(error, "mask: out of memory");
      return BASE_BAD_INPUT;
    }
  }
  if (run->judge_beside && !attention_begin_golden(run, error)) {
    free(mask);
    return BASE_BAD_INPUT;
  }
  const soc_status_t status = simulate(run, mask, mask_bytes, &layout);
  free(mask);
  return kernel_result_take(&run->result, &run->settings.machine, status, attention_flops(&run->problem), error);
}

uint64_t attention_flops(const attention_problem_t *problem) {
  return 2ull * problem->batch * problem->rows * problem->keys * (problem->dk + problem->dv);
}
