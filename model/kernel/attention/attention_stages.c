// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_stages.h"

#include <math.h>

#include "base/size.h"
#include "core/estimate.h"

enum { FOLD = 64, PRODUCT = 128 };  // columns that a row is folded to before it is reduced; sides of an MMAD

static double vector(const config_t *config, size_t rows, size_t cols, unsigned op, unsigned b_kind) {
  return estimate_vector_cycles(config, &(cmd_vec_t){.op = op,
                                                     .rows = (uint32_t)rows,
                                                     .cols = (uint32_t)cols,
                                                     .b_kind = b_kind,
                                                     .from = TYPE_F32,
                                                     .to = op == VOP_CAST ? TYPE_BF16 : TYPE_F32});
}

// A value of each row: folded first, then reduced.
static double folded(const config_t *config, size_t rows, size_t cols, unsigned fold, unsigned reduce) {
  return (double)(ceil_div(cols, FOLD) - 1) * vector(config, rows, FOLD, fold, OPERAND_TILE) +
         vector(config, rows, cols < FOLD ? cols : FOLD, reduce, OPERAND_TILE);
}

static double tile_cycles(const config_t *config, const attention_scores_t *s, size_t rows) {
  double cycles =
      vector(config, rows, s->keys, VOP_MUL, OPERAND_SCALAR) + vector(config, rows, s->keys, VOP_SUB, OPERAND_ROW) +
      vector(config, rows, s->keys, VOP_EXP, OPERAND_TILE) + vector(config, rows, s->keys, VOP_CAST, OPERAND_TILE) +
      folded(config, rows, s->keys, VOP_MAX, VOP_ROW_MAX) + vector(config, 1, rows, VOP_MAX, OPERAND_TILE) +
      vector(config, 1, rows, VOP_CMP_GT, OPERAND_SCALAR) + vector(config, 1, rows, VOP_SELECT, OPERAND_SCALAR);
  cycles += s->tree ? folded(config, rows, s->keys, VOP_ADD, VOP_ROW_TREE)
                    : vector(config, rows, s->keys, VOP_ROW_SUM, OPERAND_TILE);
  if (s->weighs) {
    cycles += vector(config, rows, s->keys, VOP_MUL, OPERAND_ROW);
  }
  if (s->cut) {
    cycles += vector(config, rows, s->keys, VOP_CMP_GT, OPERAND_ROW) +
              vector(config, rows, s->keys, VOP_SELECT, OPERAND_SCALAR);
  }
  return cycles;
}

double attention_scores_cycles(const config_t *config, const attention_scores_t *s) {
  static const unsigned sums[] = {VOP_SUB, VOP_EXP, VOP_MUL, VOP_ADD};  // l, once for all rows
  const size_t whole = s->rows / s->tile_rows, rest = s->rows % s->tile_rows;
  double cycles = (double)whole * tile_cycles(config, s, s->tile_rows);
  cycles += rest == 0 ? 0 : tile_cycles(config, s, rest);
  for (size_t i = 0; i < sizeof sums / sizeof *sums; ++i) {
    cycles += vector(config, 1, s->rows, sums[i], OPERAND_TILE);
  }
  return cycles;
}

double attention_output_cycles(const config_t *config, size_t rows, size_t dv) {
  return vector(config, rows, dv, VOP_FMA, OPERAND_ROW);
}

double attention_product_cycles(const config_t *config, size_t rows, size_t inner, size_t cols) {
  const double mmads = (double)(ceil_div(rows, PRODUCT) * ceil_div(inner, PRODUCT) * ceil_div(cols, PRODUCT));
  return estimate_mmad_cycles(config, (double)rows, (double)cols, (double)inner, mmads);
}

double attention_store_cycles(const config_t *config, size_t rows, size_t cols, size_t row_bytes) {
  const size_t piece = 4 * (rows < PRODUCT ? rows : PRODUCT) * (cols < PRODUCT ? cols : PRODUCT);
  const double aligned = row_bytes % config->gm.align_bytes == 0 ? 1 : 0;
  return 4.0 * (double)(rows * cols) / estimate_move_rate(config, config->cube.store_gbps, (double)piece, aligned) *
         config->soc.clock_mhz;
}

// --- what the firmware plans by ---

enum { TILE_ROWS = 32, FP8_TILE_ROWS = 16 };  // of V1, and of V0

static uint32_t whole(double cycles) { return (uint32_t)lrint(cycles); }

// V1 has S's way to it and P's from it, in which a stage beside it cannot begin or has not ended.
static attention_cycles_t block_cycles(const config_t *config, const attention_args_t *args, size_t rows,
                                       const attention_scores_t *scores) {
  const double ways = 2 * estimate_handover_cycles(config);
  return (attention_cycles_t){.cube = {whole(attention_product_cycles(config, rows, args->dk, scores->keys)),
                                       whole(attention_product_cycles(config, rows, scores->keys, args->dv))},
                              .vector = {whole(ways + attention_scores_cycles(config, scores)), 0}};
}

// V2 of base, where O and T, FP32, come from global memory: of these loads.
static double reload_cycles(const config_t *config, size_t rows, size_t dv) {
  const double bytes = 2 * sizeof(float) * (double)(rows * dv);
  return bytes / estimate_move_rate(config, config->vector.load_gbps, sizeof(float) * (double)(rows * dv), 1) *
         config->soc.clock_mhz;
}

attention_cycles_t attention_args_cycles(const config_t *config, const attention_args_t *args, bool amla) {
  const size_t rows = smaller(args->group_rows, args->rows);
  const attention_scores_t scores = {.rows = ceil_div(rows, config->soc.vector_cores),
                                     .keys = smaller(args->block, args->keys),
                                     .tile_rows = TILE_ROWS,
                                     .weighs = amla};
  attention_cycles_t cycles = block_cycles(config, args, rows, &scores);
  if (!amla) {
    cycles.vector[1] = whole(reload_cycles(config, scores.rows, args->dv));
  }
  return cycles;
}

// V0 makes a tile of keys by three operations: E4M3 to FP32, times the scales, to BF16.
static double key_tile_cycles(const config_t *config) {
  const cmd_vec_t scale = {.op = VOP_SCALE,
                           .rows = FP8_TILE_ROWS,
                           .cols = FP8_CODES,
                           .b_kind = OPERAND_TILE,
                           .from = TYPE_F32,
                           .to = TYPE_F32};
  cmd_vec_t cast = scale;
  cast.op = VOP_CAST;
  cast.from = TYPE_E4M3;
  return estimate_vector_cycles(config, &cast) + estimate_vector_cycles(config, &scale) +
         vector(config, FP8_TILE_ROWS, FP8_CODES, VOP_CAST, OPERAND_TILE);
}

attention_cycles_t fp8_args_cycles(const config_t *config, const fp8_args_t *fp8) {
  const attention_args_t *args = &fp8->attention;
  const size_t rows = fp8_group_rows(args->rows, args->group_rows, fp8->crossover);
  const attention_scores_t scores = {.rows = ceil_div(rows, config->soc.vector_cores),
                                     .keys = args->block,
                                     .tile_rows = FP8_TILE_ROWS,
                                     .weighs = true};
  attention_cycles_t cycles = block_cycles(config, args, rows, &scores);
  const size_t makers = config->soc.vector_cores << fp8->crossover;
  cycles.vector[0] += whole(key_tile_cycles(config) * (double)args->block / FP8_TILE_ROWS / (double)makers);
  return cycles;
}
