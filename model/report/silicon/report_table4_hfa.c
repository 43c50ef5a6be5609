// Table IV of the H-FA paper: area, power, throughput and what follows, of two configurations of H-FA,
// scaled to 28 nm and 500 MHz.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/silicon/report_power.h"
#include "report/silicon/report_synth.h"

// A lane's additions and tables, one of each for a key: off with the bias, two scalings, difference,
// its size, 2^-D, sum. The paper's FIX16 throughput is 7 for each of D + 1 lanes too.
enum { D = 64, BLOCKS = 4, CLOCK_MHZ = 500, LANE_OPS = 7 };
_Static_assert(BLOCKS == (int)POWER_BLOCKS, "energy is measured for other blocks");

static const double VOLTAGE_28 = 0.9;   // of 28 nm

typedef struct paper_row {
  const char *name;
  size_t queries;
  double mm2, watt, bf16, fix16, tops_watt, tops_mm2;
} paper_row_t;

static const paper_row_t paper_rows[] = {
#define ROW(name, queries, mm2, watt, bf16, fix16, tops_watt, tops_mm2) \
  {name, queries, mm2, watt, bf16, fix16, tops_watt, tops_mm2},
#include "report/silicon/report_table4_hfa.def"
#undef ROW
};
enum { ROWS = sizeof paper_rows / sizeof *paper_rows };

typedef struct table {
  synth_flow_t flow;
  report_area_t list[ROWS];
  measure_engine_t engine[POWER_INPUTS];   // of one query
  double voltage;                          // the library's
} table_t;

// --- what a row says --------------------------------------------------------------------------

static double datapath_mm2(const table_t *table, size_t row) {
  return synth_at_28(&table->flow, table->list[row].area.datapath_um2) / 1e6;
}

static double sram_mm2(const table_t *table, size_t row) {
  return table->list[row].area.sram_bits * synth_bit_um2(28) / 1e6;
}

static double mm2(const table_t *table, size_t row) {
  return datapath_mm2(table, row) + sram_mm2(table, row);
}

// Multiplications and additions of the dot products.
static double bf16_tops(size_t row) {
  return 2e-6 * D * BLOCKS * (double)paper_rows[row].queries * CLOCK_MHZ;
}

static double fix16_tops(size_t row) {
  return 1e-6 * LANE_OPS * (D + 1) * BLOCKS * (double)paper_rows[row].queries * CLOCK_MHZ;
}

static double tops(size_t row) { return bf16_tops(row) + fix16_tops(row); }

// A change of a wire takes C V^2 / 2: C goes with lengths.
static double energy_at_28(const table_t *table) {
  const double voltage = VOLTAGE_28 / table->voltage;
  return 28 / table->flow.node_nm * voltage * voltage;
}

// pJ a cycle in the library: what is there for each query, and the control and memories that all share.
static double picojoules(const table_t *table, size_t row, bool glitches, bool sram) {
  double each = 0, shared = 0;
  for (size_t i = 0; i < POWER_INPUTS; ++i) {
    const measure_engine_t *engine = &table->engine[i];
    const double control = engine->part[glitches][MEASURE_CONTROL] + engine->clock[MEASURE_CONTROL];
    each += (engine->total[glitches] - control) / POWER_INPUTS;
    shared += (control + (sram ? engine->sram : 0)) / POWER_INPUTS;
  }
  return each * (double)paper_rows[row].queries + shared;
}

static double scaled_watt(const table_t *table, size_t row, bool glitches, bool sram) {
  return 1e-6 * CLOCK_MHZ * energy_at_28(table) * picojoules(table, row, glitches, sram);
}

// Watt of a row: with the memories and half of the glitches, since they are the least certain part.
static double watt(const table_t *table, size_t row) {
  return (scaled_watt(table, row, false, true) + scaled_watt(table, row, true, true)) / 2;
}

// The paper's period in FO4, if an FO4 scales with the node.
static double paper_fo4(const synth_flow_t *flow) {
  return 1e6 / CLOCK_MHZ / (flow->fo4_ps * 28 / flow->node_nm);
}

// --- files ------------------------------------------------------------------------------------

static void put(cJSON *object, double area, double power, double bf16, double fix16,
                double tops_watt, double tops_mm2) {
  cJSON_AddNumberToObject(object, "area_mm2", area);
  cJSON_AddNumberToObject(object, "power_w", power);
  cJSON_AddNumberToObject(object, "bf16_tops", bf16);
  cJSON_AddNumberToObject(object, "fix16_tops", fix16);
  cJSON_AddNumberToObject(object, "tops_w", tops_watt);
  cJSON_AddNumberToObject(object, "tops_mm2", tops_mm2);
}

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  report_synth_flow(&table->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    const paper_row_t *paper = &paper_rows[i];
    cJSON *row = report_synth_row(&table->flow, &table->list[i], list);
    cJSON_AddStringToObject(row, "name", paper->name);
    put(row, mm2(table, i), watt(table, i), bf16_tops(i), fix16_tops(i), tops(i) / watt(table, i),
        tops(i) / mm2(table, i));
    cJSON_AddNumberToObject(row, "datapath_mm2", datapath_mm2(table, i));
    cJSON_AddNumberToObject(row, "sram_mm2", sram_mm2(table, i));
    cJSON_AddNumberToObject(row, "power_w_settled", scaled_watt(table, i, false, true));
    cJSON_AddNumberToObject(row, "power_w_glitches", scaled_watt(table, i, true, true));
    cJSON_AddNumberToObject(row, "power_w_datapath_settled", scaled_watt(table, i, false, false));
    cJSON_AddNumberToObject(row, "power_w_datapath_glitches", scaled_watt(table, i, true, false));
    put(cJSON_AddObjectToObject(row, "paper"), paper->mm2, paper->watt, paper->bf16, paper->fix16,
        paper->tops_watt, paper->tops_mm2);
  }
}

static void write_rows(const table_t *table, FILE *file) {
  fprintf(file,
          "| | area, mm2 | datapath | SRAM | power, W | TOPS: BF16 | FIX16 | TOPS/W | TOPS/mm2 |\n"
          "|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < ROWS; ++i) {
    const paper_row_t *paper = &paper_rows[i];
    fprintf(file, "| %s, here |", paper->name);
    report_cell(file, 2, mm2(table, i));
    report_cell(file, 2, datapath_mm2(table, i));
    report_cell(file, 2, sram_mm2(table, i));
    report_cell(file, 2, watt(table, i));
    report_cell(file, 3, bf16_tops(i));
    report_cell(file, 3, fix16_tops(i));
    report_cell(file, 2, tops(i) / watt(table, i));
    report_cell(file, 2, tops(i) / mm2(table, i));
    fprintf(file, "\n| %s, paper | %.2f | | | %.2f | %.3f | %.3f | %.2f | %.2f |\n", paper->name,
            paper->mm2, paper->watt, paper->bf16, paper->fix16, paper->tops_watt, paper->tops_mm2);
  }
}

static void write_power(const table_t *table, FILE *file) {
  fprintf(file,
          "\nPower is the energy of mapped netlists in a cycle (report `power`, D = %d, mean over its inputs) "
          "at %d MHz, times\n28 / %.0f for capacitance and (%.1f / %.1f)^2 for voltage; leakage of a 28 nm "
          "library is not in it. Half of the glitches are\ncounted, with the memories' proxy. The ends:\n\n"
          "| | without glitches, W | with all | the same without memories | |\n|---|---|---|---|---|\n",
          D, CLOCK_MHZ, table->flow.node_nm, VOLTAGE_28, table->voltage);
  for (size_t i = 0; i < ROWS; ++i) {
    fprintf(file, "| %s |", paper_rows[i].name);
    report_cell(file, 2, scaled_watt(table, i, false, true));
    report_cell(file, 2, scaled_watt(table, i, true, true));
    report_cell(file, 2, scaled_watt(table, i, false, false));
    report_cell(file, 2, scaled_watt(table, i, true, false));
    fprintf(file, "\n");
  }
  fprintf(file,
          "\nThe row for four queries is four times the FAUs, ACCs and dividers of the one that was measured "
          "and one control; each\nquery is in its own FAUs, and keys are read once for all four. Watts here are "
          "no comparison with the paper's: nothing is\ngated, and cells of an old library are scaled by length "
          "and voltage alone. Ratios of designs are, in the report\n`power`.\n");
}

// Within a tenth of it.
static const char *verdict(double ours, double paper) {
  return fabs(ours - paper) <= paper / 10 ? "reproduced" : "not reproduced";
}

static void write_claims(const table_t *table, FILE *file) {
  const size_t last = ROWS - 1;
  const paper_row_t *one = &paper_rows[0], *four = &paper_rows[last];
  const double each = (four->mm2 - one->mm2) / (double)(four->queries - one->queries);
  fprintf(file,
          "\n## The paper's claims\n\nReproduced means here: within a tenth.\n\n"
          "- Area of %s: **%s**, %.2f mm2 of %.2f. The memory's density was taken from the paper, whose "
          "two areas give %.3f mm2 of memory and\n  %.3f of datapath for a query, so only the datapath "
          "is a comparison: **%s**, %.3f mm2, %.0f %% less. Cells go by the square of\n  the nodes, "
          "without wires.\n",
          one->name, verdict(mm2(table, 0), one->mm2), mm2(table, 0), one->mm2,
          one->mm2 - each * (double)one->queries, each, verdict(datapath_mm2(table, 0), each),
          datapath_mm2(table, 0), report_synth_saving(datapath_mm2(table, 0), each));
  fprintf(file,
          "- Power of %s: **%s**, %.2f W of %.2f, %.1f times: not the same thing (above).\n"
          "- Throughput of %s: **%s**, %.2f TOPS of %.2f: 2 operations for each element of the dot "
          "products, %d for each lane.\n",
          one->name, verdict(watt(table, 0), one->watt), watt(table, 0), one->watt,
          watt(table, 0) / one->watt, one->name, verdict(tops(0), one->bf16 + one->fix16), tops(0),
          one->bf16 + one->fix16, LANE_OPS);
  fprintf(file,
          "- Throughput of %s: **%s**, %.2f TOPS of %.2f. The paper's is %.1f times that of %s for %zu times "
          "the queries; its own TOPS/mm2\n  times its area is %.2f, %zu times %.2f, and that is what is "
          "counted here.\n",
          four->name, verdict(tops(last), four->bf16 + four->fix16), tops(last),
          four->bf16 + four->fix16, four->bf16 / one->bf16, one->name, four->queries / one->queries,
          four->tops_mm2 * four->mm2, four->queries / one->queries, one->bf16 + one->fix16);
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  fprintf(file, "# Table IV of the H-FA paper: H-FA with 4 blocks, for 1 and for 4 queries, D = %d\n\n", D);
  report_synth_intro(&table->flow, file);
  fprintf(file,
          "Scaled to 28 nm: areas of cells by the square of the nodes, %.0f to 28; this says nothing of "
          "a real 28 nm library.\nTo 500 MHz: not at all, throughput is counted at that clock. Its "
          "2 ns are %.0f FO4 if an FO4 scales with the node;\nthe units here close %u FO4, %s.\n\n",
          table->flow.node_nm, paper_fo4(&table->flow), table->flow.clock_fo4,
          table->list[0].area.closes ? "all of them" : "but not all of them");
  write_rows(table, file);
  write_power(table, file);
  write_claims(table, file);
  report_synth_caveats(file);
  fprintf(file, "\n![plot](table4_hfa.svg)\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < ROWS; ++i) {
    fprintf(gnuplot, "\"%s\" %g %g\n", paper_rows[i].name, tops(i) / mm2(table, i),
            paper_rows[i].tops_mm2);
  }
  fprintf(gnuplot,
          "EOD\nset style data histograms\nset style histogram clustered gap 1\n"
          "set style fill solid border -1\nset boxwidth 0.9\nset yrange [0:]\nset grid ytics\n"
          "set ylabel 'TOPS/mm2 at 28 nm'\nset key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'here' lc rgb '#4477aa', "
          "'' using 3 title 'paper' lc rgb '#f2c9b0'\n");
}

bool report_table4_hfa(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  const report_files_t files = {.name = context->name, .data = &table, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  *code = BASE_BAD_INPUT;
  synth_shape_t shape[ROWS];
  for (size_t i = 0; i < ROWS; ++i) {
    shape[i] = report_synth_shape(SYNTH_HFA, D, BLOCKS, paper_rows[i].queries);
  }
  bool good = report_synth_open(context, &table.flow, error) &&
              report_synth_make(&table.flow, shape, ROWS, error);
  for (size_t i = 0; good && i < ROWS; ++i) {
    good = report_synth_area(context, &table.flow, SYNTH_HFA, D, BLOCKS, paper_rows[i].queries,
                             &table.list[i], code, error);
  }
  good = good && report_step(context, ROWS + 1, ROWS + 1, "energy of the netlists", code, error) &&
         power_measure(&table.flow, MEASURE_HFA, D, table.engine, &table.voltage, error);
  if (!good && report_interrupted()) {
    *code = BASE_INTERRUPTED;
  }
  return good && report_write(&files, context->settings->out, error);
}
