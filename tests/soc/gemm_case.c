// SPDX-License-Identifier: Apache-2.0
#include "gemm_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "hal/command.h"
#include "num/num_format.h"
#include "num/num_rng.h"

typedef struct arrays {
  uint16_t *a, *b;  // NaN between rows
  float *c;
  size_t a_row, b_row, c_row;  // elements from row to row
} arrays_t;

static void *allocate(size_t count, size_t size) {
  void *memory = malloc(count * size);
  if (memory == NULL) {
    printf("out of memory: %zu x %zu\n", count, size);
    abort();
  }
  return memory;
}

// Magnitudes over 16 powers of two, so that the order of sums shows; some zeros of either sign and,
// in FP16, subnormal numbers.
static uint16_t element(num_rng_t *rng, uint32_t type) {
  const uint64_t random = num_rng_u64(rng);
  const int exponent = (int)(random % 16) - (random % 64 == 0 ? 22 : 8);
  const float value = random % 50 == 49 ? (random & 64 ? -0.0f : 0.0f) : ldexpf((float)num_rng_normal(rng), exponent);
  return type == TYPE_BF16 ? num_bf16_from_f32(value) : num_fp16_from_f32(value);
}

static uint16_t *matrix(num_rng_t *rng, uint32_t type, size_t rows, size_t cols, size_t row) {
  uint16_t *values = allocate(rows * row, sizeof *values);
  memset(values, 0xff, rows * row * sizeof *values);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < cols; ++j) {
      values[i * row + j] = element(rng, type);
    }
  }
  return values;
}

static arrays_t make_arrays(const gemm_case_t *what) {
  arrays_t arrays = {.a_row = what->k + what->a_pad, .b_row = what->n + what->b_pad, .c_row = what->n + what->c_pad};
  num_rng_t rng;
  num_rng_seed(&rng, what->m * 1000003ull + what->n * 1009ull + what->k);
  if (!what->timing_only) {
    arrays.a = matrix(&rng, what->type, what->m, what->k, arrays.a_row);
    arrays.b = matrix(&rng, what->type, what->k, what->n, arrays.b_row);
    arrays.c = allocate(what->m * arrays.c_row, sizeof(float));
  }
  return arrays;
}

static float widen(uint16_t value, uint32_t type) {
  return type == TYPE_BF16 ? num_bf16_to_f32(value) : num_fp16_to_f32(value);
}

// The contract, as it says it.
static float sum(const gemm_case_t *what, const arrays_t *arrays, size_t i, size_t j) {
  float c = 0;
  for (size_t p = 0; p < what->k; ++p) {
    c = fmaf(widen(arrays->a[i * arrays->a_row + p], what->type), widen(arrays->b[p * arrays->b_row + j], what->type),
             c);
  }
  return c;
}

static size_t wrong_elements(const gemm_case_t *what, const arrays_t *arrays) {
  size_t wrong = 0;
  for (size_t i = 0; i < what->m; ++i) {
    for (size_t j = 0; j < arrays->c_row; ++j) {
      const uint32_t expected = j < what->n ? num_f32_bits(sum(what, arrays, i, j)) : UINT32_MAX;  // nobody writes gaps
      wrong += num_f32_bits(arrays->c[i * arrays->c_row + j]) != expected;
    }
  }
  return wrong;
}

static bool load_config(config_t *config, unsigned cores, gemm_outcome_t *outcome) {
  base_error_t reason;
  const char *name = cores == 0 ? "ascend910_core" : "ascend910_die";
  if (!config_open(name, config, &reason)) {
    snprintf(outcome->error, sizeof outcome->error, "%s: %.150s", name, reason.text);
    return false;
  }
  config->soc.ai_cores = cores == 0 ? config->soc.ai_cores : cores;
  return true;
}

static void simulate(const gemm_case_t *what, const soc_options_t *options, const arrays_t *arrays,
                     soc_result_t *result) {
  const uint32_t pitch[] = {(uint32_t)arrays->a_row * 2, (uint32_t)arrays->b_row * 2, (uint32_t)arrays->c_row * 4};
  soc_buffer_t buffers[] = {
      {.name = "a", .bytes = (uint64_t)what->m * pitch[0], .init = arrays->a, .read_only = true},
      {.name = "b", .bytes = (uint64_t)what->k * pitch[1], .init = arrays->b, .read_only = true},
      {.name = "c", .bytes = (uint64_t)what->m * pitch[2], .result = arrays->c},
  };
  soc_place(buffers, 3);
  gemm_args_t args = {.a = buffers[0].address,
                      .b = buffers[1].address,
                      .c = buffers[2].address,
                      .a_pitch = pitch[0],
                      .b_pitch = pitch[1],
                      .c_pitch = pitch[2],
                      .m = what->m,
                      .n = what->n,
                      .k = what->k,
                      .type = what->type};
  if (what->change != NULL) {
    what->change(&args);
  }
  soc_run(options, buffers, 3, &args, sizeof args, result);
  if (result->unwritten_count > 0) {
    fprintf(stderr, "nobody wrote what %s reads\n", result->unwritten[0].read);
    abort();
  }
}

void gemm_case_run(const gemm_case_t *what, const char *firmware, gemm_outcome_t *outcome, soc_result_t *result) {
  const bool native = strstr(firmware, ".so") != NULL;
  soc_options_t options = {.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV,
                           .firmware_file = firmware,
                           .gm = SOC_GM_C,
                           .race_check = true,
                           .init_check = true,
                           .timing_only = what->timing_only,
                           .threads = what->threads,
                           .watch = {.timeline = what->timeline, .record = what->record}};
  *outcome = (gemm_outcome_t){.status = SOC_BAD_INPUT};
  *result = (soc_result_t){0};
  if (!load_config(&options.config, what->cores, outcome)) {
    return;
  }
  arrays_t arrays = make_arrays(what);
  simulate(what, &options, &arrays, result);
  outcome->status = result->status;
  memcpy(outcome->error, result->error, sizeof outcome->error);
  outcome->cycles = result->cycles;
  const config_cube_t *cube = &options.config.cube;
  const double peak = 2.0 * cube->mac_m * cube->mac_n * cube->mac_k * options.config.soc.ai_cores;
  const double flops = 2.0 * what->m * what->n * what->k;
  outcome->use = result->cycles == 0 ? 0 : flops / (peak * (double)result->cycles);
  if (result->status == SOC_DONE && !what->timing_only) {
    outcome->wrong = wrong_elements(what, &arrays);
  }
  free(arrays.a);
  free(arrays.b);
  free(arrays.c);
}
