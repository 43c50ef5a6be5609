// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm_plan.h"

#include <math.h>

#include "base/size.h"
#include "core/estimate.h"

#define GAIN 0.04

// A tile of c over one slice of k.
typedef struct unit_shape {
  size_t rows, cols, slice, tile_n;
} unit_shape_t;

// Commands of a piece of B, and instructions of the scalar core for one: counted in its firmware.
enum { GEMM_PIECE = 6, GEMM_HALF = 8, GEMM_DEPTH = 128, GEMM_COMMAND = 44 };
enum { W4A16_PIECE = 20, W4A16_COMMAND = 33 };
// Parts of a, and pieces of B, that may be on their way.
enum { A_SLOTS = 4, B_SLOTS = 6 };

static size_t piece_depth(const gemm_problem_t *p, size_t tile_n) {
  return p->quantised ? smaller(256, W4A16_SLOT / 2 / tile_n) : GEMM_DEPTH;
}

// Short units have few pieces on their way, each of which takes as long as a load's latency.
static double flight_us(const gemm_problem_t *p, const config_t *config, size_t slice, size_t tile_n) {
  const size_t pieces = ceil_div(slice, piece_depth(p, tile_n));
  return config->gm.l2_latency_us * (double)pieces / (double)smaller(B_SLOTS, A_SLOTS * pieces);
}

static double scalar_us(const gemm_problem_t *p, const config_t *config, size_t slice, size_t tile_n) {
  const size_t pieces = ceil_div(slice, piece_depth(p, tile_n));
  const size_t commands = p->quantised ? W4A16_PIECE : GEMM_PIECE + GEMM_HALF * ceil_div(tile_n, 128);
  return estimate_scalar_cycles(config, (double)(pieces * commands), p->quantised ? W4A16_COMMAND : GEMM_COMMAND) /
         config->soc.clock_mhz;
}

// Time of a cube core for one unit, in us: the slowest of its pipes, or the scalar core.
static double unit_us(const gemm_problem_t *p, const config_t *config, const unit_shape_t *u) {
  const double per_us = config->soc.clock_mhz;
  const size_t m16 = ceil_div(u->rows, 16);
  // Rows of gemm's weights begin where they begin.
  const bool aligned =
      p->quantised || (p->n * 2 % config->gm.align_bytes == 0 && u->tile_n * 2 % config->gm.align_bytes == 0);
  const double piece = 2.0 * (double)(smaller(piece_depth(p, u->tile_n), u->slice) * u->cols);
  const double load = 2.0 * (double)u->slice * (double)(u->cols + u->rows) /
                      estimate_move_rate(config, config->cube.load_gbps, piece, aligned);
  const double mmad = estimate_mmad_cycles(config, 16.0 * (double)m16, (double)u->cols, (double)u->slice, 0) / per_us;
  const double to_l0 =
      estimate_l0_cycles(config, 32.0 * (double)u->slice * (double)m16, 2.0 * (double)u->slice * (double)u->cols) /
      per_us;
  return fmax(fmax(fmax(load, mmad), to_l0),
              fmax(scalar_us(p, config, u->slice, u->tile_n), flight_us(p, config, u->slice, u->tile_n)));
}

// Rounds of units, one for each core: as long as a unit, or as memory takes for all of them.
static double rounds_us(const gemm_problem_t *p, const config_t *config, const unit_shape_t *u, size_t units,
                        bool cold) {
  const double rate = cold && !p->quantised ? config->gm.hbm_gbps * config->gm.hbm_efficiency : config->gm.l2_gbps;
  const double bytes = 2.0 * (double)u->slice * (double)u->cols;
  const double one = unit_us(p, config, u);
  const size_t cores = config->soc.ai_cores;
  const double all = (double)cores * bytes / (rate * config->soc.dies * 1e3);
  const double rest = (double)(units % cores) * bytes / (rate * config->soc.dies * 1e3);
  const size_t full = units / cores;
  return (double)full * fmax(one, all) + (units % cores == 0 ? 0 : fmax(one, rest));
}

double gemm_plan_us(const gemm_problem_t *problem, const config_t *config, bool cold, unsigned splits,
                    unsigned tile_n) {
  const bool reduces = splits > 1;
  const size_t tile_m = smaller(128, problem->quantised ? W4A16_MAX_TILE / tile_n : 128);
  const size_t units = ceil_div(problem->m, tile_m) * ceil_div(problem->n, tile_n) * splits;
  const unit_shape_t unit = {.rows = smaller(problem->m, tile_m),
                             .cols = smaller(problem->n, tile_n),
                             .slice = ceil_div(problem->k, splits),
                             .tile_n = tile_n};
  const double latency = config->gm.l2_latency_us + config->gm.write_latency_us;
  // The last unit's tile is stored when nothing hides that any more.
  const double last = (reduces ? 4.0 : 2.0) * (double)(unit.rows * unit.cols) / (config->cube.store_gbps * 1e3);
  double us = latency + last + rounds_us(problem, config, &unit, units, cold);
  if (reduces) {
    const size_t vectors = (size_t)config->soc.ai_cores * config->soc.vector_cores;
    const double l2 = config->gm.l2_gbps * config->soc.dies;
    const double rate = fmin((double)vectors * config->vector.load_gbps, l2);
    const double bytes = 4.0 * (double)problem->m * (double)problem->n * (double)splits;
    us += 2 * config->soc.cross_flag_us + latency + bytes / (rate * 1e3);
  }
  return us;
}

void gemm_plan(const gemm_problem_t *problem, gemm_settings_t *settings) {
  static const unsigned tiles[] = {256, 128, 64, 192};
  const size_t choices = problem->quantised ? 2 : sizeof tiles / sizeof *tiles;
  const unsigned tile_n = settings->tile_n;
  const unsigned splits = settings->splits;
  const soc_options_t *soc = &settings->machine.soc;
  double best = INFINITY;
  for (size_t i = 0; i < choices; ++i) {
    const unsigned n = tile_n == GEMM_TILE_AUTO ? tiles[i] : tile_n;
    const unsigned most = settings->dataparallel ? 1 : W4A16_MAX_SPLITS;
    for (unsigned s = 1; s <= most && s <= problem->k; ++s) {
      const unsigned use = splits == GEMM_SPLITS_AUTO ? s : splits;
      const double us = gemm_plan_us(problem, &soc->config, !soc->l2_warm, use, n);
      // More slices have to be worth it: what they cost beside this is not all in the estimate.
      if (us < best * (use > settings->splits ? 1 - GAIN : 1)) {
        best = us;
        settings->tile_n = n;
        settings->splits = use;
      }
    }
  }
}
