// The FP64 golden of an attention problem: of all its query rows, or, where that would take long,
// of some rows of every batch entry.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ATTENTION_ATTENTION_GOLDEN_H
#define AMALGAM_KERNEL_ATTENTION_ATTENTION_GOLDEN_H

#include "kernel/attention/attention_problem.h"
#include "kernel/result.h"

// How many of the rows of each batch entry to judge, 0 to problem->rows. A row takes 2 * keys *
// (dk + dv) operations; a sample is 2 rows of every batch entry, more as long as all take at most 2 GFLOP.
size_t attention_golden_rows(const attention_problem_t *problem, golden_choice_t choice);

// Which rows these are: row i, i < per_entry, of batch entry `entry`, ascending in i. They lie as
// far apart as possible, in each entry at other places, so that many entries together visit all
// heads and tokens. With per_entry = rows it is i.
size_t attention_golden_row(const attention_problem_t *problem, size_t per_entry, size_t entry, size_t i);

// golden [batch][per_entry][dv], the same bits for any number of threads and any per_entry. False:
// out of memory.
bool attention_golden(const attention_problem_t *problem, size_t per_entry, size_t threads, double *golden);

#endif
