// Pareto fronts and lines.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/gnuplot.h"
#include "sweep/plot/plot_script.h"
#include "sweep/table/front.h"

// Copies the done points of a series; returns how many.
static size_t take_series(const plot_points_t *points, unsigned series, plot_place_t *list) {
  size_t count = 0;
  for (size_t i = 0; i < points->dones; ++i) {
    list[count] = points->done[i];
    count += points->done[i].series == series;
  }
  return count;
}

static void print_title(const plot_points_t *points, FILE *script, unsigned series, const char *alone) {
  char text[128];
  const char *name = points->plot->series;
  snprintf(text, sizeof text, "%s %s", name == NULL ? "" : name, name == NULL ? "" : points->series[series]);
  fputs(" title ", script);
  gnuplot_text(script, name == NULL ? alone : text);
}

// gnuplot finds nothing to plot in nothing: the frame.
static void begin_plot(FILE *script) { fputs("plot NaN notitle", script); }

static size_t front(const plot_points_t *points, plot_place_t *list, size_t count) {
  front_point_t *point = calloc(count + 1, sizeof *point);
  if (point == NULL) {
    return 0;
  }
  for (size_t i = 0; i < count; ++i) {
    point[i] = (front_point_t){list[i].x, list[i].y, i};
  }
  const size_t kept = front_of(point, count, plot_most(points->table, points->x), plot_most(points->table, points->y));
  for (size_t i = 0; i < kept; ++i) {
    list[i].x = point[i].x;
    list[i].y = point[i].y;
  }
  free(point);
  return kept;
}

static size_t lines(const plot_points_t *points, plot_place_t *list, size_t count) {
  return plot_best(list, count, plot_most(points->table, points->y), false);
}

// All points of each series, and through some of them a line.
static void plot_series(const plot_points_t *points, FILE *script, const char *style, const char *alone,
                        size_t (*choose)(const plot_points_t *, plot_place_t *, size_t)) {
  plot_place_t *list = calloc(points->dones + 1, sizeof *list);
  for (unsigned i = 0; list != NULL && i < points->many; ++i) {
    const size_t count = take_series(points, i, list);
    plot_block(script, "all", i, list, count, plot_share(points->dones));
    plot_block(script, "line", i, list, choose(points, list, count), 1);
  }
  plot_apart_blocks(points, script);
  begin_plot(script);
  for (unsigned i = 0; points->dones > 0 && i < points->many; ++i) {
    fprintf(script, ", $all%u with points pt 7 ps 0.35 lc rgb '%s' notitle, $line%u with %s lw 1.5 lc rgb '%s' notitle",
            i, plot_color(i), i, style, plot_color(i));
    fprintf(script, ", $line%u with points pt 7 ps 0.7 lc rgb '%s'", i, plot_color(i));
    print_title(points, script, i, alone);
  }
  plot_apart(points, script);
  fputc('\n', script);
  free(list);
}

// Of a point of the front on, until the next is better in y, one gets at least that y.
void plot_pareto(const plot_points_t *points, FILE *script) {
  plot_series(points, script, "steps", "Pareto front", front);
}

void plot_lines(const plot_points_t *points, FILE *script) {
  plot_series(points, script, "lines", points->table->column[points->y].name, lines);
}
