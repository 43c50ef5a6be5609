// A floor picture in the spirit of the H-FA paper's figure 6: FA-2 beside H-FA, each block a rectangle as
// large as its area. Where it would lie in a layout this does not say.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/silicon/report_synth.h"

enum { D = 32, BLOCKS = 4, DESIGNS = 2 };

#define LABEL_MM 0.3             // sides of a rectangle that has room for a number

static const synth_design_t designs[DESIGNS] = {SYNTH_FA2, SYNTH_HFA};
static const char *const titles[DESIGNS] = {"FA-2", "H-FA"};
static const char *const colours[SYNTH_BLOCKS] = {"#4477aa", "#ccbb44", "#cc6633",
                                                  "#66aa77", "#aa6699", "#aaaaaa"};

typedef struct picture {
  synth_flow_t flow;
  report_area_t list[DESIGNS];
} picture_t;

typedef struct rectangle {
  double x, y, width, height;
} rectangle_t;

static void write_json(const void *data, cJSON *root) {
  const picture_t *picture = data;
  report_synth_flow(&picture->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < DESIGNS; ++i) {
    report_synth_row(&picture->flow, &picture->list[i], list);
  }
}

static void write_markdown(const void *data, FILE *file) {
  const picture_t *picture = data;
  fprintf(file, "# Areas of FA-2 and H-FA as rectangles, D = %d, P = %d\n\n", D, BLOCKS);
  report_synth_intro(&picture->flow, file);
  fprintf(file, "| block | FA-2, um2 | H-FA, um2 | saved, %% |\n|---|---|---|---|\n");
  for (size_t i = 0; i <= SYNTH_BLOCKS; ++i) {
    const synth_area_t *fa2 = &picture->list[0].area;
    const synth_area_t *hfa = &picture->list[1].area;
    const double a = i < SYNTH_BLOCKS ? fa2->block[i] : fa2->datapath_um2;
    const double b = i < SYNTH_BLOCKS ? hfa->block[i] : hfa->datapath_um2;
    fprintf(file, "| %s |", i < SYNTH_BLOCKS ? synth_block_name[i] : "datapath");
    report_cell(file, 0, a);
    report_cell(file, 0, b);
    report_cell(file, 1, report_synth_saving(b, a));
    fprintf(file, "\n");
  }
  fprintf(file, "\nAreas are to scale, places are not those of a layout; memories are left out.\n");
  report_synth_caveats(file);
  fprintf(file, "\n![floor](floor.svg)\n");
}

// The blocks in columns: halves of the area as even as they come, cut across the longer side.
static void divide(FILE *gnuplot, const double *area, const size_t *order, size_t count,
                   rectangle_t at) {
  if (count == 1) {
    fprintf(gnuplot, "set object rect from %g,%g to %g,%g fc rgb '%s' fs solid 0.8 border lc rgb "
                     "'white'\n", at.x, at.y, at.x + at.width, at.y + at.height, colours[order[0]]);
    if (at.width > LABEL_MM && at.height > LABEL_MM) {
      fprintf(gnuplot, "set label '%.2f' at %g,%g center font ',9'\n", area[order[0]] / 1e6,
              at.x + at.width / 2, at.y + at.height / 2);
    }
    return;
  }
  double all = 0;
  for (size_t i = 0; i < count; ++i) {
    all += area[order[i]];
  }
  size_t split = 1;
  double first = area[order[0]];
  while (split + 1 < count && fabs(first + area[order[split]] - all / 2) < fabs(first - all / 2)) {
    first += area[order[split++]];
  }
  const double share = first / all;
  rectangle_t left = at;
  rectangle_t right = at;
  if (at.width > at.height) {
    left.width = at.width * share;
    right.x += left.width;
    right.width -= left.width;
  } else {
    left.height = at.height * share;
    right.y += left.height;
    right.height -= left.height;
  }
  divide(gnuplot, area, order, split, left);
  divide(gnuplot, area, order + split, count - split, right);
}

static void write_plot(const void *data, FILE *gnuplot) {
  const picture_t *picture = data;
  double x = 0;
  double top = 0;
  size_t order[SYNTH_BLOCKS];
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    order[i] = i;
  }
  for (size_t i = 0; i < DESIGNS; ++i) {
    const synth_area_t *area = &picture->list[i].area;
    const double side = sqrt(area->datapath_um2) / 1000;
    divide(gnuplot, area->block, order, SYNTH_BLOCKS, (rectangle_t){x, 0, side, side});
    fprintf(gnuplot, "set label '%s, %.2f mm^2' at %g,%g center\n", titles[i],
            area->datapath_um2 / 1e6, x + side / 2, side * 1.05);
    top = side > top ? side : top;
    x += 1.15 * side;
  }
  fprintf(gnuplot,
          "set size ratio -1\nunset border\nunset tics\nset xrange [0:%g]\nset yrange [0:%g]\n"
          "set key outside bottom center horizontal maxcols 3 font ',10'\nplot ", x, top * 1.12);
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    fprintf(gnuplot, "%sNaN with boxes fs solid 0.8 lc rgb '%s' title '%s'", i > 0 ? ", " : "",
            colours[i], synth_block_name[i]);
  }
  fprintf(gnuplot, "\n");
}

bool report_floor(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static picture_t picture;
  const report_files_t files = {.name = context->name, .data = &picture, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  *code = BASE_BAD_INPUT;
  synth_shape_t shape[DESIGNS];
  for (size_t i = 0; i < DESIGNS; ++i) {
    shape[i] = report_synth_shape(designs[i], D, BLOCKS, 1);
  }
  bool good = report_synth_open(context, &picture.flow, error) &&
              report_synth_make(&picture.flow, shape, DESIGNS, error);
  for (size_t i = 0; good && i < DESIGNS; ++i) {
    good = report_synth_area(context, &picture.flow, designs[i], D, BLOCKS, 1, &picture.list[i],
                             code, error);
  }
  return good && report_write(&files, context->settings->out, error);
}
