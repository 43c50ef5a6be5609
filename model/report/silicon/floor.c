// A floor picture in the spirit of the H-FA paper's figure 6: FA-2 beside H-FA, each block a
// rectangle as large as its area. It does not say where it would lie in a layout.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/silicon/synth.h"

enum { D = 32, BLOCKS = 4, DESIGNS = 2 };

#define LABEL_MM 0.3  // sides of a rectangle that has room for a number

static const synth_design_t designs[DESIGNS] = {SYNTH_FA2, SYNTH_HFA};
static const char *const colours[SYNTH_BLOCKS] = {"#4477aa", "#ccbb44", "#cc6633", "#66aa77", "#aa6699", "#aaaaaa"};

typedef struct picture {
  synth_flow_t flow;
  report_area_t list[DESIGNS];
} picture_t;

typedef struct rectangle {
  double x, y, width, height;
} rectangle_t;

// --- rectangles -------------------------------------------------------------------------------

static void put_rectangle(cJSON *list, double um2, size_t block, rectangle_t at) {
  report_row(list, NUMBER("x", at.x), NUMBER("y", at.y), NUMBER("right", at.x + at.width),
             NUMBER("top", at.y + at.height), TEXT("colour", colours[block]), NUMBER("mm2", um2 / 1e6),
             NUMBER("middle", at.x + at.width / 2), NUMBER("centre", at.y + at.height / 2),
             NUMBER("labelled", at.width > LABEL_MM && at.height > LABEL_MM));
}

// Blocks first .. end - 1 in columns: halves of the area as even as they come, cut across the
// longer side.
static void divide(cJSON *list, const double *area, size_t first, size_t end, rectangle_t at) {
  if (end - first == 1) {
    put_rectangle(list, area[first], first, at);
    return;
  }
  double all = 0;
  for (size_t i = first; i < end; ++i) {
    all += area[i];
  }
  size_t split = first + 1;
  double part = area[first];
  while (split + 1 < end && fabs(part + area[split] - all / 2) < fabs(part - all / 2)) {
    part += area[split++];
  }
  const double share = part / all;
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
  divide(list, area, first, split, left);
  divide(list, area, split, end, right);
}

// Both designs side by side.
static void put_picture(const picture_t *picture, cJSON *root) {
  static const char *const titles[DESIGNS] = {"FA-2", "H-FA"};
  cJSON *rectangles = cJSON_AddArrayToObject(root, ".rectangles");
  cJSON *list = cJSON_AddArrayToObject(root, ".designs");
  double x = 0;
  double top = 0;
  for (size_t i = 0; i < DESIGNS; ++i) {
    const synth_area_t *area = &picture->list[i].area;
    const double side = sqrt(area->datapath_um2) / 1000;
    divide(rectangles, area->block, 0, SYNTH_BLOCKS, (rectangle_t){x, 0, side, side});
    report_row(list, TEXT("title", titles[i]), NUMBER("mm2", area->datapath_um2 / 1e6), NUMBER("middle", x + side / 2),
               NUMBER("above", side * 1.05));
    top = side > top ? side : top;
    x += 1.15 * side;
  }
  report_put(root, NUMBER(".width", x), NUMBER(".height", top * 1.12));
}

// --- the document -----------------------------------------------------------------------------

static cJSON *put_block(cJSON *list, const char *name, double fa2, double hfa) {
  return report_row(list, TEXT("name", name), NUMBER("fa2", fa2), NUMBER("hfa", hfa),
                    NUMBER("saved", report_synth_saving(hfa, fa2)));
}

static void fill(const void *data, cJSON *root) {
  const picture_t *picture = data;
  const synth_area_t *fa2 = &picture->list[0].area;
  const synth_area_t *hfa = &picture->list[1].area;
  report_synth_flow(&picture->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < DESIGNS; ++i) {
    report_synth_row(&picture->flow, &picture->list[i], list);
  }
  cJSON *blocks = cJSON_AddArrayToObject(root, ".blocks");
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    report_put(put_block(blocks, synth_block_name[i], fa2->block[i], hfa->block[i]), NUMBER("part", 1),
               TEXT("colour", colours[i]));
  }
  put_block(blocks, "datapath", fa2->datapath_um2, hfa->datapath_um2);
  put_picture(picture, root);
}

REPORT_TEMPLATE(floor_text, "silicon/floor.md");
static const report_t report = {fill, floor_text, NULL, NULL};

bool report_floor(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static picture_t picture;
  *code = BASE_BAD_INPUT;
  for (size_t i = 0; i < DESIGNS; ++i) {
    picture.list[i].shape = report_synth_shape(designs[i], D, BLOCKS, 1);
  }
  return report_synth_open(context, &picture.flow, error) &&
         report_synth_make(&picture.flow, picture.list, DESIGNS, error) &&
         report_synth_areas(context, &picture.flow, picture.list, DESIGNS, code, error) &&
         report_write(context, &report, &picture, error);
}
