// The result against FP64, and against the contract's loops.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "kernel/flash/flash.h"
#include "num/num_format.h"

static const double full_operations = 4e9;
static const double sample_operations = 2e9;

enum {
  LEAST_ROWS = 16,  // of a sample
  PART_ROWS = 32,   // judged together, of one entry
  PART_SCORES = 1 << 22,
};

// Of all entries; row i of n lies in the middle of the i-th of n equal parts of all rows.
typedef struct judged {
  const flash_run_t *run;
  size_t all, rows;  // of all entries; to judge
  size_t part_rows, parts;
  double *golden;  // [rows][dv], one of both; neither: bits are compared
  float *contract;
  size_t *wrong;  // [parts]
} judged_t;

static size_t judged_row(const judged_t *judged, size_t i) { return (2 * i + 1) * judged->all / (2 * judged->rows); }

static size_t golden_rows(const flash_problem_t *problem, golden_choice_t choice, size_t all) {
  const double row = 2.0 * (double)problem->keys * (double)(problem->dk + problem->dv);
  if (choice == GOLDEN_NONE) {
    return 0;
  }
  if (choice == GOLDEN_FULL || (choice == GOLDEN_AUTO && row * (double)all <= full_operations)) {
    return all;
  }
  const double affordable = sample_operations / row;
  const size_t rows = affordable > LEAST_ROWS ? (size_t)affordable : LEAST_ROWS;
  return rows < all ? rows : all;
}

static size_t part_rows(const flash_problem_t *problem) {
  const size_t rows = PART_SCORES / problem->keys;
  return rows < 1 ? 1 : rows < PART_ROWS ? rows : PART_ROWS;
}

// Output row `row` of all as FP32 values, whatever the kernel stored.
static void row_values(const flash_run_t *run, size_t row, float *values) {
  const size_t dv = run->problem.dv;
  const uint16_t *bits = (const uint16_t *)run->out + row * dv;
  if (run->settings.out_f32) {
    memcpy(values, (const float *)run->out + row * dv, dv * sizeof *values);
  } else if (run->problem.fp16) {
    num_fp16_to_f32_n(bits, values, dv);
  } else {
    num_bf16_to_f32_n(bits, values, dv);
  }
}

// Differing elements of a row; a NaN equals only the same NaN, +0 is not -0.
static size_t differing(const flash_run_t *run, size_t row, const float *want) {
  const size_t dv = run->problem.dv;
  size_t wrong = 0;
  for (size_t i = 0; i < dv; ++i) {
    const uint16_t bits = run->problem.fp16 ? num_fp16_from_f32(want[i]) : num_bf16_from_f32(want[i]);
    wrong += run->settings.out_f32 ? ((const uint32_t *)run->out)[row * dv + i] != num_f32_bits(want[i])
                                   : ((const uint16_t *)run->out)[row * dv + i] != bits;
  }
  return wrong;
}

// Rows i .. i + count - 1 of those judged, all of one entry.
static bool judge_rows(const judged_t *judged, size_t i, size_t count, size_t *wrong) {
  const flash_problem_t *problem = &judged->run->problem;
  const size_t of_entry = flash_rows(problem);
  const size_t entry = judged_row(judged, i) / of_entry;
  size_t row[PART_ROWS];
  flash_part_t part;
  for (size_t r = 0; r < count; ++r) {
    row[r] = judged_row(judged, i + r) % of_entry;
  }
  float *own = judged->contract == NULL ? calloc(count * problem->dv, sizeof *own) : NULL;
  float *want = judged->contract == NULL ? own : judged->contract + i * problem->dv;
  bool good = flash_part(problem, entry, row, count, &part) && want != NULL;
  const bool keys = part.attn.keys > 0;  // none: the output is 0, and so is what was allocated
  if (good && judged->golden != NULL) {
    good = !keys || num_attn_golden(&part.attn, judged->golden + i * problem->dv) == 0;
  } else if (good) {
    good = !keys || num_attn_flash(&part.attn, NUM_ISA_AUTO, want) == 0;
    for (size_t r = 0; good && own != NULL && r < count; ++r) {
      *wrong += differing(judged->run, entry * of_entry + row[r], want + r * problem->dv);
    }
  }
  flash_part_free(&part);
  free(own);
  return good;
}

static bool judge_parts(void *context, size_t first, size_t end) {
  const judged_t *judged = context;
  const size_t of_entry = flash_rows(&judged->run->problem);
  for (size_t part = first; part < end; ++part) {
    const size_t last = (part + 1) * judged->part_rows;
    const size_t stop = last < judged->rows ? last : judged->rows;
    for (size_t i = part * judged->part_rows; i < stop;) {
      const size_t entry = judged_row(judged, i) / of_entry;
      size_t count = 1;
      while (i + count < stop && judged_row(judged, i + count) / of_entry == entry) {
        count++;
      }
      if (!judge_rows(judged, i, count, &judged->wrong[part])) {
        return false;
      }
      i += count;
    }
  }
  return true;
}

static bool judge(judged_t *judged) {
  judged->part_rows = part_rows(&judged->run->problem);
  judged->parts = (judged->rows + judged->part_rows - 1) / judged->part_rows;
  judged->wrong = calloc(judged->parts + 1, sizeof *judged->wrong);
  return judged->wrong != NULL &&
         parallel_for(judged->run->settings.machine.soc.threads, judged->parts, judge_parts, judged);
}

static bool compare(flash_run_t *run, size_t all, size_t rows, base_error_t *error) {
  const size_t dv = run->problem.dv;
  judged_t judged = {.run = run, .all = all, .rows = rows};
  float *values = malloc(rows * dv * sizeof *values);
  judged.golden = calloc(rows * dv, sizeof *judged.golden);
  const bool good = values != NULL && judged.golden != NULL && judge(&judged);
  for (size_t i = 0; good && i < rows; ++i) {
    row_values(run, judged_row(&judged, i), values + i * dv);
  }
  if (good) {
    num_error(judged.golden, values, rows * dv, &run->result.error);
  }
  free(values);
  free(judged.golden);
  free(judged.wrong);
  return good || base_fail(error, "golden attention: out of memory");
}

static bool verify(flash_run_t *run, size_t all, base_error_t *error) {
  judged_t judged = {.run = run, .all = all, .rows = all};
  const bool good = judge(&judged);
  for (size_t i = 0; good && i < judged.parts; ++i) {
    run->result.wrong_bits += judged.wrong[i];
  }
  run->result.verified = good;
  free(judged.wrong);
  return good || base_fail(error, "--verify: out of memory");
}

// As the kernel stores it.
static double stored(const flash_run_t *run, float value) {
  const float half =
      run->problem.fp16 ? num_fp16_to_f32(num_fp16_from_f32(value)) : num_bf16_to_f32(num_bf16_from_f32(value));
  return (double)(run->settings.out_f32 ? value : half);
}

bool flash_expected(const flash_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error) {
  const flash_problem_t *problem = &run->problem;
  const size_t count = flash_out_count(problem);
  judged_t judged = {.run = run, .all = flash_entries(problem) * flash_rows(problem)};
  judged.rows = judged.all;
  *expected = (kernel_expected_t){.array = "out",
                                  .by = golden ? "FP64" : "the contract",
                                  .count = count,
                                  .want = calloc(count, sizeof *expected->want)};
  judged.golden = golden ? expected->want : NULL;
  judged.contract = golden ? NULL : calloc(count, sizeof *judged.contract);
  const bool good = expected->want != NULL && (golden || judged.contract != NULL) && judge(&judged);
  for (size_t i = 0; good && !golden && i < count; ++i) {
    expected->want[i] = stored(run, judged.contract[i]);
  }
  free(judged.contract);
  free(judged.wrong);
  return good || base_fail(error, "expected result: out of memory");
}

bool flash_judge(flash_run_t *run, base_error_t *error) {
  kernel_result_t *result = &run->result;
  const flash_problem_t *problem = &run->problem;
  const size_t all = flash_entries(problem) * flash_rows(problem);
  const double usual = problem->fp16 ? FLASH_TOLERANCE_FP16 : FLASH_TOLERANCE_BF16;
  if (run->settings.machine.soc.timing_only) {
    return true;
  }
  result->tolerance = isnan(run->judge.tolerance) ? usual : run->judge.tolerance;
  result->elements = flash_out_count(problem);
  result->judged = golden_rows(problem, run->judge.golden, all);
  result->judged_of = all;
  return (result->judged == 0 || compare(run, all, result->judged, error)) &&
         (!run->judge.verify || verify(run, all, error));
}

base_exit_t flash_verdict(const flash_run_t *run, base_error_t *error) {
  return kernel_result_verdict(&run->result, "output elements", error);
}
