// Makes up an FP8 problem: queries and keys, pages, indices.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FP8_FP8_MADE_UP_H
#define AMALGAM_KERNEL_FP8_FP8_MADE_UP_H

#include "kernel/fp8/fp8_problem.h"
#include "kernel/made_up.h"

// Queries and tokens for the shape in *problem, which becomes paged later if `pages`: keys of
// entry e from stream 2 e + 1, queries from 2 e (as for amla), then quantised.  Slots from an entry's length on are NaN
// throughout.  The keys stay in problem->keys unless they are many.
bool fp8_make_up(fp8_problem_t *problem, const made_up_t *made_up, num_fp8_scale_t kind, bool pages, size_t threads,
                 base_error_t *error);

// Moves the cache, in order and not shared, into pages of page_size tokens in random order, some of
// them nobody's; what is in no sequence is NaN throughout.  The block table has pages for what an
// entry may have at most, -1 for those it does not need.
bool fp8_make_pages(fp8_problem_t *problem, size_t page_size, uint64_t seed, base_error_t *error);

// topk indices for each query token: distinct positions in random order, all of them and -1s among
// them if there are less.
bool fp8_make_indices(fp8_problem_t *problem, size_t topk, uint64_t seed, base_error_t *error);

#endif
