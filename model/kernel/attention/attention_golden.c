// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_golden.h"

#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"

static const double full_operations = 4e9;
static const double sample_operations = 2e9;

enum {
  LEAST_ROWS = 2,  // of a batch entry
  PART_ROWS = 64   // judged together: enough to amortise the conversion of the keys to FP64
};

static size_t sampled_rows(const attention_problem_t *problem, double row_operations) {
  const double affordable = sample_operations / row_operations / (double)problem->batch;
  if (affordable >= (double)problem->rows) {
    return problem->rows;
  }
  const size_t rows = (size_t)affordable > LEAST_ROWS ? (size_t)affordable : LEAST_ROWS;
  return rows < problem->rows ? rows : problem->rows;
}

size_t attention_golden_rows(const attention_problem_t *problem, golden_choice_t choice) {
  const double row = 2.0 * (double)problem->keys * (double)(problem->dk + problem->dv);
  const double all = row * (double)(problem->batch * problem->rows);
  if (choice == GOLDEN_NONE) {
    return 0;
  }
  if (choice == GOLDEN_FULL || (choice == GOLDEN_AUTO && all <= full_operations)) {
    return problem->rows;
  }
  return sampled_rows(problem, row);
}

size_t attention_golden_row(const attention_problem_t *problem, size_t per_entry, size_t entry, size_t i) {
  // The middle of entry's share of the i-th of per_entry equal parts of the rows.
  const size_t shares = 2 * problem->batch;
  return (i * shares + 2 * entry + 1) * problem->rows / (shares * per_entry);
}

// --- parts of up to PART_ROWS rows of one batch entry -----------------------------------------

typedef struct golden_work {
  const attention_problem_t *problem;
  size_t per_entry;
  size_t parts;  // of a batch entry
  double *golden;
} golden_work_t;

// The rows asked for, side by side, as the numerics library wants them.
static void gather(const golden_work_t *work, size_t entry, size_t first, num_attn_t *attn, uint16_t *q,
                   uint8_t *visible) {
  for (size_t i = 0; i < attn->rows; ++i) {
    const size_t row = attention_golden_row(work->problem, work->per_entry, entry, first + i);
    memcpy(q + i * attn->dk, attn->q + row * attn->dk, attn->dk * sizeof *q);
    if (attn->visible != NULL) {
      memcpy(visible + i * attn->keys, attn->visible + row * attn->keys, attn->keys);
    }
  }
  attn->q = q;
  attn->visible = attn->visible == NULL ? NULL : visible;
}

static bool judge_part(const golden_work_t *work, size_t part) {
  const size_t entry = part / work->parts;
  const size_t first = part % work->parts * PART_ROWS;
  const size_t left = work->per_entry - first;
  num_attn_t attn = attention_num(work->problem, entry);
  attn.rows = left < PART_ROWS ? left : PART_ROWS;
  uint16_t *q = malloc(attn.rows * attn.dk * sizeof *q);
  uint8_t *visible = attn.visible == NULL ? NULL : malloc(attn.rows * attn.keys);
  bool good = q != NULL && (attn.visible == NULL || visible != NULL);
  if (good) {
    attention_hold(work->problem, entry);
    gather(work, entry, first, &attn, q, visible);
    good = num_attn_golden(&attn, work->golden + (entry * work->per_entry + first) * attn.dv) == 0;
    attention_let_go(work->problem, entry);
  }
  free(q);
  free(visible);
  return good;
}

static bool judge_parts(void *context, size_t first, size_t end) {
  const golden_work_t *work = context;
  for (size_t part = first; part < end; ++part) {
    if (!judge_part(work, part)) {
      return false;
    }
  }
  return true;
}

bool attention_golden(const attention_problem_t *problem, size_t per_entry, size_t threads, double *golden) {
  golden_work_t work = {
      .problem = problem, .per_entry = per_entry, .parts = (per_entry + PART_ROWS - 1) / PART_ROWS, .golden = golden};
  return parallel_for(threads, problem->batch * work.parts, judge_parts, &work);
}
