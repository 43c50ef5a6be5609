// Shared by the plots of a study: their points and places, and the script's frame.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_PLOT_PLOT_SCRIPT_H
#define AMALGAM_SWEEP_PLOT_PLOT_SCRIPT_H

#include <stdio.h>

#include "sweep/table/table.h"

typedef struct plot_place {
  outcome_status_t status;  // done, failed or dropped
  unsigned series;          // of a done point that is not in a heat map; else 0
  double x, y;              // NAN: not known, or not to be had on a logarithmic axis
  double value;             // of a heat map
  size_t row;
  bool best;  // a done point of the front, or the best at its place
} plot_place_t;

enum { PLOT_SERIES_MAX = 16, PLOT_STATUSES = OUTCOME_DROPPED + 1 };  // the last series is all that remain

typedef struct plot_points {
  const table_t *table;
  const study_plot_t *plot;
  size_t x, y, value;   // columns
  plot_place_t *place;  // points of which x or y is known, sorted by status, series, x, y, row
  size_t count, dones;  // how many; how many of them are done
  size_t apart[PLOT_STATUSES], lost[PLOT_STATUSES];  // of each status: with a place, and without one
  char *series[PLOT_SERIES_MAX];                     // texts
  unsigned many;                                     // how many; 1 without series
  double from_x, to_x, from_y, to_y;                 // the frame
} plot_points_t;

// Finds columns and points.  False: error says which column is not there.  Close it either way.
bool plot_points_open(plot_points_t *points, const table_t *table, const study_plot_t *plot, base_error_t *error);
void plot_points_close(plot_points_t *points);

// By status, series, x and y; *a and *b are plot_place_t.
int plot_compare(const void *a, const void *b);

// Terminal, title, labels, ranges, ticks, and in words what is not shown.
void plot_frame(const plot_points_t *points, FILE *script);

// The share of so many points that is drawn: 1 for few.
double plot_share(size_t count);

// Is more of it better?
bool plot_most(const table_t *table, size_t column);

// Marks the best of the done points of a series at the same x (and y, in a heat map), by y (or value).
void plot_mark_best(plot_points_t *points);

void plot_pareto(plot_points_t *points, FILE *script);
void plot_lines(plot_points_t *points, FILE *script);
void plot_heat(plot_points_t *points, FILE *script);

#endif
