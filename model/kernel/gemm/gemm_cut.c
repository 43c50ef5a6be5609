// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm_cut.h"

#include <math.h>

#include "base/size.h"
#include "core/estimate.h"
#include "hal/command.h"
#include "kernels/gemm/gemm_args.h"

// Commands of an MMAD and of a piece, and instructions of the scalar core for one: counted in its firmware.
enum { MMAD_COMMANDS = 7, PIECE_COMMANDS = 5, COMMAND_INSTRUCTIONS = 32 };
enum { L0_ELEMENTS = GEMM_MAX_PART };
// More slices have to be worth it: what they cost beside this is not all in the estimate.
#define SLICES_WORTH 0.04
#define HIDDEN_COSTS 0.01

// Time of activities that overlap: the longest, and a little of the others, since they wait for each other.
static double longest(const double *us, size_t count) {
  double most = 0, sum = 0;
  for (size_t i = 0; i < count; ++i) {
    most = fmax(most, us[i]);
    sum += us[i];
  }
  return most + HIDDEN_COSTS * (sum - most);
}

// --- one unit, a tile over a slice of K -----------------------------------------------------------

typedef struct unit {
  size_t rows, cols, k, parts, steps;
} unit_t;

static size_t l1_bytes(const gemm_problem_t *p) { return GEMM_L1_KB * 1024 - (p->s8 ? GEMM_SCALES_L1 : 0); }

static bool by_columns(const gemm_cut_t *cut) { return cut->order == GEMM_BY_COLUMNS; }

static bool has_halves(const gemm_cut_t *cut) { return cut->rows * cut->cols > GEMM_MAX_PART; }

// Rows or columns of a part; of pieces that each part has of its own.
static size_t part_rows(const gemm_cut_t *cut) {
  return has_halves(cut) && cut->rows > cut->cols ? round_up(cut->rows / 2, STRIP) : cut->rows;
}

static size_t part_cols(const gemm_cut_t *cut) {
  return has_halves(cut) && cut->rows <= cut->cols ? round_up(cut->cols / 2, STRIP) : cut->cols;
}

static size_t piece_cols(const gemm_cut_t *cut) { return cut->depth == cut->b_depth ? part_cols(cut) : cut->cols; }

static unit_t unit_of(const gemm_problem_t *p, const gemm_cut_t *cut, unsigned splits) {
  const size_t most = L0_ELEMENTS / larger(part_rows(cut), part_cols(cut)) / STRIP * STRIP;
  const size_t k = ceil_div(p->k, splits);
  const size_t deep = smaller(cut->b_depth, k);
  return (unit_t){.rows = smaller(cut->rows, p->m),
                  .cols = smaller(cut->cols, p->n),
                  .k = k,
                  .parts = has_halves(cut) ? 2 : 1,
                  .steps = ceil_div(k, deep) * ceil_div(deep, most)};
}

// The share of tiles, which begin at multiples of so many bytes, that begin at one that memory likes.
static double aligned_share(const config_t *config, size_t bytes, bool several) {
  const double align = config->gm.align_bytes;
  size_t share = 1;
  while (fmod((double)(share * bytes), align) != 0 && share < 512) {
    ++share;
  }
  return share == 1 ? 1 : several ? 1.0 / (double)share : 0;
}

// Slices begin at multiples of floor(K / S), pieces at multiples of their depth from there.
static double k_aligned(const gemm_problem_t *p, const config_t *config, unsigned splits, size_t depth, bool several) {
  if (fmod(2.0 * (double)p->k, config->gm.align_bytes) != 0) {
    return 0;
  }
  return splits == 1 || p->k % splits == 0
             ? fmin(aligned_share(config, p->k / splits * 2, several && splits > 1),
                    ceil_div(p->k, splits) <= depth ? 1 : aligned_share(config, depth * 2, true))
             : 0;
}

static size_t pieces_of(const gemm_cut_t *cut, size_t k, bool of_columns) {
  return of_columns ? ceil_div(k, cut->b_depth) * (piece_cols(cut) < cut->cols ? 2 : 1)
                    : ceil_div(k, cut->depth) * (part_rows(cut) < cut->rows ? 2 : 1);
}

// The share of the operand of a line of tiles that a core loads for each of them, if a part stays in L1.
static double load_share(const config_t *config, const gemm_cut_t *cut, size_t k, bool of_columns) {
  const double of_a_core = floor((double)cut->band / config->soc.ai_cores);
  const double kept = (double)cut->kept / (double)pieces_of(cut, k, of_columns);
  return by_columns(cut) == of_columns && of_a_core > 1 ? 1 - fmin(kept, 1) * (1 - 1 / of_a_core) : 1;
}

static double load_us(const gemm_problem_t *p, const config_t *config, const gemm_cut_t *cut, const unit_t *u,
                      unsigned splits, bool several) {
  const double a = k_aligned(p, config, splits, cut->depth, several);
  const size_t b_bytes = p->s8 ? 1 : 2;  // of a column of weights in rows, which integers have no pairs of
  const double b = p->layout == GEMM_DN   ? k_aligned(p, config, splits, cut->b_depth, several)
                   : p->layout == GEMM_NZ ? 1
                   : fmod((double)(b_bytes * p->n), config->gm.align_bytes) != 0
                       ? 0
                       : aligned_share(config, piece_cols(cut) * b_bytes, several || piece_cols(cut) < cut->cols);
  const double deep_a = (double)smaller(cut->depth, u->k), deep_b = (double)smaller(cut->b_depth, u->k);
  const double rows = 2.0 * (double)u->rows, cols = 2.0 * (double)u->cols;
  const double a_piece = 2 * deep_a * (double)smaller(part_rows(cut), u->rows);
  const double b_piece = 2 * deep_b * (double)smaller(piece_cols(cut), u->cols);
  const double gbps = config->cube.load_gbps;
  return (double)u->k * (load_share(config, cut, u->k, false) * rows / estimate_move_rate(config, gbps, a_piece, a) +
                         load_share(config, cut, u->k, true) * cols / estimate_move_rate(config, gbps, b_piece, b));
}

// A slot is loaded, read and free again; with n of them that takes n pieces' time. Parts that share pieces hold them
// until the last part has had its turn.
static double slots_us(const config_t *config, double pieces, double bytes, double slots, double l0_rate) {
  const double one =
      config->gm.l2_latency_us + bytes / (config->cube.load_gbps * 1e3) + bytes / (l0_rate * config->soc.clock_mhz);
  return pieces <= slots ? 0 : pieces * one / fmax(slots - 1, 0.5);
}

static double flight_us(const config_t *config, const gemm_cut_t *cut, const unit_t *u) {
  const config_cube_t *cube = &config->cube;
  const double chunks = (double)ceil_div(u->k, cut->depth), pieces = (double)ceil_div(u->k, cut->b_depth);
  const double own_a = part_rows(cut) < cut->rows ? 2 : 1, own_b = piece_cols(cut) < cut->cols ? 2 : 1;
  const double of_a_chunk = cut->depth / (double)cut->b_depth;
  const double held = u->parts == 2 && own_b == 1 ? 0.5 * (of_a_chunk - 1) : 0;
  return fmax(slots_us(config, own_a * chunks, 2.0 * (double)(part_rows(cut) * cut->depth), cut->a_slots,
                       cube->l0a_bytes_per_cycle),
              slots_us(config, own_b * pieces, 2.0 * (double)(piece_cols(cut) * cut->b_depth), cut->b_slots - held,
                       cube->l0b_bytes_per_cycle));
}

// The slowest of a cube core's pipes, or its scalar core, or what is on its way while memory answers.
static double unit_us(const gemm_problem_t *p, const config_t *config, const gemm_cut_t *cut, const unit_t *u,
                      unsigned splits, unsigned result_bytes, bool several) {
  const config_cube_t *cube = &config->cube;
  const double per_us = config->soc.clock_mhz;
  const double rows = (double)round_up(u->rows, STRIP), cols = (double)round_up(u->cols, STRIP);
  const double k = (double)round_up(u->k, STRIP);
  const bool by_rows = cut->rows > cut->cols;
  const double load = load_us(p, config, cut, u, splits, several);
  const double mmads = (double)(u->steps * u->parts);
  const double mmad = estimate_mmad_cycles(config, rows, cols, k, mmads) / per_us;
  const double to_l0 =
      2 * k *
      estimate_l0_cycles(config, rows * (by_rows ? 1 : (double)u->parts), cols * (by_rows ? (double)u->parts : 1)) /
      per_us;
  const double fix = (splits > 1 ? 4 : result_bytes) * (double)(u->rows * u->cols) / (cube->store_gbps * 1e3);
  const double pieces = (double)(ceil_div(u->k, cut->depth) + ceil_div(u->k, cut->b_depth));
  const double commands = mmads * MMAD_COMMANDS + pieces * PIECE_COMMANDS;
  const double scalar = estimate_scalar_cycles(config, commands, COMMAND_INSTRUCTIONS) / per_us;
  const double flight = flight_us(config, cut, u);
  return longest((const double[]){load, mmad, to_l0, fix, scalar, flight}, 6);
}

// --- all of them
// --------------------------------------------------------------------------------

// Until the first MMAD, and from the last one on.
static double ends_us(const config_t *config, const gemm_cut_t *cut, const unit_t *u, unsigned splits,
                      unsigned result_bytes) {
  const double first = 2.0 * (double)(u->rows * smaller(cut->depth, u->k) + u->cols * smaller(cut->b_depth, u->k));
  const double last = (splits > 1 ? 4 : result_bytes) * (double)(u->rows * u->cols) / (double)u->parts;
  return config->gm.l2_latency_us + first / (config->cube.load_gbps * 1e3) + last / (config->cube.store_gbps * 1e3) +
         config->gm.write_latency_us;
}

// The vector cores add and cast the slices' sums.
static double reduce_us(const gemm_problem_t *p, const config_t *config, unsigned splits, unsigned result_bytes) {
  const double vectors = (double)config->soc.ai_cores * config->soc.vector_cores;
  const double elements = (double)p->m * (double)p->n;
  const double l2 = config->gm.l2_gbps * config->soc.dies * 1e3;
  const double load = 4 * elements * splits / fmin(vectors * config->vector.load_gbps * 1e3, l2);
  const double store = result_bytes * elements / fmin(vectors * config->vector.store_gbps * 1e3, l2);
  return 2 * config->soc.cross_flag_us + config->gm.l2_latency_us + config->gm.write_latency_us + load + store;
}

// Bytes that come from HBM: all once, and the operand across the bands once more for each band that does not fit into
// L2 beside it.
static double hbm_bytes(const gemm_problem_t *p, const config_t *config, const gemm_cut_t *cut, bool cold) {
  const double a = 2.0 * (double)(p->m * p->k), b = 2.0 * (double)(p->k * p->n);
  const double l2 = config->gm.l2_mb * 1e6;
  const size_t lines = by_columns(cut) ? ceil_div(p->m, cut->rows) : ceil_div(p->n, cut->cols);
  const double along = by_columns(cut) ? a : b, across = by_columns(cut) ? b : a;
  const double bands = (double)ceil_div(lines, cut->band);
  if (!cold && a + b <= l2) {
    return 0;
  }
  const double stays = along / bands;  // while the lines across pass by
  const double again = stays <= 0.8 * l2 ? along
                                         : along * (double)ceil_div(by_columns(cut) ? p->n : p->m,
                                                                    by_columns(cut) ? cut->cols : cut->rows);
  return again + across * (across + stays <= 0.8 * l2 ? 1 : bands);
}

double gemm_cut_us(const gemm_problem_t *p, const config_t *config, const gemm_cut_t *cut, unsigned result_bytes,
                   bool cold) {
  const unsigned splits = cut->splits;
  const unit_t u = unit_of(p, cut, splits);
  const size_t units = ceil_div(p->m, cut->rows) * ceil_div(p->n, cut->cols) * splits;
  const size_t cores = config->soc.ai_cores;
  const size_t rounds = units / cores, rest = units % cores;
  const double unit = unit_us(p, config, cut, &u, splits, result_bytes, units > cores);
  // Cores start one after the other, and the first ones have a round more.
  const double skew = config->soc.skew_us * (splits > 1 ? 1 + config->soc.vector_cores : 1);
  const double more = rest == 0 ? 0 : skew * (double)(rest - 1) + unit * (double)(rounds + 1);
  const double all = rounds == 0 ? 0 : skew * (double)(cores - 1) + unit * (double)rounds;
  const double bytes = 2.0 * (double)units * (double)(u.k * (u.rows + u.cols));
  const double l2 = bytes / (config->gm.l2_gbps * config->soc.dies * 1e3);
  const double hbm =
      hbm_bytes(p, config, cut, cold) / (config->gm.hbm_gbps * config->gm.hbm_efficiency * config->soc.dies * 1e3);
  return longest((const double[]){fmax(more, all), l2, hbm}, 3) + ends_us(config, cut, &u, splits, result_bytes) +
         (splits > 1 ? reduce_us(p, config, splits, result_bytes) : 0);
}

// --- the choice
// ---------------------------------------------------------------------------------

// Slots for pieces of a and of b, so that neither holds up the other, and what is left for those that stay. False:
// there is no room.
static bool fill_l1(const gemm_problem_t *p, const config_t *config, unsigned kept, gemm_cut_t *cut) {
  const unit_t u = unit_of(p, cut, cut->splits);
  const size_t a_bytes = 2 * part_rows(cut) * cut->depth, b_bytes = 2 * piece_cols(cut) * cut->b_depth;
  // Depth of the shortest slice, and of a tile at the edge, which has one part.
  const size_t most = ceil_div(p->k / cut->splits, by_columns(cut) ? cut->b_depth : cut->depth);
  const size_t least_b = u.parts == 2 && piece_cols(cut) == cut->cols ? larger(2, cut->depth / cut->b_depth) : 2;
  double best = INFINITY;
  gemm_cut_t tried = *cut;
  tried.kept = (unsigned)smaller(kept, most);
  const size_t kept_bytes = tried.kept * (by_columns(cut) ? b_bytes : a_bytes);
  const size_t room = kept_bytes < l1_bytes(p) ? l1_bytes(p) - kept_bytes : 0;
  for (size_t a = 2; a <= GEMM_MAX_SLOTS && a * a_bytes < room; ++a) {
    const size_t b = smaller((room - a * a_bytes) / b_bytes, smaller(GEMM_MAX_SLOTS, 32 - a - tried.kept));
    tried.a_slots = (unsigned)a;
    tried.b_slots = (unsigned)b;
    const double us = b < least_b ? INFINITY : flight_us(config, &tried, &u);
    if (us < best) {
      best = us;
      *cut = tried;
    }
  }
  return isfinite(best);
}

// Bands of lines that stay in L2 while the others pass by.
static unsigned band_of(const gemm_problem_t *p, const config_t *config, const gemm_cut_t *cut) {
  const size_t lines = by_columns(cut) ? ceil_div(p->m, cut->rows) : ceil_div(p->n, cut->cols);
  const double line = 2.0 * (double)p->k * (by_columns(cut) ? cut->rows : cut->cols);
  const double room = 0.8 * config->gm.l2_mb * 1e6;
  const size_t most = (size_t)fmax(room / line, 1);
  return (unsigned)ceil_div(lines, ceil_div(lines, smaller(most, lines)));
}

typedef struct search {
  const gemm_problem_t *problem;
  const gemm_settings_t *settings;
  unsigned result_bytes;
  gemm_cut_t best;
  double us;
} search_t;

static void try_kept(search_t *s, gemm_cut_t cut, unsigned kept) {
  const soc_options_t *soc = &s->settings->machine.soc;
  if (!fill_l1(s->problem, &soc->config, kept, &cut)) {
    return;
  }
  const double us = gemm_cut_us(s->problem, &soc->config, &cut, s->result_bytes, !soc->l2_warm);
  if (us < s->us * (cut.splits > s->best.splits ? 1 - SLICES_WORTH : 1)) {
    s->us = us;
    s->best = cut;
  }
}

static void try_cut(search_t *s, gemm_cut_t cut) {
  static const unsigned kept[] = {0, 1, 2, 3, 4, 8};
  const gemm_cut_t *given = &s->settings->cut;
  const config_t *config = &s->settings->machine.soc.config;
  if (part_rows(&cut) * part_cols(&cut) > GEMM_MAX_PART || (s->problem->s8 && part_cols(&cut) % STRIP_ROW != 0) ||
      cut.depth % cut.b_depth != 0 || (given->order != GEMM_ORDER_AUTO && given->order != cut.order)) {
    return;
  }
  cut.band = given->band != 0 ? given->band : band_of(s->problem, config, &cut);
  const bool reuse = cut.band >= 2 * config->soc.ai_cores;  // tiles of a line are the same core's
  for (size_t i = 0; i < (reuse ? sizeof kept / sizeof *kept : 1); ++i) {
    try_kept(s, cut, kept[i]);
  }
}

static void try_depths(search_t *s, gemm_cut_t cut) {
  static const unsigned depths[] = {256, 512, 1024, 128};
  static const unsigned b_depths[] = {128, 256, 64};
  const unsigned given = s->settings->cut.depth;
  for (size_t i = 0; i < (given == 0 ? sizeof depths / sizeof *depths : 1); ++i) {
    for (size_t j = 0; j < sizeof b_depths / sizeof *b_depths; ++j) {
      cut.depth = given == 0 ? depths[i] : given;
      cut.b_depth = cut.depth % b_depths[j] == 0 ? b_depths[j] : cut.depth;
      for (cut.order = GEMM_BY_ROWS; cut.order <= GEMM_BY_COLUMNS; ++cut.order) {
        try_cut(s, cut);
      }
    }
  }
}

static void try_tiles(search_t *s, unsigned splits) {
  const gemm_cut_t *given = &s->settings->cut;
  const size_t m = smaller(round_up(s->problem->m, STRIP), GEMM_MAX_TILE);
  const size_t strip = s->problem->s8 ? STRIP_ROW : STRIP;
  const size_t n = smaller(round_up(s->problem->n, strip), GEMM_MAX_TILE);
  const size_t rows = given->rows, cols = given->cols;
  for (size_t r = rows == 0 ? STRIP : rows; r <= (rows == 0 ? m : rows); r += STRIP) {
    for (size_t c = cols == 0 ? strip : cols; c <= (cols == 0 ? n : cols); c += strip) {
      try_depths(s, (gemm_cut_t){.rows = (unsigned)r, .cols = (unsigned)c, .splits = splits});
    }
  }
}

static bool choose(const gemm_problem_t *problem, gemm_settings_t *settings, base_error_t *error) {
  static const unsigned slices[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64};
  search_t s = {.problem = problem,
                .settings = settings,
                .us = INFINITY,
                .result_bytes = gemm_result_bytes(problem, settings),
                .best.splits = GEMM_MAX_SPLITS};
  for (size_t i = 0; i < sizeof slices / sizeof *slices; ++i) {
    if (settings->splits == GEMM_SPLITS_AUTO && (i == 0 || problem->k / slices[i] >= 256)) {
      try_tiles(&s, slices[i]);
    }
  }
  if (settings->splits != GEMM_SPLITS_AUTO) {
    try_tiles(&s, settings->splits);
  }
  if (!isfinite(s.us)) {
    return base_fail(error,
                     "--tile %ux%ux%u: halves of the tile do not fit into "
                     "those of the %d KB of L0C, or two "
                     "pieces of each operand not into the %d KB of L1",
                     settings->cut.rows, settings->cut.cols, settings->cut.depth, GEMM_L0C_KB, GEMM_L1_KB);
  }
  settings->cut = s.best;
  settings->cut.us = s.us;
  settings->splits = s.best.splits;
  settings->tile_n = s.best.cols;
  return true;
}

// Two 8-bit integers along k take the place, the moves and the multipliers of one 16-bit number: a product of such
// pairs is cut.
bool gemm_cut_choose(const gemm_problem_t *problem, gemm_settings_t *settings, base_error_t *error) {
  if (!problem->s8) {
    return choose(problem, settings, error);
  }
  gemm_problem_t pairs = *problem;
  pairs.k = ceil_div(problem->k, 2);
  settings->splits = 1;
  settings->cut.depth /= 2;
  const bool chosen = choose(&pairs, settings, error);
  settings->cut.depth *= 2;
  settings->cut.b_depth *= 2;
  return chosen;
}
