// The rows that a page has.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_PAGE_PAGE_ROWS_H
#define AMALGAM_SWEEP_PAGE_PAGE_ROWS_H

#include "sweep/table/table.h"

typedef struct page_rows {
  size_t *row;  // in the table's order; to be freed
  size_t count;
} page_rows_t;

// All; of more than `most` those on the fronts of the study's plots, and of the others about as many as there is room
// for, evenly.
// False: no memory.
bool page_rows_choose(page_rows_t *rows, const table_t *table, size_t most);

#endif
