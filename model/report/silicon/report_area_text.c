// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "report/silicon/report_area.h"

static double saving(const area_figure_t *figure, size_t row, synth_design_t part, synth_design_t whole,
                     bool sram) {
  const report_area_t *a = &figure->list[row][part];
  const report_area_t *b = &figure->list[row][whole];
  return sram ? report_synth_saving(report_synth_whole(a), report_synth_whole(b))
              : report_synth_saving(a->area.datapath_um2, b->area.datapath_um2);
}

static double said(double percent) { return percent > 0 ? percent : NAN; }

static bool is_hfa(synth_design_t design) {
  return design == SYNTH_HFA || design == SYNTH_HFA_CORRECTED;
}

// --- files ------------------------------------------------------------------------------------

static void put_savings(const area_figure_t *figure, size_t row, synth_design_t design, cJSON *object) {
  cJSON_AddNumberToObject(object, "saving_datapath_percent",
                          saving(figure, row, design, SYNTH_FA2, false));
  cJSON_AddNumberToObject(object, "saving_percent", saving(figure, row, design, SYNTH_FA2, true));
  cJSON_AddNumberToObject(object, "saving_datapath_onemul_percent",
             saving(figure, row, design, SYNTH_FA2_ONEMUL, false));
  cJSON_AddNumberToObject(object, "saving_onemul_percent",
                          saving(figure, row, design, SYNTH_FA2_ONEMUL, true));
  if (design == SYNTH_HFA) {
    cJSON *paper = cJSON_AddObjectToObject(object, "paper");
    cJSON_AddNumberToObject(paper, "saving_datapath_percent", said(area_paper[row].datapath));
    cJSON_AddNumberToObject(paper, "saving_percent", said(area_paper[row].whole));
  }
}

static void write_timing(const area_figure_t *figure, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "timing");
  for (size_t i = 0; i < AREA_PATHS; ++i) {
    const area_timing_t *timing = &figure->timing[i];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    cJSON_AddStringToObject(object, "unit", area_paths[i].unit);
    cJSON_AddStringToObject(object, "params", area_paths[i].params);
    cJSON_AddNumberToObject(object, "area_um2", timing->area_um2);
    cJSON_AddNumberToObject(object, "fo4", timing->fo4);
    cJSON_AddNumberToObject(object, "loop_fo4", timing->loop_fo4);
    cJSON_AddNumberToObject(object, "mhz", 1e6 / (timing->fo4 * figure->flow.fo4_ps));
    cJSON_AddNumberToObject(object, "fastest_area_um2", timing->fast_um2);
    cJSON_AddNumberToObject(object, "fastest_fo4", timing->fast_fo4);
    cJSON_AddNumberToObject(object, "fastest_loop_fo4", timing->fast_loop_fo4);
    cJSON_AddNumberToObject(object, "fastest_mhz", 1e6 / (timing->fast_fo4 * figure->flow.fo4_ps));
  }
}

static void write_json(const void *data, cJSON *root) {
  const area_figure_t *figure = data;
  report_synth_flow(&figure->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < AREA_ROWS; ++i) {
    for (synth_design_t design = 0; design < SYNTH_DESIGNS; ++design) {
      cJSON *row = report_synth_row(&figure->flow, &figure->list[i][design], list);
      if (is_hfa(design)) {
        put_savings(figure, i, design, row);
      }
    }
  }
  write_timing(figure, root);
}

static void write_savings(const area_figure_t *figure, FILE *file) {
  fprintf(file,
          "\n| D | H-FA | against | datapath saved, %% | paper | with SRAM, %% | paper |\n"
          "|---|---|---|---|---|---|---|\n");
  static const synth_design_t pairs[][2] = {{SYNTH_HFA, SYNTH_FA2}, {SYNTH_HFA, SYNTH_FA2_ONEMUL},
                                            {SYNTH_HFA_CORRECTED, SYNTH_FA2},
                                            {SYNTH_HFA_CORRECTED, SYNTH_FA2_ONEMUL}};
  for (size_t i = 0; i < AREA_ROWS; ++i) {
    for (size_t j = 0; j < sizeof pairs / sizeof *pairs; ++j) {
      fprintf(file, "| %zu | %s | %s |", area_paper[i].d, synth_design_name[pairs[j][0]],
              synth_design_name[pairs[j][1]]);
      report_cell(file, 1, saving(figure, i, pairs[j][0], pairs[j][1], false));
      report_cell(file, 1, j == 0 ? said(area_paper[i].datapath) : NAN);
      report_cell(file, 1, saving(figure, i, pairs[j][0], pairs[j][1], true));
      report_cell(file, 0, j == 0 ? said(area_paper[i].whole) : NAN);
      fprintf(file, "\n");
    }
  }
  fprintf(file, "\nThe corrected lanes change H-FA's datapath by");
  for (size_t i = 0; i < AREA_ROWS; ++i) {
    fprintf(file, "%s %+.1f %% at D = %zu", i > 0 ? "," : "",
            -saving(figure, i, SYNTH_HFA_CORRECTED, SYNTH_HFA, false), area_paper[i].d);
  }
  fprintf(file, ".\n");
}

static void write_paths(const area_figure_t *figure, FILE *file) {
  fprintf(file,
          "\n## What limits the clock\n\nOpenSTA, without wires; each unit by itself, its ports "
          "counting as registers. \"Fastest\" is mapped for speed\nwhatever the area. The loops "
          "are from a register to itself and can be cut only by giving the cycle between to\n"
          "another query.\n\n"
          "| unit | um2 | slowest path, FO4 | loop, FO4 | fastest: um2 | FO4 | loop, FO4 | MHz |\n"
          "|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < AREA_PATHS; ++i) {
    const area_timing_t *timing = &figure->timing[i];
    fprintf(file, "| %s |", area_paths[i].text);
    report_cell(file, 0, timing->area_um2);
    report_cell(file, 1, timing->fo4);
    report_cell(file, 1, timing->loop_fo4);
    report_cell(file, 0, timing->fast_um2);
    report_cell(file, 1, timing->fast_fo4);
    report_cell(file, 1, timing->fast_loop_fo4);
    report_cell(file, 0, 1e6 / (timing->fast_fo4 * figure->flow.fo4_ps));
    fprintf(file, "\n");
  }
}

// Mappings are taken by ABC's delays, which are not OpenSTA's.
static void write_unclosed(const area_figure_t *figure, FILE *file) {
  const double clock = figure->flow.clock_fo4;
  size_t count = 0;
  double most = 0;
  for (size_t i = 0; i < AREA_PATHS; ++i) {
    const double fo4 = figure->timing[i].fo4;
    count += fo4 > clock;
    most = fmax(most, fo4);
  }
  if (count == 0) {
    fprintf(file, "\nAll of these close %.0f FO4 by OpenSTA too, which has not chosen them.\n", clock);
  } else {
    fprintf(file,
            "\n**By OpenSTA %zu of these do not close %.0f FO4** but need up to %.1f: ABC, by whose delays mappings "
            "are taken, sees them shorter.\nSavings are between designs that miss it by up to %.0f %%.\n",
            count, clock, most, 100 * (most / clock - 1));
  }
}

static const area_timing_t *timing_of(const area_figure_t *figure, const char *unit, const char *params) {
  for (size_t i = 0; i < AREA_PATHS; ++i) {
    if (strcmp(area_paths[i].unit, unit) == 0 && strcmp(area_paths[i].params, params) == 0) {
      return &figure->timing[i];
    }
  }
  return NULL;
}

// Two queries in turn would give FA-2's loop two cycles, but the other loop would still take one.
static void write_interleave(const area_figure_t *figure, FILE *file) {
  const area_timing_t *hfa = timing_of(figure, "hfa_lane", "LNS=0");
  const area_timing_t *fa2 = timing_of(figure, "fa2_lane", "ONE_MUL=0");
  const area_timing_t *front = timing_of(figure, "fau_front", "D=2");
  const double mhz = 1e6 / figure->flow.fo4_ps;
  fprintf(file,
          "\nBy their accumulators H-FA's fastest clock is %.1f FO4 (%.0f MHz) and FA-2's %.1f FO4 "
          "(%.0f MHz); the designs above are\ncompared at %u FO4, which %s. With two queries in turn FA-2's loop would take two "
          "cycles, of %.1f FO4\neach at best (%.0f MHz), for the state of a second query in each lane; then "
          "the\nrunning maximum (%.1f FO4) and stages that are not loops decide. H-FA "
          "without it is faster than FA-2 without it.\n",
          hfa->fast_loop_fo4, mhz / hfa->fast_loop_fo4, fa2->fast_loop_fo4,
          mhz / fa2->fast_loop_fo4, figure->flow.clock_fo4,
          figure->list[0][SYNTH_FA2].area.closes && figure->list[0][SYNTH_HFA].area.closes
              ? "both close by ABC's delays"
              : "NOT both close",
          fa2->fast_loop_fo4 / 2, 2 * mhz / fa2->fast_loop_fo4, front->fast_loop_fo4);
}

// --- what the paper claims --------------------------------------------------------------------

static void claim_datapath(const area_figure_t *figure, FILE *file) {
  const double paper = area_paper[0].datapath;
  const double two = saving(figure, 0, SYNTH_HFA, SYNTH_FA2, false);
  const double one = saving(figure, 0, SYNTH_HFA, SYNTH_FA2_ONEMUL, false);
  fprintf(file,
          "- \"In total the area reduction is %.1f %%\", datapath, D = %zu: **%s**, %.1f %%, against an FA-2 with two "
          "multipliers in each\n  lane, as the paper's has, of which one always multiplies by 1. An FA-2 that "
          "leaves it out gives the same bits at the\n  same rate; against that one: **%s**, %.1f %%.\n",
          paper, area_paper[0].d, report_synth_verdict(two, paper), two,
          report_synth_verdict(one, paper), one);
}

static double mean_whole(const area_figure_t *figure, synth_design_t than) {
  double sum = 0;
  for (size_t i = 0; i < AREA_ROWS; ++i) {
    sum += saving(figure, i, SYNTH_HFA, than, true);
  }
  return sum / AREA_ROWS;
}

static void claim_whole(const area_figure_t *figure, FILE *file) {
  const double two = mean_whole(figure, SYNTH_FA2), one = mean_whole(figure, SYNTH_FA2_ONEMUL);
  fprintf(file,
          "- \"A %.1f %% reduction in area [...] on average\", memories included: **%s**, %.1f %%; against one "
          "multiplier **%s**, %.1f %%.\n ", area_paper_mean, report_synth_verdict(two, area_paper_mean),
          two, report_synth_verdict(one, area_paper_mean), one);
  for (size_t i = 0; i < AREA_ROWS; ++i) {
    const double whole = saving(figure, i, SYNTH_HFA, SYNTH_FA2, true);
    fprintf(file, "%s %.1f %% at D = %zu, where the paper has%s %.0f (**%s**)", i > 0 ? "," : "", whole,
            area_paper[i].d, i > 0 ? " more than" : "", area_paper[i].whole,
            report_synth_verdict(whole, area_paper[i].whole));
  }
  fprintf(file, ".\n");
}

// What is left of the datapath's saving when the memories are counted: 1 - their share.
static void say_memories(const area_figure_t *figure, FILE *file) {
  const report_area_t *fa2 = &figure->list[0][SYNTH_FA2];
  const double here = fa2->area.sram_um2 / report_synth_whole(fa2);
  const double paper = 1 - area_paper[0].whole / area_paper[0].datapath;
  fprintf(file,
          "  Why: the memories, the same in both, are %.0f %% of FA-2 here, by a proxy; the paper's two numbers for "
          "D = %zu make them\n  %.0f %%. With that share the datapath's saving here would be %.1f %% of the "
          "whole.\n",
          100 * here, area_paper[0].d, 100 * paper,
          (1 - paper) * saving(figure, 0, SYNTH_HFA, SYNTH_FA2, false));
}

static void say_where_from(const area_figure_t *figure, FILE *file) {
  const synth_area_t *hfa = &figure->list[0][SYNTH_HFA].area;
  const synth_area_t *fa2 = &figure->list[0][SYNTH_FA2].area;
  fprintf(file,
          "- Where it comes from, D = 32: lanes %.1f %%, ACCs %.1f %%, the division %.1f %% less. The dot "
          "product, the same in both\n  designs, is %.0f %% of H-FA's datapath and %.0f %% of FA-2's; "
          "whatever makes it smaller makes the saving larger.\n",
          report_synth_saving(hfa->block[SYNTH_LANES], fa2->block[SYNTH_LANES]),
          report_synth_saving(hfa->block[SYNTH_ACC], fa2->block[SYNTH_ACC]),
          report_synth_saving(hfa->block[SYNTH_DIVISION], fa2->block[SYNTH_DIVISION]),
          100 * hfa->block[SYNTH_DOT] / hfa->datapath_um2,
          100 * fa2->block[SYNTH_DOT] / fa2->datapath_um2);
}

static void say_corrected(const area_figure_t *figure, FILE *file) {
  const double more = -saving(figure, 0, SYNTH_HFA_CORRECTED, SYNTH_HFA, false);
  fprintf(file,
          "- With the corrected lanes (not in the paper) H-FA's datapath is %.1f %% %s at D = 32, %s 5 %%. "
          "They differ in the\n  tables of hfa_correct, of which every lane of FAUs and ACCs has one.\n",
          fabs(more), more < 0 ? "smaller" : "larger",
          more <= 5 ? "within the wanted" : "more than the wanted");
}

static void write_claims(const area_figure_t *figure, FILE *file) {
  fprintf(file, "\n## The paper's claims\n\n" REPORT_SYNTH_MEANING "\n");
  claim_datapath(figure, file);
  claim_whole(figure, file);
  say_memories(figure, file);
  say_where_from(figure, file);
  say_corrected(figure, file);
}

static void write_blocks(const area_figure_t *figure, FILE *file) {
  fprintf(file, "| D | design |");
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    fprintf(file, " %s |", synth_block_name[i]);
  }
  fprintf(file, " datapath, um2 | kGE | SRAM, um2 | datapath at 28 nm, mm2 |\n|");
  for (size_t i = 0; i < SYNTH_BLOCKS + 6; ++i) {
    fprintf(file, "---|");
  }
  fprintf(file, "\n");
  for (size_t i = 0; i < AREA_ROWS * SYNTH_DESIGNS; ++i) {
    const size_t row = i / SYNTH_DESIGNS;
    const synth_design_t design = (synth_design_t)(i % SYNTH_DESIGNS);
    const synth_area_t *area = &figure->list[row][design].area;
    fprintf(file, "| %zu | %s%s |", area_paper[row].d, synth_design_name[design],
            area->closes ? "" : ", clock not closed");
    for (size_t j = 0; j < SYNTH_BLOCKS; ++j) {
      report_cell(file, 0, area->block[j]);
    }
    report_cell(file, 0, area->datapath_um2);
    report_cell(file, 0, area->datapath_um2 / figure->flow.nand2_um2 / 1000);
    report_cell(file, 0, area->sram_um2);
    report_cell(file, 3, synth_at_28(&figure->flow, area->datapath_um2) / 1e6);
    fprintf(file, "\n");
  }
}

static void write_markdown(const void *data, FILE *file) {
  const area_figure_t *figure = data;
  fprintf(file, "# Figure 7(a) of the H-FA paper: area of H-FA and FA-2, P = %d\n\n", AREA_BLOCKS);
  report_synth_intro(&figure->flow, file);
  write_blocks(figure, file);
  write_savings(figure, file);
  write_claims(figure, file);
  write_paths(figure, file);
  write_unclosed(figure, file);
  write_interleave(figure, file);
  report_synth_caveats(file);
  fprintf(file, "\n![plot](area.svg)\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const area_figure_t *figure = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < AREA_ROWS; ++i) {
    for (synth_design_t design = 0; design < SYNTH_DESIGNS; ++design) {
      const synth_area_t *area = &figure->list[i][design].area;
      fprintf(gnuplot, "\"%zu %s\" %g %g\n", area_paper[i].d, synth_design_name[design],
              area->datapath_um2 / 1e6, area->sram_um2 / 1e6);
    }
  }
  fprintf(gnuplot,
          "EOD\nset style data histograms\nset style histogram rowstacked\n"
          "set style fill solid border -1\nset boxwidth 0.8\nset grid ytics\nset yrange [0:]\n"
          "set ylabel 'area, mm2 (%.0f nm)'\nset xtics rotate by 35 right noenhanced\n"
          "set key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'datapath' lc rgb '#4477aa', "
          "'' using 3 title 'SRAM, by a proxy' lc rgb '#cccccc'\n",
          figure->flow.node_nm);
}

const report_files_t area_files = {.json = write_json, .markdown = write_markdown,
                                   .plot = write_plot};
