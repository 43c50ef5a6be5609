// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention.h"

// --- rows of the answer -----------------------------------------------------------------------

// Rows of one batch entry side by side, as the numerics library wants them.
typedef struct part {
  num_attn_t attn;
  uint16_t *q;
  uint8_t *visible;
} part_t;

static void gather_rows(const attention_problem_t *problem, const size_t *row, part_t *part) {
  num_attn_t *attn = &part->attn;
  for (size_t i = 0; i < attn->rows; ++i) {
    const size_t of_entry = row[i] % problem->rows;
    memcpy(part->q + i * attn->dk, attn->q + of_entry * attn->dk, attn->dk * sizeof *part->q);
    if (attn->visible != NULL) {
      memcpy(part->visible + i * attn->keys, attn->visible + of_entry * attn->keys, attn->keys);
    }
  }
  attn->q = part->q;
  attn->visible = part->visible;
}

static bool open_part(const attention_problem_t *problem, const size_t *row, size_t count, part_t *part) {
  const size_t entry = row[0] / problem->rows;
  const bool masked = problem->visible != NULL;
  *part = (part_t){.attn = attention_num(problem, entry),
                   .q = malloc(count * problem->dk * sizeof *part->q),
                   .visible = masked ? malloc(count * problem->keys) : NULL};
  attention_hold(problem, entry);
  if (part->q == NULL || (masked && part->visible == NULL)) {
    return false;
  }
  part->attn.rows = count;
  gather_rows(problem, row, part);
  return true;
}

static void close_part(const attention_problem_t *problem, const size_t *row, part_t *part) {
  attention_let_go(problem, row[0] / problem->rows);
  free(part->q);
  free(part->visible);
}

bool attention_fp64(const attention_problem_t *problem, const size_t *row, size_t count, double *golden,
                    double *largest) {
  part_t part;
  const bool good =
      open_part(problem, row, count, &part) && num_attn_golden_more(&part.attn, golden, NULL, largest) == 0;
  close_part(problem, row, &part);
  return good;
}

static bool fp64_rows(void *context, const size_t *row, size_t count, size_t at, double *golden) {
  const attention_run_t *run = context;
  return attention_fp64(&run->problem, row, count, golden, run->largest == NULL ? NULL : run->largest + at);
}

static bool contract_rows(void *context, const size_t *row, size_t count, size_t at, float *want) {
  const attention_run_t *run = context;
  const attention_problem_t *problem = &run->problem;
  const bool amla = strcmp(run->settings.kernel, "amla") == 0;
  const unsigned flags = run->settings.skip_noop ? NUM_ATTN_SKIP_NOOP : 0;
  part_t part;
  (void)at;
  bool good = open_part(problem, row, count, &part);
  part.attn.row_sum = run->settings.row_sum;
  good = good && (amla ? num_attn_amla(&part.attn, NUM_ISA_AUTO, flags, want, NULL)
                       : num_attn_base(&part.attn, NUM_ISA_AUTO, want)) == 0;
  close_part(problem, row, &part);
  return good;
}

// --- the comparison ---------------------------------------------------------------------------

// Errors of each token, if all rows are judged.
static bool compare_tokens(void *context, const double *golden, const float *values, size_t rows) {
  attention_run_t *run = context;
  const attention_problem_t *problem = &run->problem;
  const size_t tokens = problem->batch * problem->seq_q;
  const size_t count = problem->heads * problem->dv;
  for (size_t i = 0; run->largest != NULL && i < rows; ++i) {
    run->kernel.result.largest_score = fmax(run->kernel.result.largest_score, run->largest[i]);
  }
  if (rows != problem->batch * problem->rows) {
    return true;
  }
  run->per_token = calloc(tokens, sizeof *run->per_token);
  for (size_t i = 0; run->per_token != NULL && i < tokens; ++i) {
    num_error(golden + i * count, values + i * count, count, &run->per_token[i]);
  }
  return run->per_token != NULL;
}

judge_answer_t attention_answer(kernel_run_t *kernel) {
  attention_run_t *run = (attention_run_t *)kernel;
  const attention_problem_t *problem = &run->problem;
  const bool f32 = run->settings.out_f32;
  return (judge_answer_t){.array = "out",
                          .out = run->out,
                          .type = f32 ? JUDGE_F32 : JUDGE_BF16,
                          .groups = problem->batch,
                          .rows = problem->rows,
                          .columns = problem->dv,
                          .span = problem->rows,
                          .softmax = true,
                          .operations = 2.0 * (double)problem->keys * (double)(problem->dk + problem->dv),
                          .tolerance = f32 ? ATTENTION_TOLERANCE_F32 : ATTENTION_TOLERANCE_BF16,
                          .threads = run->settings.machine.soc.threads,
                          .run = run,
                          .fp64 = fp64_rows,
                          .contract = contract_rows,
                          .found = compare_tokens};
}
