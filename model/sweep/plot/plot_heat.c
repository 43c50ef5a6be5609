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

static void take(side_t *side, const plot_place_t *list, size_t count, bool y) {
  for (size_t i = 0; i < count; ++i) {
    const double value = y ? list[i].y : list[i].x;
    if (value == value) {
      side->value[side->count++] = value;
    }
  }
}

static bool side_open(side_t *side, const plot_points_t *points, bool y) {
  *side = (side_t){calloc(points->dones + points->faileds + points->droppeds + 1, sizeof *side->value), 0};
  if (side->value == NULL) {
    return false;
  }
  take(side, points->done, points->dones, y);
  take(side, points->failed, points->faileds, y);
  take(side, points->dropped, points->droppeds, y);
  qsort(side->value, side->count, sizeof *side->value, compare);
  size_t kept = 0;
  for (size_t i = 0; i < side->count; ++i) {
    if (kept == 0 || side->value[kept - 1] != side->value[i]) {
      side->value[kept++] = side->value[i];
    }
  }
  side->count = kept;
  return true;
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

static void print_cells(FILE *script, const plot_place_t *cell, size_t count, const side_t *x, const side_t *y) {
  fputs("$cells << EOD\n", script);
  for (size_t i = 0; i < count; ++i) {
    fprintf(script, "%ld %ld %.17g %.4g\n", index_of(x, cell[i].x), index_of(y, cell[i].y), cell[i].value,
            cell[i].value);
  }
  fputs("EOD\n", script);
}

static int compare_cells(const void *a, const void *b) {
  const plot_place_t *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

// Cells that have no value, but a point that failed (or was dropped).
static size_t print_without(FILE *script, const char *name, const plot_place_t *list, size_t count,
                            const plot_place_t *cell, size_t cells, const side_t *x, const side_t *y) {
  size_t printed = 0;
  fprintf(script, "$%s << EOD\n", name);
  for (size_t i = 0; i < count; ++i) {
    const bool known = list[i].x == list[i].x && list[i].y == list[i].y;
    if (known && bsearch(&list[i], cell, cells, sizeof *cell, compare_cells) == NULL) {
      fprintf(script, "%ld %ld\n", index_of(x, list[i].x), index_of(y, list[i].y));
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

void plot_heat(const plot_points_t *points, FILE *script) {
  plot_place_t *cell = calloc(points->dones + 1, sizeof *cell);
  side_t x = {0}, y = {0};
  if (cell != NULL && side_open(&x, points, false) && side_open(&y, points, true)) {
    memcpy(cell, points->done, points->dones * sizeof *cell);
    const size_t cells = plot_best(cell, points->dones, plot_most(points->table, points->value), true);
    print_palette(points, script);
    print_side(points, script, 'x', &x, points->x);
    print_side(points, script, 'y', &y, points->y);
    print_cells(script, cell, cells, &x, &y);
    const size_t failed = print_without(script, "failed", points->failed, points->faileds, cell, cells, &x, &y);
    const size_t dropped = print_without(script, "dropped", points->dropped, points->droppeds, cell, cells, &x, &y);
    print_plot(script, cells, failed > 0, dropped > 0);
  }
  free(cell);
  free(x.value);
  free(y.value);
}
