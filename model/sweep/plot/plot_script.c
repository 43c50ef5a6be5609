// The frame of a plot's script.
// SPDX-License-Identifier: Apache-2.0
#include "sweep/plot/plot_script.h"

#include <math.h>
#include <string.h>

#include "base/gnuplot.h"

enum {
  MOST_TICKS = 14,  // of an axis whose values are all named
  MANY = 5000,      // points, which make a picture of half a megabyte
};

double plot_share(size_t count) { return count > MANY ? (double)MANY / (double)count : 1; }

// --- the frame --------------------------------------------------------------------------------

static void print_label(const plot_points_t *points, FILE *script, char axis, size_t column) {
  const table_column_t *is = &points->table->column[column];
  const bool front = points->plot->kind == STUDY_PARETO && is->kind == TABLE_METRIC;
  char head[TABLE_HEAD_BYTES], text[TABLE_HEAD_BYTES + 32];
  snprintf(text, sizeof text, "%s%s", table_head(points->table, column, head),
           !front                             ? ""
           : plot_most(points->table, column) ? " (more is better)"
                                              : " (less is better)");
  fprintf(script, "set %clabel ", axis);
  gnuplot_text(script, text);
  fputc('\n', script);
}

// An axis of the study, if its values are few or texts: the values themselves.
static void print_values(const plot_points_t *points, FILE *script, size_t column) {
  const study_axis_t *axis = &points->table->from->study->axis[column];
  for (size_t i = 0; i < axis->count; ++i) {
    fputs(i > 0 ? ", " : "", script);
    gnuplot_text(script, axis->value[i]);
    if (points->table->column[column].numbers) {
      fprintf(script, " %s", axis->value[i]);
    } else {
      fprintf(script, " %zu", i);
    }
  }
}

// 1, 2, 5, 10, ...: gnuplot has only powers of ten.
static void print_decades(FILE *script, double from, double to) {
  static const double steps[] = {1, 2, 5};
  const char *comma = "";
  for (double decade = pow(10, floor(log10(from))); decade <= to; decade *= 10) {
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
      if (decade * steps[i] >= from && decade * steps[i] <= to) {
        fprintf(script, "%s%.15g", comma, decade * steps[i]);
        comma = ", ";
      }
    }
  }
}

static void print_ticks(const plot_points_t *points, FILE *script, char axis, size_t column) {
  const study_t *study = points->table->from->study;
  const bool x = axis == 'x', numbers = points->table->column[column].numbers;
  const double from = x ? points->from_x : points->from_y, to = x ? points->to_x : points->to_y;
  fprintf(script, "set %ctics (", axis);
  if (column < study->axes && (!numbers || study->axis[column].count <= MOST_TICKS)) {
    print_values(points, script, column);
  } else if ((x ? points->plot->log_x : points->plot->log_y) && to < 1000 * from) {
    print_decades(script, from, to);
  } else {
    fprintf(script, ")\nset %ctics auto\n", axis);
    return;
  }
  fputs(")\n", script);
}

static void say(FILE *text, const char *gap, size_t count, const char *what) {
  if (count > 0) {
    fprintf(text, "%s%zu %s", ftell(text) > 0 ? gap : "not shown: ", count, what);
  }
}

// Counts the points that have no place, below the title.
static void print_lost(const plot_points_t *points, FILE *script) {
  char text[160] = "";
  FILE *file = fmemopen(text, sizeof text, "w");
  if (file == NULL) {
    return;
  }
  say(file, ", ", points->lost[OUTCOME_DONE], "without a value");
  say(file, ", ", points->lost[OUTCOME_FAILED], "failed");
  say(file, ", ", points->lost[OUTCOME_DROPPED], "dropped by constraints");
  say(file, ", ", points->lost[OUTCOME_WAITING], "not run yet");
  const double share = plot_share(points->dones);
  if (points->plot->kind != STUDY_HEAT && share < 1) {
    fprintf(file, "%sof the small points %.2g %% are shown", ftell(file) > 0 ? "; " : "", 100 * share);
  }
  fclose(file);
  if (text[0] != '\0') {
    fprintf(script, "set label 1 '%s' at graph 1, graph 1.03 right font ',10' textcolor rgb '#555555'\n", text);
  }
  if (points->dones == 0) {
    fputs("set label 2 'no point is done' at graph 0.5, graph 0.5 center\n", script);
  }
}

void plot_frame(const plot_points_t *points, FILE *script) {
  const study_plot_t *plot = points->plot;
  fputs(
      "set terminal svg size 760,480 background 'white' font 'sans,12' noenhanced\n"
      "set encoding utf8\nset title ",
      script);
  gnuplot_text(script, plot->title == NULL ? plot->name : plot->title);
  fputs(" offset 0,0.6\nset key below\nset grid lc rgb '#dddddd'\nset border lc rgb '#444444'\n", script);
  print_label(points, script, 'x', points->x);
  print_label(points, script, 'y', points->y);
  fprintf(script, "%s%s", plot->log_x ? "set logscale x\n" : "", plot->log_y ? "set logscale y\n" : "");
  if (plot->kind != STUDY_HEAT) {
    fprintf(script, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", points->from_x, points->to_x,
            points->from_y, points->to_y);
    print_ticks(points, script, 'x', points->x);
    print_ticks(points, script, 'y', points->y);
  }
  print_lost(points, script);
}
