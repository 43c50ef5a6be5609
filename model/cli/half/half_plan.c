// SPDX-License-Identifier: Apache-2.0
#include "cli/half/half_plan.h"

#include <math.h>

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }
static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// What a cube core does for one unit, in us: the slowest of its pipes.
static double unit_us(const config_t *config, size_t rows, size_t slice,
                      size_t cols, bool wide) {
  const config_cube_t *cube = &config->cube;
  const double per_us = config->soc.clock_mhz;
  const size_t m16 = ceil_div(rows, 16);
  const double load = 2.0 * (double)slice * (double)(cols + rows) / (cube->load_gbps * 1e3);
  const double mmad = (double)(ceil_div(slice, 16) * m16 * ceil_div(cols, cube->mac_n)) / per_us;
  const double to_l0 = (2.0 * (double)slice * (double)cols / cube->l0b_bytes_per_cycle +
                        32.0 * (double)slice * (double)m16 / cube->l0a_bytes_per_cycle) /
                       per_us;
  const double store = (wide ? 4.0 : 2.0) * (double)(rows * cols) / (cube->store_gbps * 1e3);
  return fmax(fmax(load, mmad), fmax(to_l0, store));
}

double half_plan_us(const half_problem_t *problem, const config_t *config, unsigned splits,
                    unsigned tile_n) {
  const bool reduces = splits > 1;
  const size_t cores = config->soc.ai_cores;
  const size_t tile_m = smaller(128, problem->quantised ? W4A16_MAX_TILE / tile_n : 128);
  const size_t units = ceil_div(problem->m, tile_m) * ceil_div(problem->n, tile_n) * splits;
  const size_t rounds = ceil_div(units, cores);
  const size_t slice = ceil_div(problem->k, splits);
  const size_t rows = smaller(problem->m, tile_m);
  const size_t cols = smaller(problem->n, tile_n);
  const double latency = config->gm.l2_latency_us + config->gm.write_latency_us;
  // The last unit's tile is stored when nothing hides that any more.
  const double last =
      (reduces ? 4.0 : 2.0) * (double)(rows * cols) / (config->cube.store_gbps * 1e3);
  double us = latency + last +
              (double)rounds * unit_us(config, rows, slice, cols, reduces);
  if (reduces) {
    const size_t vectors = cores * config->soc.vector_cores;
    const double l2 = config->gm.l2_gbps * config->soc.dies;
    const double rate = fmin((double)vectors * config->vector.load_gbps, l2);
    const double bytes = 4.0 * (double)problem->m * (double)problem->n * (double)splits;
    us += 2 * config->soc.cross_flag_us + latency + bytes / (rate * 1e3);
  }
  return us;
}

void half_plan(const half_problem_t *problem, half_settings_t *settings) {
  static const unsigned tiles[] = {128, 256, 64, 192};
  const size_t choices = problem->quantised ? 2 : sizeof tiles / sizeof *tiles;
  const unsigned tile_n = settings->tile_n;
  const unsigned splits = settings->splits;
  double best = INFINITY;
  for (size_t i = 0; i < choices; ++i) {
    const unsigned n = tile_n == HALF_TILE_AUTO ? tiles[i] : tile_n;
    const unsigned most = settings->splitk ? W4A16_MAX_SPLITS : 1;
    for (unsigned s = 1; s <= most && s <= problem->k; ++s) {
      const unsigned use = splits == HALF_SPLITS_AUTO ? s : splits;
      const double us =
          half_plan_us(problem, &settings->soc.config, use, n);
      if (us < best) {
        best = us;
        settings->tile_n = n;
        settings->splits = use;
      }
    }
  }
}
