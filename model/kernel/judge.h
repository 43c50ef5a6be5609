// Compares the output of a kernel with FP64 and with the numerical contract's own bits. A kernel says how its output
// lies in memory and computes rows of what it should be; which rows, on which threads, and the comparison are here.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_JUDGE_H
#define AMALGAM_KERNEL_JUDGE_H

#include "host/parallel.h"
#include "kernel/result.h"

typedef enum judge_type { JUDGE_F32, JUDGE_BF16, JUDGE_FP16, JUDGE_S32 } judge_type_t;

// The contract's function leaves S32 as bits, whatever float they are.
//
// Computes `count` rows, [count][columns] or as `transposed` says, of zeros at first. row: which, ascending, of one
// span; at: the place of the first of them among all that are computed. False: out of memory.
typedef bool judge_fp64_fn(void *run, const size_t *row, size_t count, size_t at, double *golden);
typedef bool judge_contract_fn(void *run, const size_t *row, size_t count, size_t at, float *want);

// Notes more about the judged rows than their error; both [rows][columns], or as `transposed` says.
typedef bool judge_found_fn(void *run, const double *golden, const float *values, size_t rows);

// The right output.
typedef struct judge_answer {
  const char *array;  // its name in global memory: "out"
  const void *out;    // [groups * rows][columns]
  judge_type_t type;
  size_t groups, rows, columns;  // a sample has as many rows of each group
  size_t span;                   // row / span is the same for rows that are computed in one call
  bool transposed;               // arrays are [columns][rows]
  bool softmax;                  // smaller scores help where values overflow
  const uint8_t *apart;          // [groups * rows], 1: FP64 has nothing to say of the row; NULL: of all it has
  double operations;             // of FP64 for a row, on the average
  double tolerance;              // the usual one
  size_t threads;
  void *run;  // handed to the functions
  judge_fp64_fn *fp64;
  judge_contract_fn *contract;
  judge_found_fn *found;  // NULL: nothing more
} judge_answer_t;

// The number of rows of each group to compare: all if that takes at most 4 GFLOP, else as many as 2 GFLOP allow, but at
// least two of each group.
size_t judge_rows(const judge_answer_t *answer, golden_choice_t choice);

// The i-th of groups * per_group judged rows, among all rows, ascending in i: as far apart as possible, in each
// group at other places, so that many groups together visit all places.
size_t judge_row(const judge_answer_t *answer, size_t per_group, size_t i);

// The FP64 results of these rows, the same bits for any number of threads and rows. False: out of memory.
bool judge_fp64(const judge_answer_t *answer, size_t per_group, double *golden);

// FP64 results that are computed beside a simulation, in processor time that nobody else wants; zeros: none are.
typedef struct judge_beside {
  judge_answer_t answer;
  size_t per_group;
  double *golden;
  parallel_part_t part;
} judge_beside_t;

// Begins with them; *beside stays where it is until judge_result or judge_end. False: out of memory.
bool judge_begin(judge_beside_t *beside, const judge_answer_t *answer, golden_choice_t choice);
void judge_end(judge_beside_t *beside);

// Compares what was asked for and notes it in *result. beside: NULL, or what may have been begun.
bool judge_result(const judge_answer_t *answer, const kernel_judge_t *asked, judge_beside_t *beside,
                  kernel_result_t *result, base_error_t *error);

// All elements as they should have been stored; with golden in FP64.
bool judge_expected(const judge_answer_t *answer, bool golden, kernel_expected_t *expected, base_error_t *error);

#endif
