// Which points a plot has, and where.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plot/plot_script.h"

// --- places -----------------------------------------------------------------------------------

static double place(const table_t *table, size_t row, size_t column, bool log) {
  const double value = table_place(table, row, column);
  return isfinite(value) && (!log || value > 0) ? value : NAN;
}

static unsigned series_of(plot_points_t *points, size_t column, size_t row) {
  char buffer[TABLE_TEXT_BYTES];
  const char *text = table_text(points->table, row, column, buffer);
  unsigned i = 0;
  while (i < points->many && strcmp(points->series[i], text) != 0) {
    ++i;
  }
  if (i == PLOT_SERIES_MAX) {
    return i - 1;  // with the last ones
  }
  if (i == points->many) {
    points->series[points->many++] = strdup(i + 1 == PLOT_SERIES_MAX ? "others" : text);
  }
  return i;
}

static void add(plot_points_t *points, plot_place_t *list, size_t *count, const plot_place_t *at) {
  if (isnan(at->x) && isnan(at->y)) {
    ++points->lost[points->table->from->row[at->row].status];
  } else {
    list[(*count)++] = *at;
  }
}

static void add_row(plot_points_t *points, plot_place_t *at) {
  const study_plot_t *plot = points->plot;
  switch (points->table->from->row[at->row].status) {
    case OUTCOME_DONE:
      if (isnan(at->x) || isnan(at->y) || (plot->kind == STUDY_HEAT && isnan(at->value))) {
        ++points->lost[OUTCOME_DONE];
      } else {
        points->done[points->dones++] = *at;
      }
      break;
    case OUTCOME_FAILED:
      add(points, points->failed, &points->faileds, at);
      break;
    case OUTCOME_DROPPED:
      add(points, points->dropped, &points->droppeds, at);
      break;
    default:
      ++points->waiting;
      break;
  }
}

// --- the frame --------------------------------------------------------------------------------

static void widen(double value, double *from, double *to) {
  if (!isnan(value)) {
    *from = fmin(*from, value);
    *to = fmax(*to, value);
  }
}

static void reach(plot_points_t *points, const plot_place_t *list, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    widen(list[i].x, &points->from_x, &points->to_x);
    widen(list[i].y, &points->from_y, &points->to_y);
  }
}

// Room around what is shown.
static void pad(double *from, double *to, bool log) {
  if (*from > *to) {
    *from = log ? 0.1 : 0;
    *to = 1;
  } else if (log) {
    const double factor = fmax(pow(*to / *from, 0.06), 1.05);
    *from /= factor;
    *to *= factor;
  } else {
    const double room = *to > *from ? 0.06 * (*to - *from) : fmax(fabs(*to) * 0.1, 0.5);
    *from -= room;
    *to += room;
  }
}

static void set_frame(plot_points_t *points) {
  points->from_x = points->from_y = INFINITY;
  points->to_x = points->to_y = -INFINITY;
  reach(points, points->done, points->dones);
  reach(points, points->failed, points->faileds);
  reach(points, points->dropped, points->droppeds);
  pad(&points->from_x, &points->to_x, points->plot->log_x);
  pad(&points->from_y, &points->to_y, points->plot->log_y);
}

// What is half known stands at the frame; not in a heat map, which has no place for it.
static void put_at_frame(plot_points_t *points, plot_place_t *list, size_t count) {
  for (size_t i = 0; i < count && points->plot->kind != STUDY_HEAT; ++i) {
    list[i].x = isnan(list[i].x) ? points->from_x : list[i].x;
    list[i].y = isnan(list[i].y) ? points->from_y : list[i].y;
  }
}

// ----------------------------------------------------------------------------------------------

// NAN, of a heat map's, before all else.
static int compare_numbers(double p, double q) {
  return isnan(p) || isnan(q) ? (isnan(q) != 0) - (isnan(p) != 0) : (p > q) - (p < q);
}

static int compare(const void *a, const void *b) {
  const plot_place_t *p = a, *q = b;
  const int x = compare_numbers(p->x, q->x), y = compare_numbers(p->y, q->y);
  return x != 0 ? x : y != 0 ? y : (p->row > q->row) - (p->row < q->row);
}

static void sort(plot_points_t *points) {
  put_at_frame(points, points->failed, points->faileds);
  put_at_frame(points, points->dropped, points->droppeds);
  qsort(points->done, points->dones, sizeof *points->done, compare);
  qsort(points->failed, points->faileds, sizeof *points->failed, compare);
  qsort(points->dropped, points->droppeds, sizeof *points->dropped, compare);
}

static bool find(const plot_points_t *points, const char *name, size_t *column, base_error_t *error) {
  const int at = table_find(points->table, name);
  *column = (size_t)at;
  return at != TABLE_NONE || base_fail(error, "plot %s: there is no axis and no metric '%s'", points->plot->name, name);
}

bool plot_points_open(plot_points_t *points, const table_t *table, const study_plot_t *plot, base_error_t *error) {
  *points = (plot_points_t){.table = table, .plot = plot};
  size_t series = 0;
  if (!find(points, plot->x, &points->x, error) || !find(points, plot->y, &points->y, error) ||
      (plot->kind == STUDY_HEAT && !find(points, plot->value, &points->value, error)) ||
      (plot->series != NULL && !find(points, plot->series, &series, error))) {
    return false;
  }
  points->done = calloc(table->rows + 1, sizeof *points->done);
  points->failed = calloc(table->rows + 1, sizeof *points->failed);
  points->dropped = calloc(table->rows + 1, sizeof *points->dropped);
  if (points->done == NULL || points->failed == NULL || points->dropped == NULL) {
    return base_fail(error, "plot %s: out of memory", plot->name);
  }
  for (size_t row = 0; row < table->rows; ++row) {
    plot_place_t at = {.x = place(table, row, points->x, plot->log_x),
                       .y = place(table, row, points->y, plot->log_y),
                       .value = plot->kind == STUDY_HEAT ? table_number(table, row, points->value) : NAN,
                       .row = row,
                       .series = plot->series == NULL ? 0 : series_of(points, series, row)};
    add_row(points, &at);
  }
  points->many = plot->series == NULL ? 1 : points->many;
  set_frame(points);
  sort(points);
  return true;
}

void plot_points_close(plot_points_t *points) {
  free(points->done);
  free(points->failed);
  free(points->dropped);
  for (unsigned i = 0; i < PLOT_SERIES_MAX; ++i) {
    free(points->series[i]);
  }
}

bool plot_most(const table_t *table, size_t column) { return table->column[column].better == STUDY_MAX; }

// --- the best of several ----------------------------------------------------------------------

size_t plot_best(plot_place_t *point, size_t count, bool most, bool cells) {
  size_t kept = 0;
  qsort(point, count, sizeof *point, compare);
  for (size_t i = 0; i < count; ++i) {
    plot_place_t *last = &point[kept == 0 ? 0 : kept - 1];
    if (kept == 0 || last->x != point[i].x || (cells && last->y != point[i].y)) {
      point[kept++] = point[i];
      continue;
    }
    const double is = cells ? point[i].value : point[i].y, was = cells ? last->value : last->y;
    if (most ? is > was : is < was) {
      *last = point[i];
    }
  }
  return kept;
}
