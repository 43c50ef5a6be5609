// The points of a plot, and their places.
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

// Adds a point if it has a place. A done one has to be whole.
static void add_point(plot_points_t *points, plot_place_t at) {
  const bool heat = points->plot->kind == STUDY_HEAT, done = at.status == OUTCOME_DONE;
  const bool ended = done || at.status == OUTCOME_FAILED || at.status == OUTCOME_DROPPED;
  const bool known = done ? !isnan(at.x) && !isnan(at.y) && !(heat && isnan(at.value)) : !isnan(at.x) || !isnan(at.y);
  if (ended && known) {
    at.series = done && !heat ? at.series : 0;
    points->place[points->count++] = at;
    ++points->apart[at.status];
  } else {
    ++points->lost[ended ? at.status : OUTCOME_WAITING];
  }
}

// --- the frame --------------------------------------------------------------------------------

static void widen(double value, double *from, double *to) {
  if (!isnan(value)) {
    *from = fmin(*from, value);
    *to = fmax(*to, value);
  }
}

// Adds room around what is shown.
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

// A point of which x or y is not known stands at the frame; not in a heat map, which has no place for it.
static void set_frame(plot_points_t *points) {
  points->from_x = points->from_y = INFINITY;
  points->to_x = points->to_y = -INFINITY;
  for (size_t i = 0; i < points->count; ++i) {
    widen(points->place[i].x, &points->from_x, &points->to_x);
    widen(points->place[i].y, &points->from_y, &points->to_y);
  }
  pad(&points->from_x, &points->to_x, points->plot->log_x);
  pad(&points->from_y, &points->to_y, points->plot->log_y);
  for (size_t i = 0; i < points->count && points->plot->kind != STUDY_HEAT; ++i) {
    plot_place_t *at = &points->place[i];
    at->x = isnan(at->x) ? points->from_x : at->x;
    at->y = isnan(at->y) ? points->from_y : at->y;
  }
}

// ----------------------------------------------------------------------------------------------

// NAN, which is in heat maps only, comes first.
static int compare_numbers(double p, double q) {
  return isnan(p) || isnan(q) ? (isnan(q) != 0) - (isnan(p) != 0) : (p > q) - (p < q);
}

int plot_compare(const void *a, const void *b) {
  const plot_place_t *p = a, *q = b;
  const int status = (p->status > q->status) - (p->status < q->status);
  const int series = (p->series > q->series) - (p->series < q->series);
  const int x = compare_numbers(p->x, q->x);
  return status != 0 ? status : series != 0 ? series : x != 0 ? x : compare_numbers(p->y, q->y);
}

static int compare(const void *a, const void *b) {
  const plot_place_t *p = a, *q = b;
  const int place = plot_compare(a, b);
  return place != 0 ? place : (p->row > q->row) - (p->row < q->row);
}

static bool find_column(const plot_points_t *points, const char *name, size_t *column, base_error_t *error) {
  const int at = table_find(points->table, name);
  *column = (size_t)at;
  return at != TABLE_NONE || base_fail(error, "plot %s: there is no axis and no metric '%s'", points->plot->name, name);
}

bool plot_points_open(plot_points_t *points, const table_t *table, const study_plot_t *plot, base_error_t *error) {
  *points = (plot_points_t){.table = table, .plot = plot};
  size_t series = 0;
  if (!find_column(points, plot->x, &points->x, error) || !find_column(points, plot->y, &points->y, error) ||
      (plot->kind == STUDY_HEAT && !find_column(points, plot->value, &points->value, error)) ||
      (plot->series != NULL && !find_column(points, plot->series, &series, error))) {
    return false;
  }
  points->place = calloc(table->rows + 1, sizeof *points->place);
  if (points->place == NULL) {
    return base_fail(error, "plot %s: out of memory", plot->name);
  }
  for (size_t row = 0; row < table->rows; ++row) {
    add_point(points, (plot_place_t){.status = table->from->row[row].status,
                                     .series = plot->series == NULL ? 0 : series_of(points, series, row),
                                     .x = place(table, row, points->x, plot->log_x),
                                     .y = place(table, row, points->y, plot->log_y),
                                     .value = plot->kind == STUDY_HEAT ? table_number(table, row, points->value) : NAN,
                                     .row = row});
  }
  points->many = plot->series == NULL ? 1 : points->many;
  points->dones = points->apart[OUTCOME_DONE];
  set_frame(points);
  qsort(points->place, points->count, sizeof *points->place, compare);
  return true;
}

void plot_points_close(plot_points_t *points) {
  free(points->place);
  for (unsigned i = 0; i < PLOT_SERIES_MAX; ++i) {
    free(points->series[i]);
  }
}

bool plot_most(const table_t *table, size_t column) { return table->column[column].better == STUDY_MAX; }

void plot_mark_best(plot_points_t *points) {
  const bool heat = points->plot->kind == STUDY_HEAT, most = plot_most(points->table, heat ? points->value : points->y);
  plot_place_t *best = NULL;
  for (plot_place_t *at = points->place; at < points->place + points->dones; ++at) {
    if (best != NULL && best->series == at->series && best->x == at->x && (!heat || best->y == at->y)) {
      const double is = heat ? at->value : at->y, was = heat ? best->value : best->y;
      if (most ? is <= was : is >= was) {
        continue;
      }
      best->best = false;
    }
    best = at;
    best->best = true;
  }
}
