// A study as one page of HTML that fetches nothing: its plots, drawn by a script in it with axes that can be chosen,
// and its table, which sorts and filters.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_PAGE_PAGE_H
#define AMALGAM_SWEEP_PAGE_PAGE_H

#include <stdbool.h>

#include "sweep/table/table.h"

enum { PAGE_MOST_ROWS = 5000 };  // of a larger table: the Pareto fronts, and others evenly; the page says so

// Writes the file (base/output.h).  False: error says why.
__attribute__((warn_unused_result)) bool page_write(const table_t *table, const char *html_file, base_error_t *error);

#endif
