// Pareto fronts and lines.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "base/gnuplot.h"
#include "sweep/plot/plot_script.h"
#include "sweep/table/front.h"

// Okabe and Ito's, which colour-blind people can tell apart. The page has the same.
static const char *color_of(unsigned series) {
  static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                       "#e69f00", "#56b4e9", "#000000", "#a0a000"};
  return colors[series % (sizeof colors / sizeof *colors)];
}

static void print_point(FILE *script, const plot_place_t *at) { fprintf(script, "%.17g %.17g\n", at->x, at->y); }

// A data block of a share of the points, of equal neighbours one.
static void print_points(FILE *script, const char *name, unsigned number, const plot_place_t *point, size_t count,
                         double share) {
  fprintf(script, "$%s%u << EOD\n", name, number);
  for (size_t i = 0; i < count; ++i) {
    const bool again = i > 0 && point[i - 1].x == point[i].x && point[i - 1].y == point[i].y;
    if (!again && table_sampled(i, share)) {
      print_point(script, &point[i]);
    }
  }
  fputs("EOD\n", script);
}

// A data block of the best points.
static void print_line(FILE *script, unsigned number, const plot_place_t *point, size_t count, bool backwards) {
  fprintf(script, "$line%u << EOD\n", number);
  for (size_t i = 0; i < count; ++i) {
    const plot_place_t *at = &point[backwards ? count - 1 - i : i];
    if (at->best) {
      print_point(script, at);
    }
  }
  fputs("EOD\n", script);
}

static void print_title(const plot_points_t *points, FILE *script, unsigned series, const char *alone) {
  char text[128];
  const char *name = points->plot->series;
  snprintf(text, sizeof text, "%s %s", name == NULL ? "" : name, name == NULL ? "" : points->series[series]);
  fputs(" title ", script);
  gnuplot_text(script, name == NULL ? alone : text);
}

static void mark_front(const plot_points_t *points, plot_place_t *list, size_t count) {
  front_point_t *point = calloc(count + 1, sizeof *point);
  for (size_t i = 0; point != NULL && i < count; ++i) {
    point[i] = (front_point_t){list[i].x, list[i].y, i};
  }
  const size_t kept =
      point == NULL ? 0
                    : front_of(point, count, plot_most(points->table, points->x), plot_most(points->table, points->y));
  for (size_t i = 0; i < kept; ++i) {
    list[point[i].row].best = true;
  }
  free(point);
}

static void print_blocks(plot_points_t *points, FILE *script) {
  const bool front = points->plot->kind == STUDY_PARETO;
  plot_place_t *at = points->place, *end = at + points->dones;
  for (unsigned i = 0; i < points->many; ++i) {
    size_t count = 0;
    while (at + count < end && at[count].series == i) {
      ++count;
    }
    if (front) {
      mark_front(points, at, count);
    }
    print_points(script, "all", i, at, count, plot_share(points->dones));
    print_line(script, i, at, count, front && plot_most(points->table, points->x));  // the best x first
    at += count;
  }
  const size_t failed = points->apart[OUTCOME_FAILED], dropped = points->apart[OUTCOME_DROPPED];
  print_points(script, "failed", 0, end, failed, plot_share(failed));
  print_points(script, "dropped", 0, end + failed, dropped, plot_share(dropped));
}

// All points of each series, and through the best of them a line. gnuplot finds nothing to plot in nothing: hence NaN.
static void plot_series(plot_points_t *points, FILE *script, const char *style, const char *alone) {
  print_blocks(points, script);
  fputs("plot NaN notitle", script);
  for (unsigned i = 0; points->dones > 0 && i < points->many; ++i) {
    fprintf(script, ", $all%u with points pt 7 ps 0.35 lc rgb '%s' notitle, $line%u with %s lw 1.5 lc rgb '%s' notitle",
            i, color_of(i), i, style, color_of(i));
    fprintf(script, ", $line%u with points pt 7 ps 0.7 lc rgb '%s'", i, color_of(i));
    print_title(points, script, i, alone);
  }
  if (points->apart[OUTCOME_FAILED] > 0) {
    fprintf(script, ", $failed0 with points pt 2 ps 0.9 lw 2 lc rgb '#c00020' title 'failed (%zu)'",
            points->apart[OUTCOME_FAILED]);
  }
  if (points->apart[OUTCOME_DROPPED] > 0) {
    fprintf(script, ", $dropped0 with points pt 1 ps 0.8 lc rgb '#777777' title 'dropped by constraints (%zu)'",
            points->apart[OUTCOME_DROPPED]);
  }
  fputc('\n', script);
}

// From each point of the front on one gets its y, until the next one is better: hence steps.
void plot_pareto(plot_points_t *points, FILE *script) { plot_series(points, script, "steps", "Pareto front"); }

void plot_lines(plot_points_t *points, FILE *script) {
  plot_mark_best(points);
  plot_series(points, script, "lines", points->table->column[points->y].name);
}
