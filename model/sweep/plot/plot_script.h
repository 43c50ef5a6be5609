// What the plots of a study share: which points they have, and where; the script's frame.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_PLOT_PLOT_SCRIPT_H
#define AMALGAM_SWEEP_PLOT_PLOT_SCRIPT_H

#include <stdio.h>

#include "sweep/table/table.h"

typedef struct plot_place {
  double x, y;   // NAN: not known, or not to be had on a logarithmic axis
  double value;  // of a heat map
  size_t row;
  unsigned series;
} plot_place_t;

enum { PLOT_SERIES_MAX = 16 };  // the last of so many is all that remain

typedef struct plot_points {
  const table_t *table;
  const study_plot_t *plot;
  size_t x, y, value;                     // columns
  plot_place_t *done, *failed, *dropped;  // those of which x or y is known, sorted by place
  size_t dones, faileds, droppeds;
  size_t lost[OUTCOME_DROPPED + 1];  // of each status, how many have neither
  size_t waiting;
  char *series[PLOT_SERIES_MAX];      // texts
  unsigned many;                      // how many; 1 without series
  double from_x, to_x, from_y, to_y;  // the frame
} plot_points_t;

// Finds columns and points.  False: error says which column is not there.  Close it either way.
bool plot_points_open(plot_points_t *points, const table_t *table, const study_plot_t *plot, base_error_t *error);
void plot_points_close(plot_points_t *points);

// Terminal, title, labels, ranges, ticks, and in words what is not shown.
void plot_frame(const plot_points_t *points, FILE *script);

// Of many points this share is drawn: 1 for few.
double plot_share(size_t count);

// A share of the points as a data block $NAMENUMBER, one a line, of equal neighbours one.
void plot_block(FILE *script, const char *name, unsigned number, const plot_place_t *point, size_t count, double share);

// Failed and dropped points as data blocks; then their parts of the plot command, which
// has begun.
void plot_apart_blocks(const plot_points_t *points, FILE *script);
void plot_apart(const plot_points_t *points, FILE *script);

// "#0072b2": a series' colour. The page has the same.
const char *plot_color(unsigned series);

// Is more of it better?
bool plot_most(const table_t *table, size_t column);

// Keeps the best point of those at the same x (and y, if `cells`), by y (or value), sorted by x; returns how many.
size_t plot_best(plot_place_t *point, size_t count, bool most, bool cells);

void plot_pareto(const plot_points_t *points, FILE *script);
void plot_lines(const plot_points_t *points, FILE *script);
void plot_heat(const plot_points_t *points, FILE *script);

#endif
