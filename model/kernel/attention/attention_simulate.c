// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention_mask.h"
#include "num/num_format.h"

enum { MAX_BUFFERS = 12, NOWHERE = MAX_BUFFERS };

// The arrays of one run and where each of them is in the list.
typedef struct layout {
  soc_buffer_t list[MAX_BUFFERS];
  size_t count;
  size_t q, k, v, visible, out, s, p, t, o, split_o, split_ml;
  size_t visible_pitch, o_pitch;
} layout_t;

static size_t add(layout_t *layout, soc_buffer_t buffer) {
  layout->list[layout->count] = buffer;
  return layout->count++;
}

static size_t add_input(layout_t *layout, const char *name, const void *data, size_t bytes) {
  return add(layout, (soc_buffer_t){.name = name, .bytes = bytes, .init = data, .read_only = true});
}

static size_t add_workspace(layout_t *layout, const char *name, size_t bytes) {
  return add(layout, (soc_buffer_t){.name = name, .bytes = bytes});
}

static void add_inputs(layout_t *layout, const attention_problem_t *problem) {
  const size_t tokens = problem->batch * problem->keys;
  const bool shared = problem->v == NULL;
  layout->q = add_input(layout, "q", problem->q, problem->batch * problem->rows * problem->dk * 2);
  layout->k = add_input(layout, shared ? "kv" : "k", problem->k, tokens * problem->dk * 2);
  layout->v = shared ? layout->k : add_input(layout, "v", problem->v, tokens * problem->dv * 2);
}

static size_t group_rows(const attention_settings_t *settings) {
  return settings->group_rows == 0 ? ATTENTION_MAX_GROUP : settings->group_rows;
}

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

// Groups of rows, all batch entries.
static size_t items(const attention_problem_t *problem, const attention_settings_t *settings) {
  return problem->batch * ceil_div(problem->rows, group_rows(settings));
}

static size_t at_most(size_t value, size_t limit) { return value < limit ? value : limit; }

size_t attention_splits(const attention_problem_t *problem, const attention_settings_t *settings) {
  const size_t blocks = ceil_div(problem->keys, problem->block);
  size_t splits = settings->splits;
  if (splits == ATTENTION_SPLITS_AUTO) {
    splits = settings->soc.config.soc.ai_cores / items(problem, settings);
    splits = at_most(splits, ATTENTION_MAX_SPLITS);
  }
  return at_most(splits == 0 ? 1 : splits, blocks);
}

// The cores' own as often as there are AI cores.
static void add_workspaces(layout_t *layout, const attention_problem_t *problem,
                           const attention_settings_t *settings) {
  const size_t cores = settings->soc.config.soc.ai_cores;
  const size_t rows = at_most(group_rows(settings), problem->rows);
  const size_t slots = ATTENTION_SLOTS * rows * cores;
  const size_t units = problem->splits > 1 ? items(problem, settings) * problem->splits : 0;
  layout->o_pitch = (problem->dv * 4 + 63) / 64 * 64;
  layout->s = add_workspace(layout, "s", slots * problem->block * 4);
  layout->p = add_workspace(layout, "p", slots * problem->block * 2);
  layout->t = strcmp(settings->kernel, "base") == 0
                  ? add_workspace(layout, "t", slots * layout->o_pitch)
                  : NOWHERE;
  layout->o = add_workspace(layout, "o", slots * layout->o_pitch);
  layout->split_o = layout->split_ml = NOWHERE;
  if (units > 0) {
    layout->split_o = add_workspace(layout, "split_o", units * rows * layout->o_pitch);
    layout->split_ml = add_workspace(layout, "split_ml", units * rows * 2 * sizeof(float));
  }
}

static uint64_t address(const layout_t *layout, size_t index) {
  return index == NOWHERE ? 0 : layout->list[index].address;
}

static attention_args_t arguments(const attention_problem_t *problem,
                                  const attention_settings_t *settings, const layout_t *layout) {
  const size_t v_columns = problem->v == NULL ? problem->dk : problem->dv;
  return (attention_args_t){
      .q = address(layout, layout->q),
      .k = address(layout, layout->k),
      .v = address(layout, layout->v),
      .visible = address(layout, layout->visible),
      .out = address(layout, layout->out),
      .s = address(layout, layout->s),
      .p = address(layout, layout->p),
      .t = address(layout, layout->t),
      .o = address(layout, layout->o),
      .split_o = address(layout, layout->split_o),
      .split_ml = address(layout, layout->split_ml),
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

static soc_status_t run(const attention_problem_t *problem, const attention_settings_t *settings,
                        const uint8_t *mask, size_t mask_bytes, layout_t *layout, void *out,
                        soc_result_t *result) {
  const size_t out_bytes = attention_out_count(problem) * (settings->out_f32 ? 4 : 2);
  add_inputs(layout, problem);
  layout->visible = mask == NULL ? NOWHERE : add_input(layout, "visible", mask, mask_bytes);
  layout->out = add(layout, (soc_buffer_t){.name = "out", .bytes = out_bytes, .result = out});
  add_workspaces(layout, problem, settings);
  soc_place(layout->list, layout->count);
  const attention_args_t args = arguments(problem, settings, layout);
  return soc_run(&settings->soc, layout->list, layout->count, &args, sizeof args, result);
}

soc_status_t attention_simulate(const attention_problem_t *problem,
                                const attention_settings_t *settings, void *out,
                                soc_result_t *result) {
  layout_t layout = {0};
  uint8_t *mask = NULL;
  size_t mask_bytes = 0;
  memset(result, 0, sizeof *result);
  if (problem->visible != NULL) {
    mask = attention_pack_mask(problem, &mask_bytes, &layout.visible_pitch);
    if (mask == NULL) {
      snprintf(result->error, sizeof result->error, "mask: out of memory");
      return result->status = SOC_BAD_INPUT;
    }
  }
  const soc_status_t status = run(problem, settings, mask, mask_bytes, &layout, out, result);
  free(mask);
  return status;
}

uint64_t attention_flops(const attention_problem_t *problem) {
  return 2ull * problem->batch * problem->rows * problem->keys * (problem->dk + problem->dv);
}

double attention_fu(const attention_problem_t *problem, const config_t *config, uint64_t cycles) {
  const double peak = 2.0 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k *
                      config->soc.ai_cores;
  return cycles == 0 ? 0 : (double)attention_flops(problem) / ((double)cycles * peak);
}
