// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/w8a8.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "hal/command.h"
#include "kernel/arrays.h"
#include "kernels/step/step_args.h"
#include "num/golden/num_s8.h"
#include "num/golden/num_step.h"

enum { S8_STRIP = STRIP_ROW, MOST_TILE = 256, MAX_TILE_ROWS = 128 };
enum array { A, W, SCALE, FACTORS, LIST, QUANTISED, ROW_SCALE, SUMS, C, ARRAYS };
enum operation { QUANTISE, PRODUCT, DEQUANTISE, OPERATIONS };

// The list of operations, as it lies in global memory.
typedef struct list {
  step_entry_t entry[OPERATIONS];
  _Alignas(64) step_quantise_args_t quantise;
  _Alignas(64) step_product_s8_args_t product;
  _Alignas(64) step_dequantise_args_t dequantise;
} list_t;

typedef struct layout {
  kernel_arrays_t arrays;
  uint64_t address[ARRAYS];
  list_t list;
} layout_t;

// --- what is computed -------------------------------------------------------------------------

static double weight(const gemm_problem_t *p, size_t row, size_t column) {
  return (double)p->b_s8[row * p->n + column] * (double)p->column_scale[column];
}

static double given(const gemm_problem_t *p, size_t row, size_t column) {
  const uint16_t a = p->a[row * p->k + column];
  return (double)(p->type == NUM_HALF_FP16 ? num_fp16_to_f32(a) : num_bf16_to_f32(a)) *
         (p->smooth == NULL ? 1 : (double)p->smooth[column]);
}

static double quantised(const gemm_problem_t *p, size_t row, size_t column) {
  return (double)p->a_s8[row * p->k + column] * (double)p->row_scale[row];
}

static void multiply(const gemm_problem_t *p, double (*activation)(const gemm_problem_t *, size_t, size_t),
                     const size_t *column, size_t count, double *golden) {
  for (size_t i = 0; i < p->m; ++i) {
    for (size_t j = 0; j < count; ++j) {
      double sum = 0;
      for (size_t row = 0; row < p->k; ++row) {
        sum += activation(p, i, row) * weight(p, row, column[j]);
      }
      golden[i * count + j] = sum;
    }
  }
}

bool w8a8_fp64(void *run, const size_t *column, size_t count, size_t at, double *golden) {
  (void)at;
  multiply(&((const gemm_run_t *)run)->problem, quantised, column, count, golden);
  return true;
}

bool w8a8_exact(void *run, const size_t *column, size_t count, size_t at, double *golden) {
  (void)at;
  multiply(&((const gemm_run_t *)run)->problem, given, column, count, golden);
  return true;
}

bool w8a8_contract(void *context, const size_t *column, size_t count, size_t at, float *want) {
  const gemm_run_t *run = context;
  const gemm_problem_t *p = &run->problem;
  int8_t *b = malloc(p->k);
  int32_t *sums = malloc(p->m * sizeof *sums);
  float *c = malloc(p->m * sizeof *c);
  const bool good = b != NULL && sums != NULL && c != NULL;
  (void)at;
  for (size_t j = 0; good && j < count; ++j) {
    const num_step_dequantise_t how = {.scale = p->row_scale, .columns = &p->column_scale[column[j]], .type = TYPE_F32};
    for (size_t row = 0; row < p->k; ++row) {
      b[row] = p->b_s8[row * p->n + column[j]];
    }
    num_s8_column(p->m, p->k, p->a_s8, b, sums);
    num_step_dequantise(&how, sums, 1, p->m, 1, c, 1);
    for (size_t i = 0; i < p->m; ++i) {
      want[i * count + j] = c[i];
    }
  }
  free(b);
  free(sums);
  free(c);
  return good;
}

// --- the arrays -------------------------------------------------------------------------------

static void add(layout_t *layout, enum array which, uint64_t bytes, soc_buffer_t buffer) {
  kernel_array(&layout->arrays, &layout->address[which], bytes, buffer);
}

static void add_arrays(layout_t *layout, const gemm_run_t *run, const void *weights) {
  const gemm_problem_t *p = &run->problem;
  const unsigned type = p->type == NUM_HALF_FP16 ? TYPE_F16 : TYPE_BF16;
  const unsigned result = gemm_result_type(p, &run->settings);
  const size_t n = round_up(p->n, S8_STRIP);
  add(layout, A, p->m * p->k * 2, (soc_buffer_t){KERNEL_INPUT("a", p->a), KERNEL_MATRIX(type, p->m, p->k)});
  add(layout, W, n * p->k, (soc_buffer_t){KERNEL_INPUT("w", weights)});
  add(layout, SCALE, p->n * 4,
      (soc_buffer_t){KERNEL_INPUT("scale", p->column_scale), KERNEL_MATRIX(TYPE_F32, 1, p->n)});
  add(layout, FACTORS, p->has_smooth ? p->k * 4 : 0,
      (soc_buffer_t){KERNEL_INPUT("smooth", p->smooth), KERNEL_MATRIX(TYPE_F32, 1, p->k)});
  add(layout, LIST, sizeof layout->list, (soc_buffer_t){KERNEL_INPUT("list", &layout->list), .numbers = true});
  add(layout, QUANTISED, p->m * p->k, (soc_buffer_t){.name = "quantised", KERNEL_MATRIX(TYPE_S8, p->m, p->k)});
  add(layout, ROW_SCALE, p->m * 4, (soc_buffer_t){.name = "row_scale", KERNEL_MATRIX(TYPE_F32, 1, p->m)});
  add(layout, SUMS, p->m * n * 4, (soc_buffer_t){.name = "sums", KERNEL_MATRIX(TYPE_S32, p->m, n)});
  add(layout, C, p->m * p->n * gemm_result_bytes(p, &run->settings),
      (soc_buffer_t){.name = "c", .result = run->out, KERNEL_MATRIX(result, p->m, p->n)});
}

// Half as wide until every cube core has a tile.
static uint32_t tile_cols(const gemm_run_t *run) {
  const gemm_problem_t *p = &run->problem;
  size_t cols = MOST_TILE;
  while (cols > S8_STRIP &&
         ceil_div(p->m, MAX_TILE_ROWS) * ceil_div(p->n, cols) < run->settings.machine.soc.config.soc.ai_cores) {
    cols /= 2;
  }
  return (uint32_t)cols;
}

static void write_list(layout_t *layout, const gemm_run_t *run) {
  const gemm_problem_t *p = &run->problem;
  const uint64_t *address = layout->address, at = address[LIST];
  const uint32_t m = (uint32_t)p->m, k = (uint32_t)p->k, n = (uint32_t)round_up(p->n, S8_STRIP);
  list_t *list = &layout->list;
  list->entry[QUANTISE] = (step_entry_t){STEP_QUANTISE, QUANTISE, at + offsetof(list_t, quantise)};
  list->entry[PRODUCT] = (step_entry_t){STEP_PRODUCT_S8, PRODUCT, at + offsetof(list_t, product)};
  list->entry[DEQUANTISE] = (step_entry_t){STEP_DEQUANTISE, DEQUANTISE, at + offsetof(list_t, dequantise)};
  list->quantise = (step_quantise_args_t){.x = address[A],
                                          .out = address[QUANTISED],
                                          .scale = address[ROW_SCALE],
                                          .factors = address[FACTORS],
                                          .rows = m,
                                          .cols = k,
                                          .x_pitch = 2 * k,
                                          .type = p->type == NUM_HALF_FP16 ? TYPE_F16 : TYPE_BF16};
  list->product = (step_product_s8_args_t){.a = address[QUANTISED],
                                           .b = address[W],
                                           .c = address[SUMS],
                                           .a_pitch = k,
                                           .c_pitch = 4 * n,
                                           .groups = 1,
                                           .m = m,
                                           .n = n,
                                           .k = k,
                                           .type = TYPE_S8,
                                           .c_type = TYPE_S32,
                                           .tile_cols = tile_cols(run)};
  list->dequantise = (step_dequantise_args_t){.sums = address[SUMS],
                                              .scale = address[ROW_SCALE],
                                              .columns = address[SCALE],
                                              .c = address[C],
                                              .rows = m,
                                              .cols = (uint32_t)p->n,
                                              .sums_pitch = 4 * n,
                                              .c_pitch = (uint32_t)(p->n * gemm_result_bytes(p, &run->settings)),
                                              .c_type = gemm_result_type(p, &run->settings)};
}

// --- the run ----------------------------------------------------------------------------------

static void take_phases(gemm_run_t *run) {
  static const char *const names[OPERATIONS] = {"quantise", "multiply", "dequantise"};
  const config_soc_t *config = &run->settings.machine.soc.config.soc;
  const soc_result_t *soc = &run->kernel.result.soc;
  soc_traffic_t before = {0};
  uint64_t cycle = (uint64_t)(config->launch_us * config->clock_mhz);  // nobody's
  run->phases = 0;
  for (size_t i = 0; i < soc->mark_count && i < OPERATIONS; ++i) {
    const soc_mark_t *mark = &soc->marks[i];
    const soc_traffic_t *now = &mark->traffic;
    run->phase[run->phases++] = (gemm_phase_t){names[mark->number],
                                               mark->cycle - cycle,
                                               {now->hbm_read - before.hbm_read, now->hbm_write - before.hbm_write,
                                                now->l2_read - before.l2_read, now->l2_write - before.l2_write}};
    before = *now;
    cycle = mark->cycle;
  }
}

static void take_arrays(const layout_t *layout, gemm_run_t *run) {
  run->arrays = layout->arrays.count;
  for (size_t i = 0; i < run->arrays; ++i) {
    const soc_buffer_t *buffer = &layout->arrays.list[i];
    run->array[i] = (gemm_array_t){buffer->name, buffer->bytes, buffer->traffic};
  }
}

base_exit_t w8a8_simulate(gemm_run_t *run, const void *weights, base_error_t *error) {
  const gemm_problem_t *p = &run->problem;
  const gemm_settings_t *settings = &run->settings;
  soc_result_t *soc = &run->kernel.result.soc;
  layout_t *layout = calloc(1, sizeof *layout);
  if (layout == NULL) {
    base_fail(error, "out of memory");
    return BASE_BAD_INPUT;
  }
  add_arrays(layout, run, weights);
  kernel_arrays_place(&layout->arrays);
  write_list(layout, run);
  const step_args_t args = {.entries = layout->address[LIST], .count = OPERATIONS};
  soc_run(&settings->machine.soc, layout->arrays.list, layout->arrays.count, &args, sizeof args, soc);
  if (soc->status == SOC_DONE) {
    take_arrays(layout, run);
    take_phases(run);
  }
  free(layout);
  const base_exit_t code =
      kernel_result_take(&run->kernel.result, &settings->machine, soc->status, gemm_flops(p), error);
  const config_cube_t *cube = &settings->machine.soc.config.cube;
  run->kernel.result.fu *= (double)cube->mac_k / (double)cube->mac_k_s8;  // of the peak of such products
  return code;
}
