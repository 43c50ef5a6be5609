// SPDX-License-Identifier: Apache-2.0
#include "base/size.h"
#include "kernel/gemm/gemm.h"

#include <stdlib.h>
#include <string.h>

#include "hal/command.h"
#include "kernel/arrays.h"
#include "kernel/gemm/w8a8.h"
#include "kernels/gemm/gemm_args.h"

enum array { A, W, SCALE, ZERO, B, PARTIAL, C, ARRAYS };  // SCALE: of w4a16, or of 8-bit integers
enum { LINE = 512, MIN_DEQUANT_ROWS = 8, TILE = 16384, SCALES = 4096 };

// The arrays of one run; those that it has not are NULL, and have no address.
typedef struct layout {
  kernel_arrays_t arrays;
  soc_buffer_t *array[ARRAYS];
  uint64_t address[ARRAYS];
  size_t partial_bytes;
} layout_t;

static void add(layout_t *layout, enum array which, size_t bytes, soc_buffer_t buffer) {
  layout->array[which] = kernel_array(&layout->arrays, &layout->address[which], bytes, buffer);
}

static unsigned operand_type(const gemm_problem_t *p) {
  return p->s8 ? TYPE_S8 : p->type == NUM_HALF_FP16 ? TYPE_F16 : TYPE_BF16;
}

// Of weights; of gemm's activations, too.
static size_t operand_bytes(const gemm_problem_t *p) { return p->s8 || p->w8a8 ? 1 : 2; }

static const void *weights_of(const gemm_problem_t *p) { return p->b_s8 != NULL ? (const void *)p->b_s8 : p->b; }

// Columns of a strip.
static size_t strip_cols(const gemm_problem_t *p) { return STRIP_ROW / operand_bytes(p); }

// gemm's weights as they lie in global memory: bytes, and from row, column or strip to the next.
static size_t w_pitch(const gemm_problem_t *p) {
  return p->layout == GEMM_ND   ? operand_bytes(p) * p->n
         : p->layout == GEMM_DN ? operand_bytes(p) * p->k
                                : round_up(p->k, STRIP) * STRIP_ROW;
}

static size_t w_bytes(const gemm_problem_t *p) {
  const size_t lines = p->layout == GEMM_ND ? p->k : p->layout == GEMM_DN ? p->n : ceil_div(p->n, strip_cols(p));
  return lines * w_pitch(p);
}

// Lays out weights [k][n]; NULL: no memory. Padding of strips is zero.
static void *lay_out(const gemm_problem_t *p) {
  const size_t bytes = operand_bytes(p), strip = strip_cols(p);
  const uint8_t *from = weights_of(p);
  uint8_t *to = calloc(w_bytes(p), 1);
  for (size_t i = 0; to != NULL && i < p->k; ++i) {
    for (size_t j = 0; j < p->n; ++j) {
      const size_t at =
          p->layout == GEMM_DN ? (j * p->k + i) * bytes : j / strip * w_pitch(p) + i * STRIP_ROW + j % strip * bytes;
      memcpy(to + at, from + (i * p->n + j) * bytes, bytes);
    }
  }
  return to;
}

// Scales of columns as FIXPIPE takes them; NULL: no memory.
static float *lay_out_scales(const gemm_problem_t *p) {
  float *to = calloc(round_up(p->n, STRIP_ROW / GEMM_SCALE_BYTES), GEMM_SCALE_BYTES);
  for (size_t j = 0; to != NULL && j < p->n; ++j) {
    to[2 * j] = p->column_scale[j];
  }
  return to;
}

static void add_inputs(layout_t *layout, const gemm_problem_t *p, const void *w, const float *scales_s8) {
  const size_t scales = p->quantised ? p->k / p->group * p->n * 2 : 0;
  const unsigned type = operand_type(p);
  const void *a = p->s8 ? (const void *)p->a_s8 : p->a;
  add(layout, A, p->m * p->k * operand_bytes(p), (soc_buffer_t){KERNEL_INPUT("a", a), KERNEL_MATRIX(type, p->m, p->k)});
  if (p->quantised) {
    add(layout, W, p->k * p->n / 2, (soc_buffer_t){KERNEL_INPUT("w", p->w)});
    add(layout, SCALE, scales, (soc_buffer_t){KERNEL_INPUT("scale", p->scale)});
    add(layout, ZERO, p->zeros == W4A16_NO_ZEROS ? 0 : scales, (soc_buffer_t){KERNEL_INPUT("zero", p->zero)});
  } else if (p->layout == GEMM_NZ) {
    add(layout, W, w_bytes(p), (soc_buffer_t){KERNEL_INPUT("w", w)});
  } else {
    const bool columns = p->layout == GEMM_DN;
    add(layout, W, w_bytes(p),
        (soc_buffer_t){KERNEL_INPUT("w", w), KERNEL_MATRIX(type, columns ? p->n : p->k, columns ? p->k : p->n)});
  }
  if (p->scaled) {
    add(layout, SCALE, round_up(p->n, STRIP_ROW / GEMM_SCALE_BYTES) * GEMM_SCALE_BYTES,
        (soc_buffer_t){KERNEL_INPUT("scale", scales_s8)});
  }
}

// Pitch of B in the workspace, from row to row.
static size_t b_pitch(const gemm_problem_t *p, const gemm_settings_t *s) {
  return (p->n + s->tile_n - 1) / s->tile_n * W4A16_TILE_PITCH;
}

// rows: where B goes after the run, NULL: nowhere.
static void add_results(layout_t *layout, const gemm_run_t *run, void *rows) {
  const gemm_problem_t *p = &run->problem;
  const gemm_settings_t *s = &run->settings;
  const size_t ring = (size_t)s->machine.soc.config.soc.ai_cores * W4A16_RING * W4A16_SLOT;
  const size_t b_bytes = !p->quantised                   ? 0
                         : s->phases == W4A16_SEQUENTIAL ? p->k * b_pitch(p, s)
                         : s->phases == W4A16_OVERLAPPED ? ring
                                                         : 0;
  layout->partial_bytes = round_up(p->m * p->n * 4, LINE);
  add(layout, B, b_bytes, (soc_buffer_t){.name = "b", .result = rows, .gaps = true});
  add(layout, PARTIAL, gemm_reduces(s) ? s->splits * layout->partial_bytes : 0, (soc_buffer_t){.name = "partial"});
  add(layout, C, p->m * p->n * gemm_result_bytes(p, s),
      (soc_buffer_t){.name = "c", .result = run->out, KERNEL_MATRIX(gemm_result_type(p, s), p->m, p->n)});
}

static gemm_args_t product_arguments(const gemm_problem_t *p, const gemm_settings_t *s, const layout_t *layout) {
  return (gemm_args_t){.a = layout->address[A],
                       .b = layout->address[W],
                       .c = layout->address[C],
                       .a_pitch = (uint32_t)(p->k * operand_bytes(p)),
                       .b_pitch = (uint32_t)w_pitch(p),
                       .c_pitch = (uint32_t)(p->n * gemm_result_bytes(p, s)),
                       .m = (uint32_t)p->m,
                       .n = (uint32_t)p->n,
                       .k = (uint32_t)p->k,
                       .type = operand_type(p)};
}

static gemm_fp16_args_t halving_arguments(const gemm_problem_t *p, const gemm_settings_t *s, const layout_t *layout) {
  return (gemm_fp16_args_t){
      .product = product_arguments(p, s, layout), .c_type = s->out_f32 ? TYPE_F32 : TYPE_F16, .tile_cols = s->tile_n};
}

static gemm_tiles_args_t tiles_arguments(const gemm_problem_t *p, const gemm_settings_t *s, const layout_t *layout) {
  const gemm_args_t product = product_arguments(p, s, layout);
  const gemm_cut_t *cut = &s->cut;
  return (gemm_tiles_args_t){.product = product,
                             .partial = p->s8 ? layout->address[SCALE] : layout->address[PARTIAL],
                             .partial_bytes = layout->partial_bytes,
                             .c_type = gemm_result_type(p, s),
                             .layout = p->layout,
                             .tile_rows = cut->rows,
                             .tile_cols = cut->cols,
                             .a_depth = cut->depth,
                             .b_depth = cut->b_depth,
                             .a_slots = cut->a_slots,
                             .b_slots = cut->b_slots,
                             .splits = cut->splits,
                             .by_columns = cut->order == GEMM_BY_COLUMNS,
                             .band = cut->band,
                             .kept = cut->kept};
}

// Rows that are dequantised at a time.  Tiles are of 16 Ki elements: UB has room for three of them on
// their way out and more on their way in.  Smaller if many scales go with them or FP32 forms take room
// in UB, and, where phases are sequential, if there are too few of them for all vector cores.
static uint32_t dequant_rows(const gemm_problem_t *p, const gemm_settings_t *s) {
  const size_t vectors = (size_t)s->machine.soc.config.soc.ai_cores * s->machine.soc.config.soc.vector_cores;
  const size_t cols = s->tile_n;
  size_t rows = (p->zeros == W4A16_ANY_ZEROS ? TILE / 2 : TILE) / cols;
  rows = rows > 128 ? 128 : rows;
  while (rows > MIN_DEQUANT_ROWS && rows / p->group * cols > SCALES) {
    rows /= 2;
  }
  // Time is that of the core with the most tiles; a tile costs about eight rows' time besides.
  size_t best = rows;
  double least = 0;
  for (size_t r = rows; s->phases == W4A16_SEQUENTIAL && r >= MIN_DEQUANT_ROWS; r -= 8) {
    const size_t tiles = (p->k + r - 1) / r * ((p->n + cols - 1) / cols);
    const size_t of_a_core = (tiles + vectors - 1) / vectors;
    const double time = (double)(of_a_core * (r + 8));
    if (r == rows || time < least) {
      least = time;
      best = r;
    }
  }
  return (uint32_t)best;
}

static w4a16_args_t w4a16_arguments(const gemm_problem_t *p, const gemm_settings_t *s, const layout_t *layout) {
  return (w4a16_args_t){
      .a = layout->address[A],
      .w = layout->address[W],
      .scale = layout->address[SCALE],
      .zero = layout->address[ZERO],
      .c = layout->address[C],
      .b = layout->address[B],
      .partial = layout->address[PARTIAL],
      .partial_bytes = layout->partial_bytes,
      .m = (uint32_t)p->m,
      .n = (uint32_t)p->n,
      .k = (uint32_t)p->k,
      .group = (uint32_t)p->group,
      .splits = s->splits,
      .reduce = gemm_reduces(s) ? 1 : 0,
      .tile_cols = s->tile_n,
      .dequant_rows = dequant_rows(p, s),
      .phases = s->phases,
      .zeros = p->zeros,
      .nibbles = p->is_unsigned ? TYPE_U4 : TYPE_S4,
      .out_f32 = s->out_f32,
  };
}

// --- the books --------------------------------------------------------------------------------

static void take_arrays(const layout_t *layout, gemm_run_t *run) {
  run->arrays = 0;
  for (size_t i = 0; i < layout->arrays.count; ++i) {
    const soc_buffer_t *buffer = &layout->arrays.list[i];
    run->array[run->arrays++] = (gemm_array_t){buffer->name, buffer->bytes, buffer->traffic};
  }
}

// Adds what a phase reads or writes of an array to its books.
static void add_read(gemm_phase_t *phase, const layout_t *layout, enum array which) {
  if (layout->array[which] != NULL) {
    const soc_traffic_t *books = &layout->array[which]->traffic;
    phase->traffic.hbm_read += books->hbm_read;
    phase->traffic.l2_read += books->l2_read;
  }
}

static void add_write(gemm_phase_t *phase, const layout_t *layout, enum array which) {
  if (layout->array[which] != NULL) {
    const soc_traffic_t *books = &layout->array[which]->traffic;
    phase->traffic.hbm_write += books->hbm_write;
    phase->traffic.l2_write += books->l2_write;
  }
}

// Every array is written by one phase and read by one, so that its books are theirs.
static void take_phases(const layout_t *layout, gemm_run_t *run) {
  const gemm_problem_t *p = &run->problem;
  const gemm_settings_t *s = &run->settings;
  const bool sequential = s->phases == W4A16_SEQUENTIAL;
  const uint64_t *sync = run->kernel.result.soc.sync_cycle;
  const uint64_t dequantised = p->quantised && sequential ? sync[0] : 0;
  const uint64_t multiplied =
      gemm_reduces(s) ? sync[p->quantised && sequential ? 1 : 0] : run->kernel.result.soc.cycles;
  run->phases = 0;
  if (p->quantised) {
    gemm_phase_t *phase = &run->phase[run->phases++];
    *phase = (gemm_phase_t){.name = "dequantise", .cycles = dequantised};
    add_read(phase, layout, W);
    add_read(phase, layout, SCALE);
    add_read(phase, layout, ZERO);
    add_write(phase, layout, B);
  }
  gemm_phase_t *multiply = &run->phase[run->phases++];
  *multiply = (gemm_phase_t){.name = "multiply", .cycles = multiplied - dequantised};
  add_read(multiply, layout, A);
  add_read(multiply, layout, p->quantised ? B : W);
  add_write(multiply, layout, gemm_reduces(s) ? PARTIAL : C);
  if (gemm_reduces(s)) {
    gemm_phase_t *phase = &run->phase[run->phases++];
    *phase = (gemm_phase_t){.name = "reduce", .cycles = run->kernel.result.soc.cycles - multiplied};
    add_read(phase, layout, PARTIAL);
    add_write(phase, layout, C);
  }
}

// --- the run ----------------------------------------------------------------------------------

static void take_b(const gemm_problem_t *p, const gemm_settings_t *s, const uint8_t *tile, uint16_t *b) {
  for (size_t i = 0; i < p->k; ++i) {
    for (size_t j = 0; j < p->n; j += s->tile_n, tile += W4A16_TILE_PITCH) {
      memcpy(b + i * p->n + j, tile, (p->n - j < s->tile_n ? p->n - j : s->tile_n) * 2);
    }
  }
}

static soc_status_t simulate(gemm_run_t *run, layout_t *layout) {
  const gemm_problem_t *p = &run->problem;
  const gemm_settings_t *s = &run->settings;
  soc_result_t *soc = &run->kernel.result.soc;
  kernel_arrays_t *arrays = &layout->arrays;
  kernel_arrays_place(arrays);
  soc_options_t options = s->machine.soc;
  options.cube_only = !p->quantised && !gemm_reduces(s);
  if (p->quantised) {
    const w4a16_args_t args = w4a16_arguments(p, s, layout);
    soc_run(&options, arrays->list, arrays->count, &args, sizeof args, soc);
  } else if (s->halving) {
    const gemm_fp16_args_t args = halving_arguments(p, s, layout);
    soc_run(&options, arrays->list, arrays->count, &args, sizeof args, soc);
  } else {
    const gemm_tiles_args_t args = tiles_arguments(p, s, layout);
    soc_run(&options, arrays->list, arrays->count, &args, sizeof args, soc);
  }
  if (soc->status == SOC_DONE) {
    take_arrays(layout, run);
    take_phases(layout, run);
  }
  return soc->status;
}

base_exit_t gemm_simulate(kernel_run_t *kernel, base_error_t *error) {
  gemm_run_t *run = (gemm_run_t *)kernel;
  const gemm_problem_t *problem = &run->problem;
  const gemm_settings_t *settings = &run->settings;
  layout_t layout = {0};
  const bool lays_out = problem->layout != GEMM_ND && weights_of(problem) != NULL;
  void *laid = lays_out ? lay_out(problem) : NULL;
  if (problem->w8a8 && (laid != NULL || !lays_out)) {
    const base_exit_t code = w8a8_simulate(run, laid, error);
    free(laid);
    return code;
  }
  float *scales = problem->column_scale != NULL ? lay_out_scales(problem) : NULL;
  uint8_t *rows = run->b != NULL ? malloc(problem->k * b_pitch(problem, settings)) : NULL;
  if ((run->b != NULL && rows == NULL) || (lays_out && laid == NULL) ||
      (problem->column_scale != NULL && scales == NULL)) {
    base_fail(error, "workspace: out of memory");
    free(scales);
    free(laid);
    free(rows);
    return BASE_BAD_INPUT;
  }
  add_inputs(&layout, problem, laid != NULL ? laid : weights_of(problem), scales);
  add_results(&layout, run, rows);
  const soc_status_t status = simulate(run, &layout);
  if (rows != NULL && status == SOC_DONE) {
    take_b(problem, settings, rows, run->b);
  }
  free(rows);
  free(scales);
  free(laid);
  const base_exit_t exit =
      kernel_result_take(&run->kernel.result, &settings->machine, status, gemm_flops(problem), error);
  if (problem->s8) {  // of the peak of such products
    const config_cube_t *cube = &settings->machine.soc.config.cube;
    run->kernel.result.fu *= (double)cube->mac_k / (double)cube->mac_k_s8;
  }
  return exit;
}
