// SPDX-License-Identifier: Apache-2.0
#include "sweep/page/page_rows.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/table/front.h"

// Marks the rows of a plot's front, over all series.
static void mark_front(bool *kept, front_point_t *point, const table_t *table, const study_plot_t *plot) {
  const int x = table_find(table, plot->x), y = table_find(table, plot->y);
  size_t count = 0;
  if (x == TABLE_NONE || y == TABLE_NONE) {
    return;
  }
  for (size_t row = 0; row < table->rows; ++row) {
    point[count] = (front_point_t){table_place(table, row, (size_t)x), table_place(table, row, (size_t)y), row};
    count += table->from->row[row].status == OUTCOME_DONE && !isnan(point[count].x) && !isnan(point[count].y);
  }
  count = front_of(point, count, table->column[x].better == STUDY_MAX, table->column[y].better == STUDY_MAX);
  for (size_t i = 0; i < count; ++i) {
    kept[point[i].row] = true;
  }
}

static bool mark_fronts(bool *kept, const table_t *table) {
  const study_t *study = table->from->study;
  front_point_t *point = calloc(table->rows + 1, sizeof *point);
  for (size_t i = 0; point != NULL && i < study->plots; ++i) {
    if (study->plot[i].kind == STUDY_PARETO) {
      mark_front(kept, point, table, &study->plot[i]);
    }
  }
  free(point);
  return point != NULL;
}

// Takes what is kept, and of the others as many as there is room for.
static void choose_rows(page_rows_t *rows, const bool *kept, size_t all, size_t most) {
  size_t fronts = 0, other = 0;
  for (size_t row = 0; row < all; ++row) {
    fronts += kept[row];
  }
  const double share = all == most ? 1 : fronts >= most ? 0 : (double)(most - fronts) / (double)(all - fronts);
  for (size_t row = 0; row < all && rows->count < most; ++row) {
    other += !kept[row];
    if (kept[row] || table_sampled(other, share)) {
      rows->row[rows->count++] = row;
    }
  }
}

bool page_rows_choose(page_rows_t *rows, const table_t *table, size_t most) {
  bool *kept = calloc(table->rows + 1, sizeof *kept);
  *rows = (page_rows_t){calloc(table->rows + 1, sizeof *rows->row), 0};
  const bool good = kept != NULL && rows->row != NULL && (table->rows <= most || mark_fronts(kept, table));
  if (good) {
    choose_rows(rows, kept, table->rows, table->rows <= most ? table->rows : most);
  } else {
    free(rows->row);
  }
  free(kept);
  return good;
}
