// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm_settings.h"

#include <string.h>

#include "base/parse.h"
#include "kernel/gemm/gemm_plan.h"
#include "kernels/gemm/gemm_args.h"

static bool read_splits(gemm_settings_t *settings, const options_t *options,
                        const gemm_problem_t *problem, base_error_t *error) {
  const char *text = options->gemm_split_k;
  uint64_t splits = GEMM_SPLITS_AUTO;
  if (strcmp(text, "auto") != 0 &&
      (!parse_count(text, &splits) || splits < 1 || splits > W4A16_MAX_SPLITS)) {
    return base_fail(error, "--split-k: expected 1 to %d or auto, got '%s'", W4A16_MAX_SPLITS,
                     text);
  }
  if (splits > problem->k) {
    return base_fail(error, "--split-k %llu: expected at most K, %zu", (unsigned long long)splits,
                     problem->k);
  }
  settings->splits = (unsigned)splits;
  return settings->splitk || splits <= 1 ||
         base_fail(error, "--split-k %s: cannot go with --mode dataparallel", text);
}

static bool read_tile(gemm_settings_t *settings, const options_t *options, base_error_t *error) {
  const char *text = options->gemm_tile_n;
  uint64_t tile = GEMM_TILE_AUTO;
  if (strcmp(text, "auto") != 0 &&
      (!parse_count(text, &tile) || (tile != 64 && tile != 128 && tile != 256))) {
    return base_fail(error, "--tile-n: expected 64, 128, 256 or auto, got '%s'", text);
  }
  settings->tile_n = (unsigned)tile;
  return true;
}

static bool read_phases(gemm_settings_t *settings, const options_t *options, base_error_t *error) {
  settings->phases = options->gemm_path.value == 1 ? W4A16_DIRECT
                     : options->gemm_overlap       ? W4A16_OVERLAPPED
                                                   : W4A16_SEQUENTIAL;
  return settings->phases != W4A16_DIRECT || settings->soc.config.soc.direct_path == 1 ||
         base_fail(error,
                   "--path direct: the machine has no such path; --set soc.direct_path=1 "
                   "gives it one");
}

static bool enough(const char *name, config_uint_t have, config_uint_t need, base_error_t *error) {
  return have >= need ||
         base_fail(error, "%s = %u: the kernel needs %u", name, (unsigned)have, (unsigned)need);
}

static bool check_buffers(const gemm_settings_t *settings, base_error_t *error) {
  const config_t *config = &settings->soc.config;
  return enough("cube.l1_kb", config->cube.l1_kb, W4A16_L1_KB, error) &&
         enough("cube.l0a_kb", config->cube.l0a_kb, W4A16_L0_KB, error) &&
         enough("cube.l0b_kb", config->cube.l0b_kb, W4A16_L0_KB, error) &&
         enough("cube.l0c_kb", config->cube.l0c_kb, W4A16_L0C_KB, error) &&
         enough("vector.ub_kb", config->vector.ub_kb, W4A16_UB_KB, error);
}

bool gemm_settings_read(gemm_settings_t *settings, const char *kernel, const options_t *options,
                        const gemm_problem_t *problem, base_error_t *error) {
  memset(settings, 0, sizeof *settings);
  settings->kernel = kernel;
  const char *firmware = problem->quantised ? kernel : "gemm_fp16";
  if (!settings_soc(&settings->soc, settings->firmware, firmware, options, error) ||
      !check_buffers(settings, error)) {
    return false;
  }
  settings->out_f32 = options->out_f32;
  settings->splits = 1;
  if (!problem->quantised) {
    if (problem->m <= 128) {   // else the kernel's own rule
      gemm_plan(problem, settings);
    }
    return true;
  }
  settings->splitk = options->gemm_mode.value == 0;
  if (!read_splits(settings, options, problem, error) ||
      !read_tile(settings, options, error) || !read_phases(settings, options, error)) {
    return false;
  }
  gemm_plan(problem, settings);
  return true;
}
