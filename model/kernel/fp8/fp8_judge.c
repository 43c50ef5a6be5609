// The output against FP64 and the contract's bits, both on the dequantised cache, and against FP64 on the cache before
// it was quantised.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention.h"
#include "kernel/fp8/fp8.h"
#include "num/num_format.h"

// Rounding of scores changes a log-sum-exp by far less, even for scores in the hundreds.
#define LSE_TOLERANCE 1e-3

// --- a part: some rows of a list --------------------------------------------------------------

typedef struct part {
  num_attn_t attn;
  uint16_t *q, *k;   // [rows][576], [places][576]
  int32_t *index;    // [places]: i, or -1
  uint8_t *visible;  // [rows][places], NULL: all
  float *sink;       // [rows], NULL: none
} part_t;

static void part_free(part_t *part) {
  free(part->q);
  free(part->k);
  free(part->index);
  free(part->visible);
  free(part->sink);
}

// The keys of all places, in their order. keys: NULL, or those that the tokens were made of.
static void gather_keys(const fp8_problem_t *p, const uint16_t *keys, size_t list, part_t *part) {
  for (size_t place = 0; place < part->attn.keys; ++place) {
    const ptrdiff_t slot = fp8_place_slot(p, list, place);
    uint16_t *key = part->k + place * NUM_FP8_KEY;
    part->index[place] = slot < 0 ? -1 : (int32_t)place;
    if (slot >= 0 && keys == NULL) {
      num_fp8_decode(p->tokens + (size_t)slot * NUM_FP8_TOKEN_BYTES, key, 1);
    } else if (slot >= 0) {
      memcpy(key, keys + (size_t)slot * NUM_FP8_KEY, NUM_FP8_KEY * sizeof *key);
    }
  }
}

// Query, sink and, dense and causal, mask of a row.
static void gather_row(const fp8_problem_t *p, size_t row, part_t *part, size_t i) {
  const size_t of_list = row % fp8_list_rows(p);
  const size_t places = part->attn.keys;
  memcpy(part->q + i * NUM_FP8_KEY, p->q + row * NUM_FP8_KEY, NUM_FP8_KEY * sizeof *part->q);
  if (part->sink != NULL) {
    part->sink[i] = p->sink[of_list % p->heads];
  }
  if (part->visible != NULL) {
    const size_t later = p->seq_q - 1 - of_list / p->heads;
    const size_t seen = places > later ? places - later : 0;
    memset(part->visible + i * places, 1, seen);
    memset(part->visible + i * places + seen, 0, places - seen);
  }
}

static bool part_init(const fp8_problem_t *p, const uint16_t *keys, const size_t *row, size_t rows, part_t *part) {
  const size_t list = row[0] / fp8_list_rows(p);
  const size_t places = fp8_places(p, list);
  const bool masks = p->causal && p->topk == 0 && p->seq_q > 1;
  *part = (part_t){.q = malloc(rows * NUM_FP8_KEY * sizeof *part->q),
                   .k = malloc((places * NUM_FP8_KEY + 1) * sizeof *part->k),
                   .index = malloc((places + 1) * sizeof *part->index),
                   .visible = masks ? malloc(rows * places + 1) : NULL,
                   .sink = p->sink != NULL ? malloc(rows * sizeof *part->sink) : NULL};
  if (part->q == NULL || part->k == NULL || part->index == NULL || (masks && part->visible == NULL) ||
      (p->sink != NULL && part->sink == NULL)) {
    return false;
  }
  part->attn = (num_attn_t){.rows = rows,
                            .keys = places,
                            .dk = NUM_FP8_KEY,
                            .dv = NUM_FP8_LATENT,
                            .q = part->q,
                            .k = part->k,
                            .ldk = NUM_FP8_KEY,
                            .v = part->k,
                            .ldv = NUM_FP8_KEY,
                            .visible = part->visible,
                            .index = part->index,
                            .sink = part->sink,
                            .scale = p->scale,
                            .block = p->block};
  gather_keys(p, keys, list, part);
  for (size_t i = 0; i < rows; ++i) {
    gather_row(p, row[i], part, i);
  }
  return true;
}

static bool fp64_of_keys(const fp8_run_t *run, const uint16_t *keys, const size_t *row, size_t count, size_t at,
                         double *golden) {
  double *lse = run->golden_lse == NULL ? NULL : run->golden_lse + at;
  double *largest = run->largest == NULL ? NULL : run->largest + at;
  part_t part;
  const bool good =
      part_init(&run->problem, keys, row, count, &part) && num_attn_golden_more(&part.attn, golden, lse, largest) == 0;
  part_free(&part);
  return good;
}

static bool fp64_rows(void *run, const size_t *row, size_t count, size_t at, double *golden) {
  return fp64_of_keys(run, NULL, row, count, at, golden);
}

static bool fp64_rows_unquantised(void *run, const size_t *row, size_t count, size_t at, double *golden) {
  return fp64_of_keys(run, ((const fp8_run_t *)run)->problem.keys, row, count, at, golden);
}

static bool contract_rows(void *context, const size_t *row, size_t count, size_t at, float *want) {
  const fp8_run_t *run = context;
  const unsigned flags = run->settings.attention.skip_noop ? NUM_ATTN_SKIP_NOOP : 0;
  float *lse = run->contract_lse == NULL ? NULL : run->contract_lse + at;
  part_t part;
  bool good = part_init(&run->problem, NULL, row, count, &part);
  part.attn.row_sum = run->settings.attention.row_sum;
  good = good && num_attn_amla_lse(&part.attn, NUM_ISA_AUTO, flags, want, lse, NULL) == 0;
  part_free(&part);
  return good;
}

// --- the comparison ---------------------------------------------------------------------------

// The smaller of both ratios; NaN is no number's neighbour.
static double margin_of(double difference, double golden, double absolute, double relative) {
  const double a = difference / absolute;
  const double r = difference / (relative * (fabs(golden) + 1e-6));
  return isnan(difference) ? INFINITY : fmin(a, r);
}

static void compare_lse(fp8_run_t *run, const judge_answer_t *answer, size_t rows) {
  for (size_t i = 0; i < rows; ++i) {
    const double golden = run->golden_lse[i];
    const double lse = (double)run->lse[judge_row(answer, rows / answer->groups, i)];
    const bool both_empty = isinf(golden) && golden == lse;
    const double difference = both_empty ? 0 : fabs(lse - golden);
    const double margin = margin_of(difference, golden, 1e-6, 8.01 / 65536);
    run->lse_error = difference > run->lse_error || isnan(difference) ? difference : run->lse_error;
    run->margin.lse = fmax(run->margin.lse, margin);
  }
}

static bool compare_unquantised(fp8_run_t *run, const float *values, size_t rows) {
  const judge_answer_t answer = fp8_answer_unquantised(run);
  double *golden = malloc(rows * FP8_VALUES * sizeof *golden);
  const bool good = golden != NULL && judge_fp64(&answer, rows / answer.groups, golden);
  if (good) {
    num_error(golden, values, rows * FP8_VALUES, &run->bf16_error);
  }
  free(golden);
  return good;
}

static bool compare_more(void *context, const double *golden, const float *values, size_t rows) {
  fp8_run_t *run = context;
  const judge_answer_t answer = fp8_answer(&run->kernel);
  for (size_t i = 0; i < rows * FP8_VALUES; ++i) {
    const double difference = fabs((double)values[i] - golden[i]);
    run->margin.out = fmax(run->margin.out, margin_of(difference, golden[i], 1e-3, 2.01 / 128));
  }
  for (size_t i = 0; i < rows; ++i) {
    run->kernel.result.largest_score = fmax(run->kernel.result.largest_score, run->largest[i]);
  }
  run->margin.cos_diff = run->kernel.result.error.cos_diff / 5e-6;
  compare_lse(run, &answer, rows);
  run->has_bf16 = run->problem.keys != NULL;
  return !run->has_bf16 || compare_unquantised(run, values, rows);
}

judge_answer_t fp8_answer(kernel_run_t *kernel) {
  fp8_run_t *run = (fp8_run_t *)kernel;
  const fp8_problem_t *problem = &run->problem;
  const bool f32 = run->settings.attention.out_f32;
  const size_t rows = fp8_list_rows(problem);
  const double reads =
      (double)fp8_attended(problem) / (double)fp8_lists(problem);  // of tokens by a row, on the average
  return (judge_answer_t){.array = "out",
                          .out = run->out,
                          .type = f32 ? JUDGE_F32 : JUDGE_BF16,
                          .groups = fp8_lists(problem),
                          .rows = rows,
                          .columns = FP8_VALUES,
                          .span = rows,
                          .softmax = true,
                          .operations = 2.0 * reads * (NUM_FP8_KEY + NUM_FP8_LATENT),
                          .tolerance = f32 ? ATTENTION_TOLERANCE_F32 : ATTENTION_TOLERANCE_BF16,
                          .threads = run->settings.attention.machine.soc.threads,
                          .run = run,
                          .fp64 = fp64_rows,
                          .contract = contract_rows,
                          .found = compare_more};
}

judge_answer_t fp8_answer_unquantised(fp8_run_t *run) {
  judge_answer_t answer = fp8_answer(&run->kernel);
  answer.fp64 = fp64_rows_unquantised;
  return answer;
}

static size_t wrong_lse(const fp8_run_t *run) {
  size_t wrong = 0;
  for (size_t i = 0; i < fp8_rows(&run->problem); ++i) {
    wrong += num_f32_bits(run->lse[i]) != num_f32_bits(run->contract_lse[i]);
  }
  return wrong;
}

bool fp8_judge(kernel_run_t *kernel, base_error_t *error) {
  fp8_run_t *run = (fp8_run_t *)kernel;
  const size_t rows = fp8_rows(&run->problem);
  run->golden_lse = malloc(rows * sizeof *run->golden_lse);
  run->contract_lse = malloc(rows * sizeof *run->contract_lse);
  run->largest = malloc(rows * sizeof *run->largest);
  const bool room = run->golden_lse != NULL && run->contract_lse != NULL && run->largest != NULL;
  const bool good = (room || base_fail(error, "FP64 reference: out of memory")) && kernel_compare(kernel, error);
  run->kernel.result.elements += rows;
  run->kernel.result.wrong_bits += good && run->kernel.judge.verify ? wrong_lse(run) : 0;
  free(run->golden_lse);
  free(run->contract_lse);
  free(run->largest);
  run->largest = NULL;
  run->golden_lse = NULL;
  run->contract_lse = NULL;
  return good;
}

base_exit_t fp8_verdict(const kernel_run_t *kernel, base_error_t *error) {
  const fp8_run_t *run = (const fp8_run_t *)kernel;
  const base_exit_t code = kernel_result_verdict(&run->kernel.result, "elements of output and log-sum-exp", error);
  if (code == BASE_OK && run->kernel.result.judged > 0 && !(run->lse_error <= LSE_TOLERANCE)) {
    base_fail(error, "a log-sum-exp is wrong by %.3g; tolerance %.3g", run->lse_error, LSE_TOLERANCE);
    return BASE_OUT_OF_TOLERANCE;
  }
  return code;
}
