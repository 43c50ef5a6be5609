// Figure 8(b) of the H-FA paper: area against the number of blocks.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/silicon/synth.h"

enum { D = 64 };

typedef struct paper_row {
  size_t blocks;
  double times;  // of one block, 0: not said
} paper_row_t;

static const paper_row_t paper_rows[] = {
#define ROW(blocks, times) {blocks, times},
#include "report/silicon/area_blocks.def"
#undef ROW
};
enum { ROWS = sizeof paper_rows / sizeof *paper_rows };

typedef struct figure {
  synth_flow_t flow;
  report_area_t list[ROWS];
} figure_t;

static double datapath_times(const figure_t *figure, size_t row) {
  return figure->list[row].area.datapath_um2 / figure->list[0].area.datapath_um2;
}

static double whole_times(const figure_t *figure, size_t row) {
  return report_synth_whole(&figure->list[row]) / report_synth_whole(&figure->list[0]);
}

static double said(size_t row) { return paper_rows[row].times > 0 ? paper_rows[row].times : NAN; }

// 10 is "roughly" said: 9 is it too.
static const char *verdict(double times) { return times >= 9 && times <= 11 ? "reproduced" : "not reproduced"; }

static void put_claim(const figure_t *figure, cJSON *root) {
  const size_t last = ROWS - 1;
  const synth_area_t *one = &figure->list[0].area;
  const synth_area_t *area = &figure->list[last].area;
  report_put(root, TEXT(".whole/verdict", verdict(whole_times(figure, last))),
             TEXT(".datapath/verdict", verdict(datapath_times(figure, last))), NUMBER(".mbits", area->sram_bits / 1e6),
             NUMBER(".sram", 100 * one->sram_um2 / report_synth_whole(&figure->list[0])),
             NUMBER(".acc", 100 * area->block[SYNTH_ACC] / area->datapath_um2),
             NUMBER(".without_acc", (area->datapath_um2 - area->block[SYNTH_ACC]) / one->datapath_um2));
}

static void fill(const void *data, cJSON *root) {
  const figure_t *figure = data;
  report_synth_flow(&figure->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    report_put(report_synth_row(&figure->flow, &figure->list[i], list),
               NUMBER("datapath_times", datapath_times(figure, i)), NUMBER("area_times", whole_times(figure, i)),
               NUMBER("paper/area_times", said(i)));
  }
  put_claim(figure, root);
}

REPORT_TEMPLATE(area_blocks_text, "silicon/area_blocks.md");
static const report_t report = {fill, area_blocks_text, NULL, NULL};

bool report_area_blocks(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static figure_t figure;
  *code = BASE_BAD_INPUT;
  for (size_t i = 0; i < ROWS; ++i) {
    figure.list[i].shape = report_synth_shape(SYNTH_HFA, D, paper_rows[i].blocks, 1);
  }
  return report_synth_open(context, &figure.flow, error) && report_synth_make(&figure.flow, figure.list, ROWS, error) &&
         report_synth_areas(context, &figure.flow, figure.list, ROWS, code, error) &&
         report_write(context, &report, &figure, error);
}
