// The frame of a plot's script, and the points that stand apart.
// SPDX-License-Identifier: Apache-2.0
#include "sweep/plot/plot_script.h"

#include <math.h>
#include <string.h>

#include "base/gnuplot.h"

enum {
  MOST_TICKS = 14,  // of an axis whose values are all named
  MANY = 5000,      // points, which make a picture of half a megabyte
};

// Okabe and Ito's, which colour-blind people can tell apart.
const char *plot_color(unsigned series) {
  static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                       "#e69f00", "#56b4e9", "#000000", "#a0a000"};
  return colors[series % (sizeof colors / sizeof *colors)];
}

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

// What has no place, where the title ends.
static void print_lost(const plot_points_t *points, FILE *script) {
  char text[160] = "";
  FILE *file = fmemopen(text, sizeof text, "w");
  if (file == NULL) {
    return;
  }
  say(file, ", ", points->lost[OUTCOME_DONE], "without a value");
  say(file, ", ", points->lost[OUTCOME_FAILED], "failed");
  say(file, ", ", points->lost[OUTCOME_DROPPED], "dropped by constraints");
  say(file, ", ", points->waiting, "not run yet");
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

// --- points -----------------------------------------------------------------------------------

double plot_share(size_t count) { return count > MANY ? (double)MANY / (double)count : 1; }

void plot_block(FILE *script, const char *name, unsigned number, const plot_place_t *point, size_t count,
                double share) {
  fprintf(script, "$%s%u << EOD\n", name, number);
  for (size_t i = 0; i < count; ++i) {
    const bool again = i > 0 && point[i - 1].x == point[i].x && point[i - 1].y == point[i].y;
    if (!again && table_sampled(i, share)) {
      fprintf(script, "%.17g %.17g\n", point[i].x, point[i].y);
    }
  }
  fputs("EOD\n", script);
}

void plot_apart_blocks(const plot_points_t *points, FILE *script) {
  plot_block(script, "failed", 0, points->failed, points->faileds, plot_share(points->faileds));
  plot_block(script, "dropped", 0, points->dropped, points->droppeds, plot_share(points->droppeds));
}

void plot_apart(const plot_points_t *points, FILE *script) {
  if (points->faileds > 0) {
    fprintf(script, ", $failed0 with points pt 2 ps 0.9 lw 2 lc rgb '#c00020' title 'failed (%zu)'", points->faileds);
  }
  if (points->droppeds > 0) {
    fprintf(script, ", $dropped0 with points pt 1 ps 0.8 lc rgb '#777777' title 'dropped by constraints (%zu)'",
            points->droppeds);
  }
}
