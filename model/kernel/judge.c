// SPDX-License-Identifier: Apache-2.0
#include "kernel/judge.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "num/num_format.h"

static const double full_operations = 4e9;
static const double sample_operations = 2e9;
static const double part_operations = 1e9;

enum {
  LEAST_ROWS = 2,  // of a group
  PART_ROWS = 64,  // computed together: enough to amortise the conversion of keys to FP64
};

// --- which rows -------------------------------------------------------------------------------

size_t judge_rows(const judge_answer_t *answer, golden_choice_t choice) {
  const double all = answer->operations * (double)(answer->groups * answer->rows);
  if (choice == GOLDEN_NONE) {
    return 0;
  }
  const double affordable = sample_operations / answer->operations / (double)answer->groups;
  if (choice == GOLDEN_FULL || (choice == GOLDEN_AUTO && all <= full_operations) ||
      affordable >= (double)answer->rows) {
    return answer->rows;
  }
  const size_t rows = (size_t)affordable > LEAST_ROWS ? (size_t)affordable : LEAST_ROWS;
  return rows < answer->rows ? rows : answer->rows;
}

size_t judge_row(const judge_answer_t *answer, size_t per_group, size_t i) {
  const size_t group = i / per_group;
  const size_t of_group = i % per_group;
  // The middle of the group's share of the i-th of per_group equal parts of its rows.
  const size_t shares = 2 * answer->groups;
  return group * answer->rows + (of_group * shares + 2 * group + 1) * answer->rows / (shares * per_group);
}

// --- parts of a few rows, on several threads --------------------------------------------------

// Either golden, or want, or the number of elements that differ is asked for.
typedef struct work {
  const judge_answer_t *answer;
  size_t per_group;
  double *golden, *want;
  atomic_size_t wrong;
} work_t;

static size_t judged_rows(const work_t *work) { return work->answer->groups * work->per_group; }

// The place of an element in an array with so many rows.
static size_t place(const judge_answer_t *answer, size_t rows, size_t row, size_t column) {
  return answer->transposed ? column * rows + row : row * answer->columns + column;
}

static size_t place_of_output(const judge_answer_t *answer, size_t row, size_t column) {
  return place(answer, answer->groups * answer->rows, row, column);
}

static uint32_t bits_of(judge_type_t type, float value) {
  return type == JUDGE_F32 || type == JUDGE_S32 ? num_f32_bits(value)
         : type == JUDGE_BF16                   ? num_bf16_from_f32(value)
                                                : num_fp16_from_f32(value);
}

static float value_of(judge_type_t type, uint32_t bits) {
  return type == JUDGE_F32    ? num_f32_from_bits(bits)
         : type == JUDGE_S32  ? (float)(int32_t)bits
         : type == JUDGE_BF16 ? num_bf16_to_f32((uint16_t)bits)
                              : num_fp16_to_f32((uint16_t)bits);
}

static uint32_t output_bits(const judge_answer_t *answer, size_t row, size_t column) {
  const size_t at = place_of_output(answer, row, column);
  return answer->type == JUDGE_F32 || answer->type == JUDGE_S32 ? ((const uint32_t *)answer->out)[at]
                                                                : ((const uint16_t *)answer->out)[at];
}

static bool compute_fp64(work_t *work, const size_t *row, size_t count, size_t at) {
  const judge_answer_t *answer = work->answer;
  double *part = calloc(count * answer->columns, sizeof *part);
  const bool good = part != NULL && answer->fp64(answer->run, row, count, at, part);
  for (size_t i = 0; good && i < count; ++i) {
    for (size_t column = 0; column < answer->columns; ++column) {
      work->golden[place(answer, judged_rows(work), at + i, column)] = part[place(answer, count, i, column)];
    }
  }
  free(part);
  return good;
}

static bool is_nan(judge_type_t type, uint32_t bits) { return isnan(value_of(type, bits)); }

// A NaN is as good as another, +0 is not -0.
static bool same_bits(judge_type_t type, uint32_t have, uint32_t want) {
  return have == want || (is_nan(type, have) && is_nan(type, want));
}

static bool compute_contract(work_t *work, const size_t *row, size_t count, size_t at) {
  const judge_answer_t *answer = work->answer;
  float *part = calloc(count * answer->columns, sizeof *part);
  size_t wrong = 0;
  const bool good = part != NULL && answer->contract(answer->run, row, count, at, part);
  for (size_t i = 0; good && i < count; ++i) {
    for (size_t column = 0; column < answer->columns; ++column) {
      const uint32_t bits = bits_of(answer->type, part[place(answer, count, i, column)]);
      if (work->want != NULL) {
        work->want[place(answer, judged_rows(work), at + i, column)] = (double)value_of(answer->type, bits);
      } else {
        wrong += !same_bits(answer->type, output_bits(answer, row[i], column), bits);
      }
    }
  }
  free(part);
  atomic_fetch_add(&work->wrong, wrong);
  return good;
}

static bool compute_rows(void *context, size_t first, size_t end) {
  work_t *work = context;
  const judge_answer_t *answer = work->answer;
  const double affordable = part_operations / answer->operations;
  const size_t most = affordable >= PART_ROWS ? PART_ROWS : affordable < 1 ? 1 : (size_t)affordable;
  for (size_t i = first, count; i < end; i += count) {
    size_t row[PART_ROWS];
    for (count = 0; count < most && i + count < end; ++count) {
      row[count] = judge_row(answer, work->per_group, i + count);
      if (row[count] / answer->span != row[0] / answer->span) {
        break;
      }
    }
    if (!(work->golden != NULL ? compute_fp64 : compute_contract)(work, row, count, i)) {
      return false;
    }
  }
  return true;
}

static bool compute_all(work_t *work) {
  return parallel_for(work->answer->threads, judged_rows(work), compute_rows, work);
}

bool judge_fp64(const judge_answer_t *answer, size_t per_group, double *golden) {
  work_t work = {.answer = answer, .per_group = per_group, .golden = golden};
  return compute_all(&work);
}

// --- beside a simulation ----------------------------------------------------------------------

static bool compute_beside(void *context, size_t first, size_t end) {
  const judge_beside_t *beside = context;
  work_t work = {.answer = &beside->answer, .per_group = beside->per_group, .golden = beside->golden};
  return compute_rows(&work, first, end);
}

static double *room_for_golden(const judge_answer_t *answer, size_t per_group) {
  return malloc(answer->groups * per_group * answer->columns * sizeof(double));
}

bool judge_begin(judge_beside_t *beside, const judge_answer_t *answer, golden_choice_t choice) {
  *beside = (judge_beside_t){.answer = *answer, .per_group = judge_rows(answer, choice)};
  if (beside->per_group == 0) {
    return true;
  }
  beside->golden = room_for_golden(answer, beside->per_group);
  if (beside->golden == NULL) {
    return false;
  }
  parallel_begin_idle(&beside->part, 0, answer->groups * beside->per_group, compute_beside, beside);
  return true;
}

void judge_end(judge_beside_t *beside) {
  if (beside->golden != NULL) {
    parallel_end(&beside->part);
    free(beside->golden);
    beside->golden = NULL;
  }
}

// The caller frees it. NULL: out of memory.
static double *take_golden(const judge_answer_t *answer, size_t per_group, judge_beside_t *beside) {
  const bool begun = beside != NULL && beside->golden != NULL;
  double *golden = begun ? beside->golden : room_for_golden(answer, per_group);
  const bool good = golden != NULL && (begun ? parallel_end(&beside->part) : judge_fp64(answer, per_group, golden));
  if (begun) {
    beside->golden = NULL;
  }
  if (!good) {
    free(golden);
  }
  return good ? golden : NULL;
}

// --- the comparison ---------------------------------------------------------------------------

static void read_values(const judge_answer_t *answer, size_t per_group, float *values) {
  const size_t rows = answer->groups * per_group;
  for (size_t i = 0; i < rows; ++i) {
    const size_t row = judge_row(answer, per_group, i);
    for (size_t column = 0; column < answer->columns; ++column) {
      values[place(answer, rows, i, column)] = value_of(answer->type, output_bits(answer, row, column));
    }
  }
}

// The smallest number of a type that has all of its bits.
static double smallest_normal(judge_type_t type) { return type == JUDGE_FP16 ? 0x1p-14 : 0x1p-126; }

static void note_one(const judge_answer_t *answer, double want, double have, size_t row, size_t column,
                     kernel_result_t *result) {
  kernel_lost_t *lost = &result->lost;
  lost->elements += 1;
  if ((!isfinite(have) || !isfinite(want)) && lost->not_finite++ == 0) {
    lost->row = answer->transposed ? column : row;
    lost->column = answer->transposed ? row : column;
    lost->have = have;
    lost->want = want;
  }
  const bool small = want != 0 && fabs(want) < smallest_normal(answer->type);
  lost->to_zero += small && have == 0;
  lost->to_subnormal += small && have != 0 && fabs(have - want) > result->tolerance * fabs(want);
}

static void note_lost(const judge_answer_t *answer, size_t per_group, const double *golden, const float *values,
                      kernel_result_t *result) {
  const size_t rows = answer->groups * per_group;
  result->lost = (kernel_lost_t){.array = answer->array, .softmax = answer->softmax};
  for (size_t i = 0; i < rows; ++i) {
    const size_t row = judge_row(answer, per_group, i);
    for (size_t column = 0; column < answer->columns && (answer->apart == NULL || answer->apart[row] == 0); ++column) {
      const size_t at = place(answer, rows, i, column);
      note_one(answer, golden[at], (double)values[at], row, column, result);
    }
  }
}

static bool compare_with_fp64(const judge_answer_t *answer, size_t per_group, judge_beside_t *beside,
                              kernel_result_t *result, base_error_t *error) {
  const size_t rows = answer->groups * per_group;
  double *golden = take_golden(answer, per_group, beside);
  float *values = malloc(rows * answer->columns * sizeof *values);
  bool good = golden != NULL && values != NULL;
  if (good) {
    read_values(answer, per_group, values);
    num_error(golden, values, rows * answer->columns, &result->error);
    note_lost(answer, per_group, golden, values, result);
    good = answer->found == NULL || answer->found(answer->run, golden, values, rows);
  }
  free(golden);
  free(values);
  return good || base_fail(error, "FP64 reference: out of memory");
}

static bool compare_with_contract(const judge_answer_t *answer, kernel_result_t *result, base_error_t *error) {
  work_t work = {.answer = answer, .per_group = answer->rows};
  if (!compute_all(&work)) {
    return base_fail(error, "--verify: out of memory");
  }
  result->wrong_bits = work.wrong;
  result->verified = true;
  return true;
}

bool judge_result(const judge_answer_t *answer, const kernel_judge_t *asked, judge_beside_t *beside,
                  kernel_result_t *result, base_error_t *error) {
  const size_t per_group = judge_rows(answer, asked->golden);
  result->tolerance = isnan(asked->tolerance) ? answer->tolerance : asked->tolerance;
  result->elements = answer->groups * answer->rows * answer->columns;
  result->judged = answer->groups * per_group;
  result->judged_of = answer->groups * answer->rows;
  return (per_group == 0 || compare_with_fp64(answer, per_group, beside, result, error)) &&
         (!asked->verify || compare_with_contract(answer, result, error));
}

bool judge_expected(const judge_answer_t *answer, bool golden, kernel_expected_t *expected, base_error_t *error) {
  const size_t count = answer->groups * answer->rows * answer->columns;
  *expected = (kernel_expected_t){.array = answer->array,
                                  .by = golden ? "FP64" : "the contract",
                                  .count = count,
                                  .want = malloc(count * sizeof *expected->want)};
  work_t work = {.answer = answer, .per_group = answer->rows};
  *(golden ? &work.golden : &work.want) = expected->want;
  return (expected->want != NULL && compute_all(&work)) || base_fail(error, "expected result: out of memory");
}
