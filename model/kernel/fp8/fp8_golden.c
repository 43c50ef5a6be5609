// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_golden.h"

#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"

static const double full_operations = 4e9;
static const double sample_operations = 2e9;

enum { PART_ROWS = 32 };  // worked on together: enough to amortise the keys' conversion

// --- which rows -------------------------------------------------------------------------------

size_t fp8_golden_rows(const fp8_problem_t *problem, golden_choice_t choice) {
  const size_t rows = fp8_list_rows(problem);
  const double all = 2.0 * (double)fp8_attended(problem) * (double)rows * (NUM_FP8_KEY + NUM_FP8_LATENT);
  if (choice == GOLDEN_NONE) {
    return 0;
  }
  if (choice == GOLDEN_FULL || (choice == GOLDEN_AUTO && all <= full_operations) || all <= sample_operations) {
    return rows;
  }
  const size_t affordable = (size_t)((double)rows * sample_operations / all);
  return affordable < 1 ? 1 : affordable;
}

size_t fp8_golden_row(const fp8_problem_t *problem, size_t per_list, size_t list, size_t i) {
  // The middle of the list's share of the i-th of per_list equal parts of the rows.
  const size_t shares = 2 * fp8_lists(problem);
  return (i * shares + 2 * list + 1) * fp8_list_rows(problem) / (shares * per_list);
}

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

// The keys of all places, in their order.
static void gather_keys(const fp8_problem_t *p, fp8_source_t source, size_t list, part_t *part) {
  for (size_t place = 0; place < part->attn.keys; ++place) {
    const ptrdiff_t slot = fp8_place_slot(p, list, place);
    uint16_t *key = part->k + place * NUM_FP8_KEY;
    part->index[place] = slot < 0 ? -1 : (int32_t)place;
    if (slot >= 0 && source == FP8_FROM_TOKENS) {
      num_fp8_decode(p->tokens + (size_t)slot * NUM_FP8_TOKEN_BYTES, key, 1);
    } else if (slot >= 0) {
      memcpy(key, p->keys + (size_t)slot * NUM_FP8_KEY, NUM_FP8_KEY * sizeof *key);
    }
  }
}

// Query, sink and, dense and causal, mask of row `row` of the list.
static void gather_row(const fp8_problem_t *p, size_t list, size_t row, part_t *part, size_t i) {
  const size_t at = list * fp8_list_rows(p) + row;
  const size_t places = part->attn.keys;
  memcpy(part->q + i * NUM_FP8_KEY, p->q + at * NUM_FP8_KEY, NUM_FP8_KEY * sizeof *part->q);
  if (part->sink != NULL) {
    part->sink[i] = p->sink[row % p->heads];
  }
  if (part->visible != NULL) {
    const size_t later = p->seq_q - 1 - row / p->heads;
    const size_t seen = places > later ? places - later : 0;
    memset(part->visible + i * places, 1, seen);
    memset(part->visible + i * places + seen, 0, places - seen);
  }
}

static bool part_init(const fp8_problem_t *p, fp8_source_t source, size_t list, size_t rows, part_t *part) {
  const size_t places = fp8_places(p, list);
  const bool masks = p->causal && p->topk == 0 && p->seq_q > 1;
  part->q = malloc(rows * NUM_FP8_KEY * sizeof *part->q);
  part->k = malloc((places * NUM_FP8_KEY + 1) * sizeof *part->k);
  part->index = malloc((places + 1) * sizeof *part->index);
  part->visible = masks ? malloc(rows * places + 1) : NULL;
  part->sink = p->sink != NULL ? malloc(rows * sizeof *part->sink) : NULL;
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
                            .block = p->block,
                            .row_sum = p->row_sum};
  gather_keys(p, source, list, part);
  return true;
}

// --- all parts, on several threads ------------------------------------------------------------

typedef struct work {
  const fp8_problem_t *problem;
  fp8_source_t source;
  size_t per_list, parts;       // rows and parts of each list
  double *golden, *golden_lse;  // the golden, or
  float *out, *lse;             // the contract
} work_t;

static bool compute(const work_t *work, const part_t *part, size_t first) {
  const size_t at = first * FP8_VALUES;
  return (work->golden != NULL
              ? num_attn_golden_lse(&part->attn, work->golden + at, work->golden_lse + first)
              : num_attn_amla_lse(&part->attn, NUM_ISA_AUTO, work->problem->skip_noop ? NUM_ATTN_SKIP_NOOP : 0,
                                  work->out + at, work->lse + first, NULL)) == 0;
}

static bool do_part(const work_t *work, size_t index) {
  const fp8_problem_t *p = work->problem;
  const size_t list = index / work->parts;
  const size_t first = index % work->parts * PART_ROWS;
  const size_t left = work->per_list - first;
  const size_t rows = left < PART_ROWS ? left : PART_ROWS;
  part_t part = {.q = NULL};
  bool good = part_init(p, work->source, list, rows, &part);
  for (size_t i = 0; good && i < rows; ++i) {
    gather_row(p, list, fp8_golden_row(p, work->per_list, list, first + i), &part, i);
  }
  good = good && compute(work, &part, list * work->per_list + first);
  part_free(&part);
  return good;
}

static bool do_parts(void *context, size_t first, size_t end) {
  const work_t *work = context;
  for (size_t index = first; index < end; ++index) {
    if (!do_part(work, index)) {
      return false;
    }
  }
  return true;
}

static bool do_all(work_t *work, size_t threads) {
  work->parts = (work->per_list + PART_ROWS - 1) / PART_ROWS;
  return parallel_for(threads, fp8_lists(work->problem) * work->parts, do_parts, work);
}

bool fp8_golden(const fp8_problem_t *problem, fp8_source_t source, size_t per_list, size_t threads,
                fp8_golden_t *golden) {
  const size_t rows = fp8_lists(problem) * per_list;
  golden->per_list = per_list;
  golden->out = malloc((rows * FP8_VALUES + 1) * sizeof *golden->out);
  golden->lse = malloc((rows + 1) * sizeof *golden->lse);
  work_t work = {
      .problem = problem, .source = source, .per_list = per_list, .golden = golden->out, .golden_lse = golden->lse};
  return golden->out != NULL && golden->lse != NULL && do_all(&work, threads);
}

void fp8_golden_free(fp8_golden_t *golden) {
  free(golden->out);
  free(golden->lse);
  memset(golden, 0, sizeof *golden);
}

bool fp8_contract(const fp8_problem_t *problem, size_t threads, float *out, float *lse) {
  work_t work = {
      .problem = problem, .source = FP8_FROM_TOKENS, .per_list = fp8_list_rows(problem), .out = out, .lse = lse};
  return do_all(&work, threads);
}
