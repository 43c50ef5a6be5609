// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_problem.h"

#include <stdlib.h>
#include <string.h>

void fp8_free(fp8_problem_t *problem) {
  if (!problem->q_in_global_memory) {
    free(problem->q);
  }
  if (!problem->tokens_in_global_memory) {
    free(problem->tokens);
  }
  free(problem->keys);
  free(problem->length);
  free(problem->indices);
  free(problem->topk_length);
  free(problem->block_table);
  free(problem->sink);
  memset(problem, 0, sizeof *problem);
}

size_t fp8_lists(const fp8_problem_t *problem) { return problem->batch * (problem->topk == 0 ? 1 : problem->seq_q); }

size_t fp8_list_rows(const fp8_problem_t *problem) {
  return problem->heads * (problem->topk == 0 ? problem->seq_q : 1);
}

size_t fp8_places(const fp8_problem_t *problem, size_t list) {
  const size_t entry = fp8_entry_of(problem, list);
  if (problem->topk == 0) {
    return (size_t)problem->length[entry];
  }
  return problem->topk_length == NULL ? problem->topk : (size_t)problem->topk_length[entry];
}

size_t fp8_slot(const fp8_problem_t *problem, size_t entry, size_t position) {
  if (problem->page_size == 0) {
    return position + (problem->shared ? 0 : entry * problem->capacity);
  }
  const size_t page = position / problem->page_size;
  const int32_t at = problem->block_table[entry * problem->pages + page];
  return (size_t)at * problem->page_size + position % problem->page_size;
}

ptrdiff_t fp8_place_slot(const fp8_problem_t *problem, size_t list, size_t place) {
  const size_t entry = fp8_entry_of(problem, list);
  if (problem->topk == 0) {
    return (ptrdiff_t)fp8_slot(problem, entry, place);
  }
  const int32_t position = problem->indices[list * problem->topk + place];
  const ptrdiff_t later = (ptrdiff_t)(problem->seq_q - 1 - list % problem->seq_q);
  if (position < 0 || (problem->causal && position >= problem->length[entry] - later)) {
    return -1;
  }
  return (ptrdiff_t)fp8_slot(problem, entry, (size_t)position);
}

uint64_t fp8_attended(const fp8_problem_t *problem) {
  uint64_t count = 0;
  for (size_t list = 0; list < fp8_lists(problem); ++list) {
    const size_t places = fp8_places(problem, list);
    for (size_t place = 0; problem->topk != 0 && place < places; ++place) {
      count += fp8_place_slot(problem, list, place) >= 0;
    }
    count += problem->topk == 0 ? places : 0;
  }
  return count;
}
