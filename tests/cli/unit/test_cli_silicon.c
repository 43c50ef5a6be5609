// The reports on silicon, on made-up areas, delays and energies, since synthesis takes minutes: that their
// templates find all that they ask for, and a few numbers that follow from what is made up.
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.h"
#include "report/lm/lm.h"
#include "report/report.h"
#include "report/silicon/energies.h"

// --- stand-ins (the linker's --wrap) ----------------------------------------------------------

bool __wrap_synth_open(const synth_settings_t *settings, synth_flow_t *flow, base_error_t *error) {
  (void)settings;
  (void)error;
  *flow = (synth_flow_t){.liberty = "made up",
                         .clock_fo4 = 150,
                         .quiet = true,
                         .name = "made up",
                         .node_nm = 28,
                         .fo4_ps = 20,
                         .nand2_um2 = 1};
  return true;
}

bool __wrap_synth_make(const synth_flow_t *flow, synth_wants_t *wants, base_error_t *error) {
  (void)flow;
  (void)error;
  return wants->count > 0;
}

// H-FA takes 60 % of FA-2, ExpMul 55 %, and its memories as much as FA-2's datapath.
bool __wrap_synth_area(const synth_flow_t *flow, const synth_shape_t *shape, synth_area_t *area, base_error_t *error) {
  static const double of[SYNTH_DESIGNS] = {0.6, 1, 0.63, 0.8, 0.55};
  const double fa2 = 1e6 * (double)(shape->blocks * shape->queries);
  (void)flow;
  (void)error;
  *area = (synth_area_t){.datapath_um2 = of[shape->design] * fa2, .sram_bits = 1e6, .sram_um2 = fa2, .closes = true};
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    area->block[i] = area->datapath_um2 / SYNTH_BLOCKS;
  }
  return true;
}

cJSON *__wrap_synth_unit(const synth_flow_t *flow, const char *unit, const char *params, bool boxes,
                         char folder[SYNTH_PATH_BYTES], base_error_t *error) {
  cJSON *area = cJSON_CreateObject();
  (void)flow;
  (void)unit;
  (void)params;
  (void)boxes;
  (void)error;
  if (folder != NULL) {
    snprintf(folder, SYNTH_PATH_BYTES, "%s", unit);
  }
  cJSON_AddNumberToObject(area, "area_um2", strcmp(unit, "fp32_mul") == 0 ? 1000 : 100);
  cJSON_AddNumberToObject(area, "delay_ps", 1000);
  return area;
}

cJSON *__wrap_synth_timing(const synth_flow_t *flow, const char *folder, base_error_t *error) {
  cJSON *timing = cJSON_CreateObject();
  (void)folder;
  (void)error;
  cJSON_AddNumberToObject(timing, "fo4", flow->clock_fo4 + 15);  // misses by a tenth
  cJSON *loop = cJSON_CreateObject();
  cJSON_AddNumberToObject(loop, "ps", 500);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(timing, "loops"), loop);
  return timing;
}

bool __wrap_liberty_read(const char *path, liberty_t *library, base_error_t *error) {
  (void)path;
  (void)error;
  *library = (liberty_t){.voltage = 0.9};
  return true;
}

// H-FA takes three quarters of FA-2's energy, with glitches as without.
bool __wrap_power_measure(const synth_flow_t *flow, const liberty_t *library, power_row_t *row, size_t rows,
                          base_error_t *error) {
  (void)flow;
  (void)library;
  (void)error;
  for (size_t i = 0; i < rows; ++i) {
    measure_engine_t *engine = &row[i].engine;
    *engine = (measure_engine_t){.sram = 500};
    engine->total[0] = engine->total[1] = row[i].design <= MEASURE_HFA_CORRECTED ? 750 : 1000;
  }
  return true;
}

// Above FP32: FA-2 0.001, Mitchell's additions 0.02, corrected ones nothing, ExpMul 0.002.
bool __wrap_report_lm_losses(const report_context_t *context, unsigned which, report_lm_t *report, base_exit_t *code,
                             base_error_t *error) {
  (void)context;
  (void)code;
  (void)error;
  for (size_t i = 0; i < REPORT_LM_ROWS; ++i) {
    const char *name = report_lm_kinds[i].name;
    report->row[i].mean.loss = (which >> i & 1) == 0           ? 9
                               : strcmp(name, "fa2") == 0      ? 1.001
                               : strcmp(name, "mitchell") == 0 ? 1.02
                               : strcmp(name, "expmul") == 0   ? 1.002
                                                               : 1;
  }
  return true;
}

// --- the reports ------------------------------------------------------------------------------

static void make(const char *name) {
  base_error_t error = {""};
  const report_settings_t settings = {.reports = {&name, 1}, .out = "r", .quiet = true, .head_dim = "64"};
  if (report_make(&settings, &error) != BASE_OK) {
    fail_msg("%s: %s", name, error.text);
  }
}

static void assert_says(const char *name, const char *text) {
  static char have[1 << 16];
  char path[64];
  snprintf(path, sizeof path, "r/%s.md", name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  have[fread(have, 1, sizeof have - 1, file)] = '\0';
  fclose(file);
  if (strstr(have, text) == NULL) {
    fail_msg("%s.md does not say: %s\n%s", name, text, have);
  }
  assert_null(strchr(have, '{'));
}

TEST_WITH(test_area, enter_directory, leave_directory) {
  make("area");
  assert_says("area", "| 32 | hfa | fa2 | 40.0 | 36.1 | 20.0 | 27 |\n");
  assert_says("area", "| 64 | hfa_corrected | fa2_onemul | 21.3 |");
  assert_says("area", "**reproduced**, 40.0 %, ");
  assert_says("area", "memories included: **not reproduced**, 20.0 %");
  assert_says("area", "**By OpenSTA 15 of these do not reach 150 FO4**, but need up to 165.0");
  assert_says("area", "datapath by +5.0 % at D = 32, +5.0 % at D = 64, +5.0 % at D = 128.");
}

TEST_WITH(test_area_blocks, enter_directory, leave_directory) {
  make("area_blocks");
  assert_says("area_blocks", "| 4800000 | 8000000 | 8.00 | 8.00 | 10 |\n");
  assert_says("area_blocks", "**not reproduced**, 8.00 times");
}

TEST_WITH(test_floor, enter_directory, leave_directory) {
  make("floor");
  assert_says("floor", "| lanes | 666667 | 400000 | 40.0 |\n");
  assert_says("floor", "| datapath | 4000000 | 2400000 | 40.0 |\n");
}

TEST_WITH(test_gm_area, enter_directory, leave_directory) {
  make("gm_area");
  assert_says("gm_area", "| FP32 multiplier, IEEE | 1000 | 1000 | 50.0 |\n");
  assert_says("gm_area", "takes 10 % of");
}

TEST_WITH(test_table4_hfa, enter_directory, leave_directory) {
  make("table4_hfa");
  assert_says("table4_hfa", "| HFA-4-4, here | 9.79 | 9.60 | 0.19 |");
  assert_says("table4_hfa", "| HFA-1-4, paper | 1.14 |");
}

TEST_WITH(test_power, enter_directory, leave_directory) {
  make("power");
  assert_says("power", "| 64 | H-FA, Mitchell | FA-2, two multipliers | 25.0 (25.0 .. 25.0) |");
  assert_says("power", "25.0 % without glitches, 25.0 % with them: **reproduced**.");
}

TEST_WITH(test_arithmetics, enter_directory, leave_directory) {
  make("arithmetics");
  assert_says("arithmetics",
              "| FA-2, two multipliers | 4 | +0.0010 | 4.00 | 100.0 | 8.00 | 1.0 | 100.0 | 1.0 | 100.0 | "
              "FA-2, one multiplier; H-FA, corrected |\n");
  assert_says("arithmetics",
              "| H-FA, Mitchell | 4 | +0.0200 | 2.40 | 60.0 | 6.40 | 0.8 | 75.0 | 0.8 | 75.0 | on the front |\n");
  assert_says("arithmetics",
              "| ExpMul | 4 | +0.0020 | 2.20 | 55.0 | 6.20 | 1.0 | 100.0 | 1.0 | 100.0 | on the front |\n");
}
