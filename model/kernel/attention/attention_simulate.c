// SPDX-License-Identifier: Apache-2.0
#include "base/size.h"
#include "kernel/attention/attention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "kernel/arrays.h"
#include "kernel/attention/attention_stages.h"
#include "kernel/mask.h"
#include "num/num_format.h"

static size_t group_rows(const attention_settings_t *settings) {
  return settings->group_rows == 0 ? ATTENTION_MAX_GROUP : settings->group_rows;
}

size_t attention_group_rows(const attention_problem_t *problem, const attention_settings_t *settings) {
  return smaller(group_rows(settings), problem->rows);
}

// Groups of rows, all batch entries.
static size_t items(const attention_problem_t *problem, const attention_settings_t *settings) {
  return problem->batch * ceil_div(problem->rows, group_rows(settings));
}

size_t attention_splits(const attention_problem_t *problem, const attention_settings_t *settings) {
  const size_t blocks = ceil_div(problem->keys, problem->block);
  size_t splits = settings->splits;
  if (splits == ATTENTION_SPLITS_AUTO) {
    splits = settings->machine.soc.config.soc.ai_cores / items(problem, settings);
    splits = smaller(splits, ATTENTION_MAX_SPLITS);
  }
  return smaller(splits == 0 ? 1 : splits, blocks);
}

// Workspaces are there for each AI core.
static void add_arrays(attention_run_t *run, const uint8_t *mask, attention_args_t *args, kernel_arrays_t *arrays) {
  const attention_problem_t *p = &run->problem;
  const size_t tokens = p->batch * p->keys;
  const size_t queries = p->batch * p->rows;
  const size_t rows = attention_group_rows(p, &run->settings);
  const size_t slots = ATTENTION_SLOTS * rows * run->settings.machine.soc.config.soc.ai_cores;
  const size_t units = p->splits > 1 ? items(p, &run->settings) * p->splits : 0;
  const bool base = strcmp(run->settings.kernel, "base") == 0;
  const bool f32 = run->settings.out_f32;
  const size_t o_pitch = args->o_pitch;
  const size_t mask_bytes = mask == NULL ? 0 : p->rows * args->visible_pitch;
  kernel_array(arrays, &args->q, queries * p->dk * 2,
               (soc_buffer_t){KERNEL_INPUT("q", p->q), KERNEL_MATRIX(TYPE_BF16, queries, p->dk)});
  kernel_array(arrays, &args->k, tokens * p->dk * 2,
               (soc_buffer_t){KERNEL_INPUT(p->v == NULL ? "kv" : "k", p->k), KERNEL_MATRIX(TYPE_BF16, tokens, p->dk)});
  kernel_array(arrays, &args->v, p->v == NULL ? 0 : tokens * p->dv * 2,
               (soc_buffer_t){KERNEL_INPUT("v", p->v), KERNEL_MATRIX(TYPE_BF16, tokens, p->dv)});
  kernel_array(arrays, &args->visible, mask_bytes, (soc_buffer_t){KERNEL_INPUT("visible", mask)});
  kernel_array(
      arrays, &args->out, attention_out_count(p) * (f32 ? 4 : 2),
      (soc_buffer_t){.name = "out", .result = run->out, KERNEL_MATRIX(f32 ? TYPE_F32 : TYPE_BF16, queries, p->dv)});
  kernel_array(arrays, &args->s, slots * p->block * 4,
               (soc_buffer_t){.name = "s", KERNEL_MATRIX(TYPE_F32, slots, p->block)});
  kernel_array(arrays, &args->p, slots * p->block * 2,
               (soc_buffer_t){.name = "p", KERNEL_MATRIX(TYPE_BF16, slots, p->block)});
  kernel_array(arrays, &args->t, base ? slots * o_pitch : 0,
               (soc_buffer_t){.name = "t", KERNEL_MATRIX(TYPE_F32, slots, p->dv), .pitch = o_pitch});
  kernel_array(arrays, &args->o, slots * o_pitch,
               (soc_buffer_t){.name = "o", KERNEL_MATRIX(TYPE_F32, slots, p->dv), .pitch = o_pitch});
  kernel_array(arrays, &args->split_o, units * rows * o_pitch, (soc_buffer_t){.name = "split_o"});
  kernel_array(arrays, &args->split_ml, units * rows * 2 * sizeof(float), (soc_buffer_t){.name = "split_ml"});
}

// All but the arrays' addresses.
static attention_args_t arguments(const attention_problem_t *problem, const attention_settings_t *settings,
                                  size_t visible_pitch) {
  const size_t v_columns = problem->v == NULL ? problem->dk : problem->dv;
  return (attention_args_t){
      .k_batch = problem->keys * problem->dk * 2,
      .v_batch = problem->keys * v_columns * 2,
      .k_pitch = (uint32_t)(problem->dk * 2),
      .v_pitch = (uint32_t)(v_columns * 2),
      .visible_pitch = (uint32_t)visible_pitch,
      .o_pitch = (uint32_t)((problem->dv * 4 + 63) / 64 * 64),
      .batch = (uint32_t)problem->batch,
      .rows = (uint32_t)problem->rows,
      .group_rows = (uint32_t)group_rows(settings),
      .keys = (uint32_t)problem->keys,
      .splits = problem->splits > 1 ? (uint32_t)problem->splits : 1,
      .dk = (uint32_t)problem->dk,
      .dv = (uint32_t)problem->dv,
      .block = (uint32_t)problem->block,
      .scale = num_f32_bits(problem->scale),
#define SETTING(field, option, type, arg, commands, start, low, high, help) .field = settings->field,
#include "kernels/attention/attention_settings.def"
#undef SETTING
      .out_f32 = settings->out_f32,
  };
}

static soc_status_t simulate(attention_run_t *run, const uint8_t *mask, size_t visible_pitch) {
  attention_args_t args = arguments(&run->problem, &run->settings, visible_pitch);
  kernel_arrays_t arrays = {.count = 0};
  add_arrays(run, mask, &args, &arrays);
  kernel_arrays_place(&arrays);
  args.v = run->problem.v == NULL ? args.k : args.v;
  args.cycles =
      attention_args_cycles(&run->settings.machine.soc.config, &args, strcmp(run->settings.kernel, "base") != 0);
  return soc_run(&run->settings.machine.soc, arrays.list, arrays.count, &args, sizeof args, &run->kernel.result.soc);
}

base_exit_t attention_simulate(kernel_run_t *kernel, base_error_t *error) {
  attention_run_t *run = (attention_run_t *)kernel;
  uint8_t *mask = NULL;
  const size_t blocks = ceil_div(run->problem.keys, run->problem.block);
  const size_t visible_pitch = (blocks * run->problem.block / 8 + 31) / 32 * 32;
  if (run->problem.visible != NULL) {
    mask = mask_pack(run->problem.visible, run->problem.rows, run->problem.keys, visible_pitch);
    if (mask == NULL) {
      base_fail(error, "mask: out of memory");
      return BASE_BAD_INPUT;
    }
  }
  const judge_answer_t answer = attention_answer(kernel);
  if (run->judges_beside && !judge_begin(&run->kernel.beside, &answer, run->kernel.judge.golden)) {
    free(mask);
    base_fail(error, "FP64 reference: out of memory");
    return BASE_BAD_INPUT;
  }
  const soc_status_t status = simulate(run, mask, mask == NULL ? 0 : visible_pitch);
  free(mask);
  return kernel_result_take(&run->kernel.result, &run->settings.machine, status, attention_flops(&run->problem), error);
}

uint64_t attention_flops(const attention_problem_t *problem) {
  return 2ull * problem->batch * problem->rows * problem->keys * (problem->dk + problem->dv);
}
