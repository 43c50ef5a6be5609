// Table IV of the H-FA paper: area, power, throughput and what follows, of two configurations of
// H-FA, scaled to 28 nm and 500 MHz.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/report_write.h"
#include "report/silicon/energies.h"
#include "report/silicon/synth.h"

// A lane's additions and tables, one of each for a key: off with the bias, two scalings,
// difference, its size, 2^-D, sum. The paper's FIX16 throughput is 7 for each of D + 1 lanes too.
enum { D = 64, BLOCKS = 4, CLOCK_MHZ = 500, LANE_OPS = 7 };
_Static_assert(BLOCKS == (int)POWER_BLOCKS, "energy is measured for other blocks");

static const double VOLTAGE_28 = 0.9;  // of 28 nm

typedef struct paper_row {
  const char *name;
  size_t queries;
  double mm2, watt, bf16, fix16, tops_watt, tops_mm2;
} paper_row_t;

static const paper_row_t paper_rows[] = {
#define ROW(name, queries, mm2, watt, bf16, fix16, tops_watt, tops_mm2) \
  {name, queries, mm2, watt, bf16, fix16, tops_watt, tops_mm2},
#include "report/silicon/table4_hfa.def"
#undef ROW
};
enum { ROWS = sizeof paper_rows / sizeof *paper_rows };

typedef struct table {
  synth_flow_t flow;
  report_area_t list[ROWS];
  power_row_t row[POWER_INPUTS];  // of one query
  double voltage;                 // the library's
} table_t;

// --- what a row says --------------------------------------------------------------------------

static double datapath_mm2(const table_t *table, size_t row) {
  return synth_at_28(&table->flow, table->list[row].area.datapath_um2) / 1e6;
}

static double sram_mm2(const table_t *table, size_t row) {
  return table->list[row].area.sram_bits * synth_bit_um2(28) / 1e6;
}

static double mm2(const table_t *table, size_t row) { return datapath_mm2(table, row) + sram_mm2(table, row); }

// Multiplications and additions of the dot products.
static double bf16_tops(size_t row) { return 2e-6 * D * BLOCKS * (double)paper_rows[row].queries * CLOCK_MHZ; }

static double fix16_tops(size_t row) {
  return 1e-6 * LANE_OPS * (D + 1) * BLOCKS * (double)paper_rows[row].queries * CLOCK_MHZ;
}

static double tops(size_t row) { return bf16_tops(row) + fix16_tops(row); }

// A change of a wire takes C V^2 / 2: C goes with lengths.
static double energy_at_28(const table_t *table) {
  const double voltage = VOLTAGE_28 / table->voltage;
  return 28 / table->flow.node_nm * voltage * voltage;
}

// pJ a cycle in the library: what is there for each query, and the control and memories that all
// share.
static double picojoules(const table_t *table, size_t row, bool glitches, bool sram) {
  double each = 0, shared = 0;
  for (size_t i = 0; i < POWER_INPUTS; ++i) {
    const measure_engine_t *engine = &table->row[i].engine;
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
static double paper_fo4(const synth_flow_t *flow) { return 1e6 / CLOCK_MHZ / (flow->fo4_ps * 28 / flow->node_nm); }

// --- files ------------------------------------------------------------------------------------

// Within a tenth of it.
static const char *verdict(double ours, double paper) {
  return fabs(ours - paper) <= paper / 10 ? "reproduced" : "not reproduced";
}

static void put_numbers(cJSON *object, double area, double power, double bf16, double fix16, double tops_watt,
                        double tops_mm2) {
  report_put(object, NUMBER("area_mm2", area), NUMBER("power_w", power), NUMBER("bf16_tops", bf16),
             NUMBER("fix16_tops", fix16), NUMBER("tops_w", tops_watt), NUMBER("tops_mm2", tops_mm2));
}

static void put_row(const table_t *table, size_t i, cJSON *list) {
  const paper_row_t *paper = &paper_rows[i];
  cJSON *row = report_put(report_synth_row(&table->flow, &table->list[i], list), TEXT("name", paper->name));
  put_numbers(row, mm2(table, i), watt(table, i), bf16_tops(i), fix16_tops(i), tops(i) / watt(table, i),
              tops(i) / mm2(table, i));
  report_put(row, NUMBER("datapath_mm2", datapath_mm2(table, i)), NUMBER("sram_mm2", sram_mm2(table, i)),
             NUMBER("power_w_settled", scaled_watt(table, i, false, true)),
             NUMBER("power_w_glitches", scaled_watt(table, i, true, true)),
             NUMBER("power_w_datapath_settled", scaled_watt(table, i, false, false)),
             NUMBER("power_w_datapath_glitches", scaled_watt(table, i, true, false)));
  put_numbers(cJSON_AddObjectToObject(row, "paper"), paper->mm2, paper->watt, paper->bf16, paper->fix16,
              paper->tops_watt, paper->tops_mm2);
  report_put(row, NUMBER(".tops", tops(i)), NUMBER(".paper_tops", paper->bf16 + paper->fix16),
             TEXT(".tops_verdict", verdict(tops(i), paper->bf16 + paper->fix16)),
             TEXT(".mm2_verdict", verdict(mm2(table, i), paper->mm2)),
             TEXT(".watt_verdict", verdict(watt(table, i), paper->watt)));
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const paper_row_t *one = &paper_rows[0], *four = &paper_rows[ROWS - 1];
  const size_t queries_times = four->queries / one->queries;
  const double each = (four->mm2 - one->mm2) / (double)(four->queries - one->queries);
  report_synth_flow(&table->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    put_row(table, i, list);
  }
  report_put(root, NUMBER(".each", each), NUMBER(".memory", one->mm2 - each * (double)one->queries),
             TEXT(".datapath_verdict", verdict(datapath_mm2(table, 0), each)),
             NUMBER(".datapath_less", report_synth_saving(datapath_mm2(table, 0), each)),
             NUMBER(".watt_times", watt(table, 0) / one->watt), NUMBER(".lane_ops", LANE_OPS),
             NUMBER(".tops_times", four->bf16 / one->bf16), NUMBER(".queries_times", queries_times),
             NUMBER(".paper_product", four->tops_mm2 * four->mm2), NUMBER(".mhz", CLOCK_MHZ),
             NUMBER(".fo4", paper_fo4(&table->flow)), NUMBER(".voltage_28", VOLTAGE_28),
             NUMBER(".voltage", table->voltage),
             TEXT(".closing", table->list[0].area.closes ? "all of them" : "but not all of them"));
}

REPORT_TEMPLATE(table4_hfa_text, "silicon/table4_hfa.md");
static const report_t report = {fill, table4_hfa_text, NULL, NULL};

static bool measure(table_t *table, base_error_t *error) {
  liberty_t library;
  if (!liberty_read(table->flow.liberty, &library, error)) {
    return false;
  }
  table->voltage = library.voltage;
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    table->row[input] = (power_row_t){.d = D, .design = MEASURE_HFA, .input = input};
  }
  const bool good = power_measure(&table->flow, &library, table->row, POWER_INPUTS, error);
  liberty_free(&library);
  return good;
}

bool report_table4_hfa(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  *code = BASE_BAD_INPUT;
  for (size_t i = 0; i < ROWS; ++i) {
    table.list[i].shape = report_synth_shape(SYNTH_HFA, D, BLOCKS, paper_rows[i].queries);
  }
  const bool good =
      report_synth_open(context, &table.flow, error) && report_synth_make(&table.flow, table.list, ROWS, error) &&
      report_synth_areas(context, &table.flow, table.list, ROWS, code, error) &&
      report_step(context, ROWS + 1, ROWS + 1, "energy of the netlists", code, error) && measure(&table, error);
  if (!good && report_interrupted()) {
    *code = BASE_INTERRUPTED;
  }
  return good && report_write(context, &report, &table, error);
}
