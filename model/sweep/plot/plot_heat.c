// A heat map: a cell for each pair of values of two columns, by the best of the points there.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/gnuplot.h"
#include "sweep/plot/plot_script.h"

enum { MOST_WORDS = 240 };  // cells that have their value in them

// The different values along one side, sorted.
typedef struct side {
  double *value;
  size_t count;
} side_t;

static int compare(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

// False: no memory.
static bool side_open(side_t *side, const plot_points_t *points, bool y) {
  size_t kept = 0;
  *side = (side_t){calloc(points->count + 1, sizeof *side->value), 0};
  for (size_t i = 0; side->value != NULL && i < points->count; ++i) {
    const double value = y ? points->place[i].y : points->place[i].x;
    side->value[side->count] = value;
    side->count += value == value;
  }
  if (side->count > 0) {
    qsort(side->value, side->count, sizeof *side->value, compare);
  }
  for (size_t i = 0; i < side->count; ++i) {
    if (kept == 0 || side->value[kept - 1] != side->value[i]) {
      side->value[kept++] = side->value[i];
    }
  }
  side->count = kept;
  return side->value != NULL;
}

static long index_of(const side_t *side, double value) {
  const double *at = side->count == 0 ? NULL : bsearch(&value, side->value, side->count, sizeof value, compare);
  return at == NULL ? -1 : at - side->value;
}

static void print_side(const plot_points_t *points, FILE *script, char axis, const side_t *side, size_t column) {
  const study_t *study = points->table->from->study;
  const size_t step = side->count / 24 + 1;
  char buffer[TABLE_TEXT_BYTES];
  fprintf(script, "set %crange [-0.5:%g]\nset %ctics (", axis, (side->count == 0 ? 1 : (double)side->count) - 0.5,
          axis);
  for (size_t i = 0; i < side->count; i += step) {
    const bool text = column < study->axes && !points->table->column[column].numbers;
    fputs(i > 0 ? ", " : "", script);
    gnuplot_text(script,
                 text ? study->axis[column].value[(size_t)side->value[i]] : table_number_text(side->value[i], buffer));
    fprintf(script, " %zu", i);
  }
  fputs(")\n", script);
}

// --- cells ------------------------------------------------------------------------------------

static size_t print_cells(FILE *script, const plot_points_t *points, const side_t *x, const side_t *y) {
  size_t printed = 0;
  fputs("$cells << EOD\n", script);
  for (const plot_place_t *at = points->place; at < points->place + points->dones; ++at) {
    if (at->best) {
      fprintf(script, "%ld %ld %.17g %.4g\n", index_of(x, at->x), index_of(y, at->y), at->value, at->value);
      ++printed;
    }
  }
  fputs("EOD\n", script);
  return printed;
}

// Is there a value at this place?
static bool has_value(const plot_points_t *points, const plot_place_t *at) {
  plot_place_t done = *at;
  done.status = OUTCOME_DONE;
  return points->dones > 0 && bsearch(&done, points->place, points->dones, sizeof done, plot_compare) != NULL;
}

// Cells that have no value, but a point of this status.
static size_t print_without(FILE *script, const char *name, const plot_points_t *points, outcome_status_t status,
                            const side_t *x, const side_t *y) {
  size_t printed = 0;
  fprintf(script, "$%s << EOD\n", name);
  for (const plot_place_t *at = points->place + points->dones; at < points->place + points->count; ++at) {
    if (at->status == status && at->x == at->x && at->y == at->y && !has_value(points, at)) {
      fprintf(script, "%ld %ld\n", index_of(x, at->x), index_of(y, at->y));
      ++printed;
    }
  }
  fputs("EOD\n", script);
  return printed;
}

static void print_plot(FILE *script, size_t cells, bool failed, bool dropped) {
  static const char box[] = "using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5)";
  fputs("plot NaN notitle", script);
  if (dropped) {
    fprintf(script, ", $dropped %s with boxxyerror fs solid noborder lc rgb '#e4e4e4' title 'dropped by constraints'",
            box);
  }
  if (cells > 0) {
    fprintf(script, ", $cells %s:3 with boxxyerror fs solid noborder lc palette notitle", box);
  }
  if (cells > 0 && cells <= MOST_WORDS) {
    fputs(", $cells using 1:2:(sprintf('%.4g',$4)) with labels font ',10' notitle", script);
  }
  if (failed) {
    fprintf(script, ", $failed with points pt 2 ps 1.2 lw 2 lc rgb '#c00020' title 'failed'");
  }
  fputc('\n', script);
}

static void print_palette(const plot_points_t *points, FILE *script) {
  char head[TABLE_HEAD_BYTES];
  fputs("unset grid\nset palette defined (0 '#f4f9ff', 1 '#5fa8e0')\nset cblabel ", script);
  gnuplot_text(script, table_head(points->table, points->value, head));
  fputc('\n', script);
}

void plot_heat(plot_points_t *points, FILE *script) {
  side_t x = {0}, y = {0};
  if (side_open(&x, points, false) && side_open(&y, points, true)) {
    plot_mark_best(points);
    print_palette(points, script);
    print_side(points, script, 'x', &x, points->x);
    print_side(points, script, 'y', &y, points->y);
    const size_t cells = print_cells(script, points, &x, &y);
    const size_t failed = print_without(script, "failed", points, OUTCOME_FAILED, &x, &y);
    const size_t dropped = print_without(script, "dropped", points, OUTCOME_DROPPED, &x, &y);
    print_plot(script, cells, failed > 0, dropped > 0);
  }
  free(x.value);
  free(y.value);
}
