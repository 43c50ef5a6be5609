// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "kernel/arrays.h"
#include "kernel/flash/flash.h"
#include "kernels/flash/flash_args.h"
#include "num/num_format.h"

// What the host makes for the run, and where each array is in the list.
typedef struct layout {
  kernel_arrays_t arrays;
  float *tokens;
  uint8_t *bits;
  size_t q, k, v, token, visible, out, s, p, t, split_o, split_ml;
  size_t bits_bytes, bits_pitch, o_pitch;
} layout_t;

static bool make_tokens(const flash_problem_t *problem, layout_t *layout) {
  const size_t rows = flash_rows(problem);
  layout->tokens = malloc(rows * sizeof *layout->tokens);
  for (size_t row = 0; layout->tokens != NULL && row < rows; ++row) {
    layout->tokens[row] = -(float)(row % problem->seq_q);
  }
  return layout->tokens != NULL;
}

static bool pack_mask(const flash_problem_t *problem, layout_t *layout) {
  const size_t keys = problem->keys;
  layout->bits_pitch = (keys / 8 + 63) / 32 * 32;
  layout->bits_bytes = problem->mask_rows * layout->bits_pitch;
  layout->bits = calloc(layout->bits_bytes, 1);
  for (size_t row = 0; layout->bits != NULL && row < problem->mask_rows; ++row) {
    for (size_t key = 0; key < keys; ++key) {
      if (problem->visible[row * keys + key] != 0) {
        layout->bits[row * layout->bits_pitch + key / 8] |= (uint8_t)(1u << key % 8);
      }
    }
  }
  return layout->bits != NULL;
}

// For --watch and blame.
static void name_elements(const flash_run_t *run, layout_t *layout, size_t slots) {
  const flash_problem_t *p = &run->problem;
  const unsigned half = p->fp16 ? TYPE_F16 : TYPE_BF16;
  const size_t entries = flash_entries(p);
  kernel_arrays_t *arrays = &layout->arrays;
  kernel_array_shape(arrays, layout->q, half, entries * flash_rows(p), p->dk, 0);
  kernel_array_shape(arrays, layout->k, half, entries * p->keys, p->dk, 0);
  kernel_array_shape(arrays, layout->v, half, entries * p->keys, p->dv, 0);
  kernel_array_shape(arrays, layout->out, run->settings.out_f32 ? TYPE_F32 : half, flash_out_count(p) / p->dv, p->dv,
                     0);
  kernel_array_shape(arrays, layout->s, TYPE_F32, slots, p->block, 0);
  kernel_array_shape(arrays, layout->p, half, slots, p->block, 0);
  kernel_array_shape(arrays, layout->t, TYPE_F32, slots, p->dv, layout->o_pitch);
}

static void add_arrays(flash_run_t *run, layout_t *layout) {
  const flash_problem_t *problem = &run->problem;
  const size_t entries = flash_entries(problem);
  const size_t rows = flash_group_rows(&run->deal);
  const size_t slots = FLASH_SLOTS * rows * run->settings.machine.soc.config.soc.ai_cores;
  const size_t units = problem->splits > 1 ? flash_units(&run->deal) : 0;
  const size_t out_bytes = flash_out_count(problem) * (run->settings.out_f32 ? 4 : 2);
  kernel_arrays_t *arrays = &layout->arrays;
  layout->o_pitch = (problem->dv * 4 + 63) / 64 * 64;
  layout->q = kernel_array_input(arrays, "q", problem->q, entries * flash_rows(problem) * problem->dk * 2);
  layout->k = kernel_array_input(arrays, "k", problem->k, entries * problem->keys * problem->dk * 2);
  layout->v = kernel_array_input(arrays, "v", problem->v, entries * problem->keys * problem->dv * 2);
  layout->token =
      kernel_array_input(arrays, "token", layout->tokens, layout->tokens == NULL ? 0 : flash_rows(problem) * 4);
  layout->visible = kernel_array_input(arrays, "visible", layout->bits, layout->bits_bytes);
  layout->out = kernel_array_add(arrays, (soc_buffer_t){.name = "out", .bytes = out_bytes, .result = run->out});
  layout->s = kernel_array_workspace(arrays, "s", slots * problem->block * 4);
  layout->p = kernel_array_workspace(arrays, "p", slots * problem->block * 2);
  layout->t = kernel_array_workspace(arrays, "t", slots * layout->o_pitch);
  layout->split_o = kernel_array_workspace(arrays, "split_o", units * rows * layout->o_pitch);
  layout->split_ml = kernel_array_workspace(arrays, "split_ml", units * rows * 8);
  name_elements(run, layout, slots);
}

static attention_args_t attention_arguments(const flash_run_t *run, const layout_t *layout) {
  const flash_problem_t *problem = &run->problem;
  const kernel_arrays_t *arrays = &layout->arrays;
  return (attention_args_t){
      .q = kernel_array_address(arrays, layout->q),
      .k = kernel_array_address(arrays, layout->k),
      .v = kernel_array_address(arrays, layout->v),
      .out = kernel_array_address(arrays, layout->out),
      .s = kernel_array_address(arrays, layout->s),
      .p = kernel_array_address(arrays, layout->p),
      .t = kernel_array_address(arrays, layout->t),
      .split_o = kernel_array_address(arrays, layout->split_o),
      .split_ml = kernel_array_address(arrays, layout->split_ml),
      .k_batch = problem->keys * problem->dk * 2,
      .v_batch = problem->keys * problem->dv * 2,
      .k_pitch = (uint32_t)(problem->dk * 2),
      .v_pitch = (uint32_t)(problem->dv * 2),
      .o_pitch = (uint32_t)layout->o_pitch,
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
      .out_f32 = run->settings.out_f32,
  };
}

static flash_args_t arguments(const flash_run_t *run, const layout_t *layout) {
  const flash_problem_t *problem = &run->problem;
  flash_args_t args = {
      .attention = attention_arguments(run, layout),
      .token = kernel_array_address(&layout->arrays, layout->token),
      .visible = kernel_array_address(&layout->arrays, layout->visible),
      .visible_pitch = problem->mask_rows > 1 ? (uint32_t)layout->bits_pitch : 0,
      .seq_q = (uint32_t)problem->seq_q,
      .kv_heads = (uint32_t)problem->kv_heads,
      .groups = run->deal.groups,
      .causal = problem->causal,
      .fp16 = problem->fp16,
      .preload = run->settings.preload,
      .has_lengths = problem->length != NULL,
  };
  if (problem->length != NULL) {
    memcpy(args.length, problem->length, problem->batch * sizeof *args.length);
  }
  return args;
}

static soc_status_t simulate(flash_run_t *run, layout_t *layout) {
  const flash_problem_t *problem = &run->problem;
  add_arrays(run, layout);
  soc_place(layout->arrays.list, layout->arrays.count);
  const flash_args_t args = arguments(run, layout);
  return soc_run(&run->settings.machine.soc, layout->arrays.list, layout->arrays.count, &args,
                 flash_args_bytes(problem->length == NULL ? 0 : (uint32_t)problem->batch), &run->result.soc);
}

base_exit_t flash_simulate(flash_run_t *run, base_error_t *error) {
  const flash_problem_t *problem = &run->problem;
  layout_t layout = {0};
  base_exit_t code = BASE_BAD_INPUT;
  if ((!problem->causal || make_tokens(problem, &layout)) &&
      (problem->visible == NULL || pack_mask(problem, &layout))) {
    const soc_status_t status = simulate(run, &layout);
    code = kernel_result_take(&run->result, &run->settings.machine, status, flash_flops(problem), error);
  } else {
    base_fail(error, "--causal, --mask: out of memory");
  }
  free(layout.tokens);
  free(layout.bits);
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
