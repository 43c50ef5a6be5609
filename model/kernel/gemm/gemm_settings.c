// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm_settings.h"

#include <string.h>

#include "kernel/gemm/gemm_cut.h"
#include "kernel/gemm/gemm_plan.h"
#include "kernels/gemm/gemm_args.h"

const char *gemm_firmware(const gemm_settings_t *settings, const gemm_problem_t *problem) {
  return problem->quantised  ? "w4a16"
         : problem->w8a8     ? "step_base"
         : settings->halving ? "gemm_fp16"
         : problem->s8       ? "gemm_tiles_s8"
                             : "gemm_tiles";
}

static bool check_buffers(const gemm_settings_t *settings, bool quantised, base_error_t *error) {
  static const kernel_buffers_t plain = {.l1 = GEMM_L1_KB, .l0a = GEMM_L0_KB, .l0b = GEMM_L0_KB, .l0c = GEMM_L0C_KB};
  static const kernel_buffers_t w4a16 = {
      .l1 = W4A16_L1_KB, .l0a = W4A16_L0_KB, .l0b = W4A16_L0_KB, .l0c = W4A16_L0C_KB, .ub = W4A16_UB_KB};
  return kernel_machine_holds(&settings->machine, quantised ? &w4a16 : &plain, error);
}

static bool check_cuts(const gemm_settings_t *settings, const gemm_problem_t *problem, base_error_t *error) {
  const unsigned tile = settings->tile_n;
  if (settings->splits > W4A16_MAX_SPLITS) {
    return base_fail(error, "--split-k: expected 1 to %d or auto, got '%u'", W4A16_MAX_SPLITS, settings->splits);
  }
  if (settings->splits > problem->k) {
    return base_fail(error, "--split-k %u: expected at most K, %zu", settings->splits, problem->k);
  }
  if (settings->dataparallel && settings->splits > 1) {
    return base_fail(error, "--split-k %u: cannot go with --mode dataparallel", settings->splits);
  }
  return tile == GEMM_TILE_AUTO || tile == 64 || tile == 128 || tile == 256 ||
         base_fail(error, "--tile-n: expected 64, 128, 256 or auto, got '%u'", tile);
}

static bool check_path(const gemm_settings_t *settings, base_error_t *error) {
  return settings->phases != W4A16_DIRECT || settings->machine.soc.config.soc.direct_path == 1 ||
         base_fail(error,
                   "--path direct: the machine has no such path; --set soc.direct_path=1 "
                   "gives it one");
}

static bool tile_extent(unsigned extent, unsigned most) {
  return extent == GEMM_TILE_AUTO || (extent % 16 == 0 && extent <= most);
}

// The settings of gemm_tiles.
static bool tiles_fit(gemm_settings_t *settings, const gemm_problem_t *problem, base_error_t *error) {
  const gemm_cut_t *cut = &settings->cut;
  static const kernel_buffers_t need = {
      .l1 = GEMM_L1_KB, .l0a = GEMM_L0_KB, .l0b = GEMM_L0_KB, .l0c = GEMM_L0C_KB, .ub = W4A16_UB_KB};
  if (!kernel_machine_holds(&settings->machine, &need, error)) {
    return false;
  }
  if (!tile_extent(cut->rows, GEMM_MAX_TILE) || !tile_extent(cut->cols, GEMM_MAX_TILE) ||
      !tile_extent(cut->depth, GEMM_MAX_DEPTH)) {
    return base_fail(error, "--tile %ux%ux%u: expected multiples of 16 up to %dx%dx%d", cut->rows, cut->cols,
                     cut->depth, GEMM_MAX_TILE, GEMM_MAX_TILE, GEMM_MAX_DEPTH);
  }
  if (settings->splits > GEMM_MAX_SPLITS || settings->splits > problem->k) {
    return base_fail(error, "--split-k %u: expected 1 to %zu", settings->splits,
                     problem->k < GEMM_MAX_SPLITS ? problem->k : (size_t)GEMM_MAX_SPLITS);
  }
  if (problem->s8 &&
      (settings->splits > 1 || cut->cols % STRIP_ROW != 0 || cut->depth % STRIP_ROW != 0 || settings->out_f32)) {
    return base_fail(error,
                     "--dtype s8: takes all of K at once, tiles whose columns and depth are multiples of 32, and "
                     "has no FP32 result");
  }
  settings->phases = W4A16_SEQUENTIAL;
  return gemm_cut_choose(problem, settings, error);
}

static bool w8a8_fits(const gemm_settings_t *settings, base_error_t *error) {
  static const kernel_buffers_t need = {
      .l1 = GEMM_L1_KB, .l0a = GEMM_L0_KB, .l0b = GEMM_L0_KB, .l0c = GEMM_L0C_KB, .ub = W4A16_UB_KB};
  return kernel_machine_holds(&settings->machine, &need, error);
}

bool gemm_settings_fit(gemm_settings_t *settings, const gemm_problem_t *problem, base_error_t *error) {
  if (problem->w8a8) {
    return w8a8_fits(settings, error);
  }
  if (!check_buffers(settings, problem->quantised, error)) {
    return false;
  }
  if (!problem->quantised && !settings->halving) {
    return tiles_fit(settings, problem, error);
  }
  if (!problem->quantised) {
    if (problem->s8 || problem->type != NUM_HALF_FP16 || problem->layout != GEMM_ND || settings->splits > 1) {
      return base_fail(error, "--tile halving: takes FP16 in row-major order, and all of K at once");
    }
    settings->dataparallel = true;
    settings->splits = 1;
    settings->tile_n = GEMM_TILE_AUTO;
    settings->phases = W4A16_SEQUENTIAL;
  }
  if (!check_cuts(settings, problem, error) || !check_path(settings, error)) {
    return false;
  }
  if (problem->quantised || problem->m <= 128) {  // else the kernel's own rule
    gemm_plan(problem, settings);
  }
  return true;
}
