// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "kernel/gemm/gemm.h"

static void add_shape(cJSON *root, const gemm_problem_t *p) {
  cJSON *shape = cJSON_AddObjectToObject(root, "shape");
  json_add_count(shape, "m", p->m);
  json_add_count(shape, "n", p->n);
  json_add_count(shape, "k", p->k);
  if (p->quantised) {
    json_add_count(shape, "group", p->group);
  }
}

static void add_how(cJSON *root, const gemm_run_t *run) {
  static const char *const zeros[W4A16_ZEROS_COUNT] = {"none", "fp16", "fp32"};
  const gemm_settings_t *s = &run->settings;
  cJSON_AddStringToObject(root, "mode", s->dataparallel ? "dataparallel" : "splitk");
  json_add_count(root, "split_k", s->splits);
  json_add_count(root, "tile_n", s->tile_n);
  cJSON_AddStringToObject(root, "path", s->phases == W4A16_DIRECT ? "direct" : "gm");
  cJSON_AddBoolToObject(root, "overlap", s->phases != W4A16_SEQUENTIAL);
  cJSON_AddStringToObject(root, "nibbles", run->problem.is_unsigned ? "unsigned" : "signed");
  cJSON_AddStringToObject(root, "zero_points", zeros[run->problem.zeros]);
}

static void add_tiles(cJSON *root, const gemm_run_t *run) {
  static const char *const layouts[GEMM_LAYOUTS] = {"nd", "dn", "nz"};
  const gemm_settings_t *s = &run->settings;
  cJSON_AddStringToObject(root, "dtype", run->problem.s8 ? "s8" : run->problem.type == NUM_HALF_BF16 ? "bf16" : "fp16");
  cJSON_AddStringToObject(root, "layout", layouts[run->problem.layout]);
  json_add_count(root, "split_k", s->splits);
  if (s->halving) {
    cJSON_AddStringToObject(root, "tile", "halving");
    return;
  }
  cJSON *tile = cJSON_AddObjectToObject(root, "tile");
  json_add_count(tile, "m", s->cut.rows);
  json_add_count(tile, "n", s->cut.cols);
  json_add_count(tile, "k", s->cut.depth);
  cJSON_AddStringToObject(tile, "order", s->cut.order == GEMM_BY_COLUMNS ? "columns" : "rows");
  json_add_count(tile, "band", s->cut.band);
  cJSON_AddNumberToObject(tile, "estimate_us", s->cut.us);
}

static void add_books(cJSON *object, const soc_traffic_t *traffic) {
  json_add_count(object, "hbm_read", traffic->hbm_read);
  json_add_count(object, "hbm_write", traffic->hbm_write);
  json_add_count(object, "l2_read", traffic->l2_read);
  json_add_count(object, "l2_write", traffic->l2_write);
}

static void add_parts(cJSON *root, const gemm_run_t *run) {
  const double mhz = run->settings.machine.soc.config.soc.clock_mhz;
  cJSON *phases = cJSON_AddArrayToObject(root, "phases");
  for (size_t i = 0; i < run->phases; ++i) {
    cJSON *row = json_add_row(phases);
    cJSON_AddStringToObject(row, "name", run->phase[i].name);
    json_add_count(row, "cycles", run->phase[i].cycles);
    cJSON_AddNumberToObject(row, "time_us", (double)run->phase[i].cycles / mhz);
    add_books(row, &run->phase[i].traffic);
  }
  cJSON *arrays = cJSON_AddArrayToObject(root, "arrays");
  for (size_t i = 0; i < run->arrays; ++i) {
    cJSON *row = json_add_row(arrays);
    cJSON_AddStringToObject(row, "name", run->array[i].name);
    json_add_count(row, "bytes", run->array[i].bytes);
    add_books(row, &run->array[i].traffic);
  }
}

void gemm_json(const kernel_run_t *kernel, cJSON *root) {
  const gemm_run_t *run = (const gemm_run_t *)kernel;
  const kernel_result_t *result = &run->kernel.result;
  kernel_json_head(root, run->settings.kernel, &run->settings.machine);
  kernel_json_data(root, run->problem.source, result);
  add_shape(root, &run->problem);
  if (run->problem.quantised) {
    add_how(root, run);
  } else if (run->problem.w8a8) {
    cJSON_AddStringToObject(root, "dtype", run->problem.type == NUM_HALF_BF16 ? "bf16" : "fp16");
    cJSON_AddBoolToObject(root, "smooth", run->problem.has_smooth);
  } else {
    add_tiles(root, run);
  }
  kernel_json_time(root, result, &run->settings.machine);
  const bool w8a8 = run->problem.w8a8;
  cJSON *error = kernel_json_error(
      root, result, w8a8 ? "fp64, on the contract's quantised activations" : "fp64, untiled, on the contract's weights",
      "columns");
  if (run->has_exact) {
    kernel_json_error_members(cJSON_AddObjectToObject(error, w8a8 ? "exact_activations" : "exact_weights"),
                              &run->exact_error);
  }
  if (result->verified) {
    json_add_count(root, "wrong_bits", result->wrong_bits);
  }
  kernel_json_traffic(root, &result->soc);
  kernel_json_energy(root, &run->settings.machine.soc.config, &result->soc);
  add_parts(root, run);
  kernel_json_pipes(root, &result->soc);
  kernel_json_host(root, &result->soc);
}
