// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/silicon/report_power.h"

// Section VI-C: "on average 23.4% less power"; figure 7(b) is a picture without numbers.
static const double paper_saving = 23.4;
// The paper's is reproduced if it lies within this many points of the mean, or within the spread.
static const double near_points = 3;

static const measure_design_t hfas[] = {MEASURE_HFA, MEASURE_HFA_CORRECTED};
static const measure_design_t fa2s[] = {MEASURE_FA2, MEASURE_FA2_ONEMUL};

static const char *design_text(measure_design_t design) {
  static const char *const texts[MEASURE_DESIGNS] = {
      "H-FA, Mitchell", "H-FA, corrected", "FA-2, two multipliers", "FA-2, one multiplier"};
  return texts[design];
}

// --- JSON -------------------------------------------------------------------------------------

static void json_parts(cJSON *object, const measure_engine_t *engine, bool glitches) {
  cJSON *parts = cJSON_AddObjectToObject(object, "parts");
  for (size_t i = 0; i < MEASURE_PARTS; ++i) {
    cJSON *part = cJSON_AddObjectToObject(parts, measure_part_names[i]);
    cJSON_AddNumberToObject(part, "data", engine->part[glitches][i]);
    cJSON_AddNumberToObject(part, "clock", engine->clock[i]);
  }
}

static void json_unit(cJSON *units, const char *name, const measure_unit_t *unit, bool glitches) {
  const energy_t *energy = glitches ? &unit->all : &unit->settled;
  cJSON *object = cJSON_AddObjectToObject(units, name);
  cJSON_AddNumberToObject(object, "cells", unit->cells);
  cJSON_AddNumberToObject(object, "flip_flops", unit->flops);
  cJSON_AddNumberToObject(object, "cycles", unit->cycles);
  cJSON_AddNumberToObject(object, "words_equal_to_golden", unit->outputs);
  cJSON_AddNumberToObject(object, "changes_per_net_and_cycle", energy->changes / energy->nets);
  cJSON_AddNumberToObject(object, "nets_without_activity", energy->unannotated);
  cJSON_AddNumberToObject(object, "nets_that_never_change", energy->still);
  cJSON_AddNumberToObject(object, "switching", energy->switching);
  cJSON_AddNumberToObject(object, "inputs", energy->inputs);
  cJSON_AddNumberToObject(object, "internal", energy->internal);
  cJSON_AddNumberToObject(object, "clock", energy->clock);
  cJSON_AddNumberToObject(object, "clock_tree", energy->tree);
  cJSON_AddNumberToObject(object, "leakage", energy->leakage);
  cJSON_AddNumberToObject(object, "dot_product_data", energy->data[NETLIST_DOT]);
  cJSON_AddNumberToObject(object, "lanes_data", energy->data[NETLIST_LANES]);
  cJSON_AddNumberToObject(object, "settled_after_ps", unit->settled_after);
}

static void json_row(cJSON *list, const power_row_t *row, bool glitches) {
  static const char *const units[UNIT_KINDS] = {"fau", "acc", "divider", "control", "address"};
  cJSON *object = cJSON_CreateObject();
  cJSON_AddItemToArray(list, object);
  cJSON_AddNumberToObject(object, "d", (double)row->d);
  cJSON_AddNumberToObject(object, "blocks", POWER_BLOCKS);
  cJSON_AddStringToObject(object, "design", measure_design_name(row->design));
  cJSON_AddStringToObject(object, "input", power_input_names[row->input]);
  cJSON_AddStringToObject(object, "glitch", glitches ? "yes" : "no");
  cJSON_AddNumberToObject(object, "pj_per_cycle", row->engine.total[glitches]);
  cJSON_AddNumberToObject(object, "sram_pj_per_cycle", row->engine.sram);
  json_parts(object, &row->engine, glitches);
  cJSON *measured = cJSON_AddObjectToObject(object, "units");
  for (size_t i = 0; i < UNIT_KINDS; ++i) {
    json_unit(measured, units[i], &row->engine.unit[i], glitches);
  }
}

static void json_spread(cJSON *object, const char *name, power_spread_t spread) {
  cJSON *three = cJSON_AddObjectToObject(object, name);
  cJSON_AddNumberToObject(three, "mean", spread.mean);
  cJSON_AddNumberToObject(three, "least", spread.least);
  cJSON_AddNumberToObject(three, "most", spread.most);
}

static void json_savings(const power_table_t *table, cJSON *list) {
  for (size_t i = 0; i < table->sizes * 8; ++i) {
    const measure_design_t design = hfas[i / 4 % 2], than = fa2s[i / 2 % 2];
    const bool glitches = i % 2 != 0;
    const size_t d = table->d[i / 8];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    cJSON_AddNumberToObject(object, "d", (double)d);
    cJSON_AddStringToObject(object, "design", measure_design_name(design));
    cJSON_AddStringToObject(object, "than", measure_design_name(than));
    cJSON_AddStringToObject(object, "glitch", glitches ? "yes" : "no");
    json_spread(object, "percent", power_saving(table, i / 8, design, than, glitches, false));
    json_spread(object, "percent_with_sram",
                power_saving(table, i / 8, design, than, glitches, true));
  }
}

static void write_json(const void *data, cJSON *root) {
  const power_table_t *table = data;
  cJSON *paper = cJSON_AddObjectToObject(root, "paper");
  cJSON_AddNumberToObject(paper, "percent_saved", paper_saving);
  cJSON_AddStringToObject(root, "library", table->library);
  cJSON_AddNumberToObject(root, "clock_fo4", (double)table->clock_fo4);
  cJSON_AddNumberToObject(root, "period_ns", table->period);
  cJSON_AddNumberToObject(root, "wire_pf_per_input", table->wire);
  json_savings(table, cJSON_AddArrayToObject(root, "savings"));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < 2 * table->rows; ++i) {
    json_row(list, &table->row[i / 2], i % 2 != 0);
  }
}

// --- Markdown ---------------------------------------------------------------------------------

static void markdown_spread(FILE *file, int decimals, power_spread_t s) {
  fprintf(file, " %.*f (%.*f .. %.*f) |", decimals, s.mean, decimals, s.least, decimals, s.most);
}

static void markdown_totals(const power_table_t *table, FILE *file) {
  fprintf(file,
          "## Energy\n\nnJ in a cycle in which all %d FAUs take a key: mean over the inputs, "
          "(least .. "
          "most).\n\n| d | design | without glitches | with glitches | of it clock | SRAM, apart "
          "|\n"
          "|---|---|---|---|---|---|\n", POWER_BLOCKS);
  for (size_t i = 0; i < table->sizes * MEASURE_DESIGNS; ++i) {
    const size_t size = i / MEASURE_DESIGNS;
    const measure_design_t design = (measure_design_t)(i % MEASURE_DESIGNS);
    const measure_engine_t *engine = &power_row(table, size, design, POWER_LM)->engine;
    double clock = 0;
    fprintf(file, "| %zu | %s |", table->d[size], design_text(design));
    for (int glitches = 0; glitches < 2; ++glitches) {
      const power_spread_t total = power_total(table, size, design, glitches != 0);
      markdown_spread(file, 2, (power_spread_t){total.mean / 1000, total.least / 1000,
                                                total.most / 1000});
    }
    for (size_t part = 0; part < MEASURE_PARTS; ++part) {
      clock += engine->clock[part];
    }
    fprintf(file, " %.2f | %.2f |\n", clock / 1000, engine->sram / 1000);
  }
}

static void markdown_savings(const power_table_t *table, FILE *file) {
  fprintf(file,
          "\n## What H-FA saves\n\n%%, mean over the inputs, (least .. most). The paper: %.1f.\n\n"
          "| d | design | than | without glitches | with glitches | the same with SRAM |\n"
          "|---|---|---|---|---|---|\n", paper_saving);
  for (size_t i = 0; i < table->sizes * 4; ++i) {
    const measure_design_t design = hfas[i / 2 % 2], than = fa2s[i % 2];
    fprintf(file, "| %zu | %s | %s |", table->d[i / 4], design_text(design), design_text(than));
    markdown_spread(file, 1, power_saving(table, i / 4, design, than, false, false));
    markdown_spread(file, 1, power_saving(table, i / 4, design, than, true, false));
    markdown_spread(file, 1, power_saving(table, i / 4, design, than, true, true));
    fputc('\n', file);
  }
}

// Shares of an FAU's energy on the language model's data.
static void markdown_shares(const power_table_t *table, FILE *file) {
  fprintf(file,
          "\n## Where it goes in an FAU\n\npJ a cycle on the language model's data, with glitches "
          "/ "
          "without. Dot product and clock are the same in both designs, but\nfor the clock of a "
          "few "
          "registers: what can be saved is in the lanes.\n\n"
          "| d | design | dot product | lanes | other | clock and its tree | input nets | changes "
          "a net |\n"
          "|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < table->sizes * MEASURE_DESIGNS; ++i) {
    const measure_design_t design = (measure_design_t)(i % MEASURE_DESIGNS);
    const measure_unit_t *fau =
        &power_row(table, i / MEASURE_DESIGNS, design, POWER_LM)->engine.unit[UNIT_FAU];
    const energy_t *all = &fau->all, *settled = &fau->settled;
    fprintf(file,
            "| %zu | %s | %.0f / %.0f | %.0f / %.0f | %.0f / %.0f | %.0f | %.0f / %.0f | %.2f / "
            "%.2f "
            "|\n",
            table->d[i / MEASURE_DESIGNS], design_text(design), all->data[NETLIST_DOT],
            settled->data[NETLIST_DOT], all->data[NETLIST_LANES], settled->data[NETLIST_LANES],
            all->data[NETLIST_OTHER], settled->data[NETLIST_OTHER], all->clock + all->tree,
            all->inputs, settled->inputs, all->changes / all->nets,
            settled->changes / settled->nets);
  }
}

static bool is_near(power_spread_t s) {
  return fabs(s.mean - paper_saving) <= near_points ||
         (s.least <= paper_saving && paper_saving <= s.most);
}

// What holds with glitches and without holds; what lies between the two is not known.
static const char *verdict(power_spread_t without, power_spread_t with) {
  if (is_near(without) && is_near(with)) {
    return "**reproduced**";
  }
  const bool between = fmin(without.least, with.least) <= paper_saving &&
                       paper_saving <= fmax(without.most, with.most);
  return between || is_near(without) || is_near(with) ? "**undecided**" : "**not reproduced**";
}

// Over all d: means of the means, least and most of all.
static power_spread_t mean_saving(const power_table_t *table, measure_design_t than, bool glitches) {
  power_spread_t all = {0, INFINITY, -INFINITY};
  for (size_t i = 0; i < table->sizes; ++i) {
    const power_spread_t one = power_saving(table, i, MEASURE_HFA, than, glitches, false);
    all.mean += one.mean / (double)table->sizes;
    all.least = fmin(all.least, one.least);
    all.most = fmax(all.most, one.most);
  }
  return all;
}

static void markdown_mean(const power_table_t *table, measure_design_t than, FILE *file) {
  const power_spread_t without = mean_saving(table, than, false);
  const power_spread_t with = mean_saving(table, than, true);
  fprintf(file, "- on average over d, against %s: %.1f %% without glitches, %.1f %% with them: %s.\n",
          design_text(than), without.mean, with.mean, verdict(without, with));
}

static void markdown_claim(const power_table_t *table, size_t size, measure_design_t than,
                           FILE *file) {
  const power_spread_t without = power_saving(table, size, MEASURE_HFA, than, false, false);
  const power_spread_t with = power_saving(table, size, MEASURE_HFA, than, true, false);
  fprintf(file, "- d = %zu, against %s: %.1f %% without glitches, %.1f %% with them: %s.\n",
          table->d[size], design_text(than), without.mean, with.mean, verdict(without, with));
}

// The most that could be saved: the lanes for nothing.
static double lanes_percent(const power_table_t *table, size_t size, bool glitches) {
  const measure_unit_t *fau = &power_row(table, size, MEASURE_FA2, POWER_LM)->engine.unit[UNIT_FAU];
  const energy_t *energy = glitches ? &fau->all : &fau->settled;
  return 100 * energy->data[NETLIST_LANES] / energy->total;
}

static double lane_saving(const power_table_t *table, size_t size, bool glitches) {
  const measure_unit_t *hfa = &power_row(table, size, MEASURE_HFA, POWER_LM)->engine.unit[UNIT_FAU];
  const measure_unit_t *fa2 = &power_row(table, size, MEASURE_FA2, POWER_LM)->engine.unit[UNIT_FAU];
  return glitches ? 100 * (1 - hfa->all.data[NETLIST_LANES] / fa2->all.data[NETLIST_LANES])
                  : 100 * (1 - hfa->settled.data[NETLIST_LANES] / fa2->settled.data[NETLIST_LANES]);
}

static void markdown_verdict(const power_table_t *table, FILE *file) {
  fprintf(file,
          "\n## The paper's claim\n\n\"The proposed design requires on average %.1f %% less "
          "power.\" "
          "Reproduced means here: both without and with\nglitches the mean over the inputs is "
          "within "
          "%.0f points of it, or it lies between the least and the most of them; undecided: only "
          "at one end, or\nbetween the two. Datapath without memory, Mitchell's additions.\n\n",
          paper_saving, near_points);
  for (size_t i = 0; i < table->sizes; ++i) {
    markdown_claim(table, i, MEASURE_FA2, file);
    markdown_claim(table, i, MEASURE_FA2_ONEMUL, file);
  }
  markdown_mean(table, MEASURE_FA2, file);
  markdown_mean(table, MEASURE_FA2_ONEMUL, file);
  fprintf(file,
          "\nWhy: only the lanes differ. At d = %zu they are %.0f %% of what a two-multiplier FAU "
          "takes "
          "without glitches and %.0f %% with them; H-FA\nsaves %.0f %% and %.0f %% of that. The "
          "rest, "
          "scores and the clock of the same registers, is paid in both designs. How much glitches "
          "count decides the\nresult, and that is what this estimate knows least: delays have no "
          "wires, a swallowed pulse costs nothing, a passed one a full swing. The paper's\nnumber "
          "includes the memory, which cannot differ, so that its datapaths must differ by more "
          "than "
          "%.1f %%.\n",
          table->d[0], lanes_percent(table, 0, false), lanes_percent(table, 0, true),
          lane_saving(table, 0, false), lane_saving(table, 0, true), paper_saving);
}

static void markdown_method(const power_table_t *table, FILE *file) {
  fprintf(file,
          "# Figure 7(b) of the H-FA paper: power\n\n"
          "`amalgam report power`. **These are proxies**: mapped netlists without placement, "
          "wires, "
          "clock gating or a clock tree of their own, in %s;\ngood for comparing the two designs, "
          "no "
          "good for milliwatts (synth/power.md).\n\n"
          "Netlists of FAU, ACC, LogDiv or divider, and control close %zu FO4, and are simulated "
          "with "
          "every cell's delay at its load\n(inertial: a pulse shorter than the gate's delay is "
          "swallowed). Every triplet and result is compared with the golden model. Energy of a "
          "net's "
          "change: 1/2 C V^2\nof pins and %.0f fF of wire an input, and the library's internal "
          "power. "
          "An engine: %d FAUs, %d ACCs and one LogDiv or divider at work once a query, "
          "control;\nclock "
          "pins of all registers in every cycle and an estimated tree of buffers for %zu each.\n\n",
          table->library, table->clock_fo4, 1000 * table->wire, POWER_BLOCKS, POWER_BLOCKS - 1,
          table->fanout);
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    fprintf(file, "- %s: %s\n", power_input_names[input], power_input_texts[input]);
  }
  fprintf(file,
          "\nEach: %d queries, %d keys, P = %d; the first query is not counted. \"Without "
          "glitches\" "
          "counts settled values from cycle to cycle, \"with\" every change.\n\n",
          POWER_QUERIES, POWER_KEYS, POWER_BLOCKS);
}

static void markdown_annotation(const power_table_t *table, FILE *file) {
  double worst = 0, without = 0, words = 0;
  for (size_t i = 0; i < table->rows; ++i) {
    for (size_t j = 0; j < UNIT_KINDS; ++j) {
      const measure_unit_t *unit = &table->row[i].engine.unit[j];
      worst = fmax(worst, unit->all.unannotated);
      without = fmax(without, unit->all.without_power);
      words += unit->outputs;
    }
  }
  fprintf(file,
          "\nNets without activity: %.2f %% at most. Changes of cells for which the library has no "
          "internal power: %.2f %% at most. Words of output compared\nwith the golden model, and "
          "equal: %.0f.\n\n![plot](power.svg)\n", 100 * worst, 100 * without, words);
}

static void write_markdown(const void *data, FILE *file) {
  const power_table_t *table = data;
  markdown_method(table, file);
  markdown_totals(table, file);
  markdown_savings(table, file);
  markdown_shares(table, file);
  markdown_verdict(table, file);
  markdown_annotation(table, file);
}

// --- plot -------------------------------------------------------------------------------------

static void write_plot(const void *data, FILE *gnuplot) {
  const power_table_t *table = data;
  fprintf(gnuplot, "$bars << EOD\n");
  for (size_t size = 0; size < table->sizes; ++size) {
    for (measure_design_t design = MEASURE_HFA; design < MEASURE_DESIGNS; ++design) {
      const power_spread_t with = power_total(table, size, design, true);
      const power_spread_t without = power_total(table, size, design, false);
      fprintf(gnuplot, "%g %g %g %g %g \"%s\\nd %zu\"\n",
              (double)(size * (MEASURE_DESIGNS + 1) + design), with.mean / 1000, with.least / 1000,
              with.most / 1000, without.mean / 1000, measure_design_name(design), table->d[size]);
    }
  }
  fprintf(gnuplot,
          "EOD\nset ylabel 'nJ a cycle, P = %d, without memory'\nset yrange [0:]\nset boxwidth "
          "0.8\n"
          "set style fill solid\nset key top left\nset xtics font ',8' rotate by -30\n"
          "set title 'Mean over the inputs; bars: least and most'\n"
          "plot $bars using 1:2:xticlabels(6) with boxes lc rgb '#cc6633' title 'glitches', "
          "'' using 1:5 with boxes lc rgb '#4477aa' title 'without glitches', "
          "'' using 1:2:3:4 with yerrorbars lc rgb '#222222' pt 0 notitle\n", POWER_BLOCKS);
}

const report_files_t power_files = {.name = "power", .json = write_json, .markdown = write_markdown,
                                    .plot = write_plot};
