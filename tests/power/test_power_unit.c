// Netlists of small units of the attention engines at work: their outputs are the golden model's,
// and a wrong one is noticed; the energy is found again when it is asked for again.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "num/num_rng.h"
#include "silicon/power/measure.h"

enum { D = 4, BLOCKS = 2, KEYS = 24, QUERIES = 4 };

static num_bf16_t q[QUERIES][D], k[QUERIES][KEYS * D], v[QUERIES][KEYS * D];
static unit_query_t queries[QUERIES];
static unit_stimulus_t stimulus = {.d = D, .blocks = BLOCKS, .rows = 16, .query = queries, .queries = QUERIES};
static measure_settings_t settings;
static liberty_t library;

static int open(void **state) {
  (void)state;
  base_error_t error;
  for (size_t i = 0; i < QUERIES; ++i) {
    num_rng_normal_bf16(i, 0, 0, D, 0.5, q[i]);
    num_rng_normal_bf16(i, 1, 0, KEYS * D, 1, k[i]);
    num_rng_normal_bf16(i, 2, 0, KEYS * D, 1, v[i]);
    queries[i] = (unit_query_t){q[i], k[i], v[i], KEYS - i};  // the last blocks lack keys
  }
  settings = measure_usual("/usr/share/qflow/tech/osu018/osu018_stdcells.lib", 150, 15);
  return liberty_read(settings.liberty, &library, &error) ? 0 : -1;
}

static int close(void **state) {
  (void)state;
  liberty_free(&library);
  return 0;
}

static measure_unit_t measure(measure_design_t design, unit_kind_t kind) {
  base_error_t error = {""};
  measure_unit_t unit;
  measure_arithmetic(design, &stimulus);
  if (!measure_unit(&settings, &library, design, kind, &stimulus, SIMULATE_INERTIAL, &unit, &error)) {
    fail_msg("%s, unit %d: %s", measure_design_name(design), kind, error.text);
  }
  return unit;
}

TEST_GROUP(open, close)

TEST(units) {
  static const double words[UNIT_KINDS] = {
      [UNIT_FAU] = QUERIES * (D + 3), [UNIT_ACC] = QUERIES * (D + 3), [UNIT_DIVIDER] = QUERIES * D};
  for (measure_design_t design = MEASURE_HFA; design < MEASURE_DESIGNS; ++design) {
    for (unit_kind_t kind = UNIT_FAU; kind < UNIT_KINDS; ++kind) {
      const measure_unit_t unit = measure(design, kind);
      if (words[kind] > 0) {
        assert_true(unit.outputs == words[kind]);
      }
      assert_true(unit.outputs > 0 && unit.cells > 0 && unit.flops > 0);
      assert_true(unit.all.unannotated == 0 && unit.settled.unannotated == 0);
      assert_true(unit.settled.switching > 0 && unit.settled.internal > 0);
      assert_true(unit.all.switching >= unit.settled.switching);
      assert_true(unit.all.clock == unit.settled.clock && unit.all.clock > 0);
      assert_true(unit.settled_after < 1000 * settings.period);  // the clock is closed
      assert_true(measure(design, kind).all.total == unit.all.total);
    }
  }
}

// The arithmetic of one design, the netlist of another.
static void refuses(measure_design_t design, measure_design_t arithmetic, unit_kind_t kind) {
  base_error_t error = {""};
  measure_unit_t unit;
  measure_arithmetic(arithmetic, &stimulus);
  assert_false(measure_unit(&settings, &library, design, kind, &stimulus, SIMULATE_INERTIAL, &unit, &error));
  assert_non_null(strstr(error.text, "the golden model says"));
}

TEST(wrong_outputs) {
  refuses(MEASURE_HFA, MEASURE_HFA_CORRECTED, UNIT_FAU);
  refuses(MEASURE_HFA_CORRECTED, MEASURE_HFA, UNIT_ACC);
  refuses(MEASURE_FA2, MEASURE_HFA, UNIT_FAU);
  refuses(MEASURE_FA2, MEASURE_HFA, UNIT_DIVIDER);
}

TEST(engines) {
  base_error_t error = {""};
  measure_engine_t engine;
  measure_arithmetic(MEASURE_FA2, &stimulus);
  assert_true(measure_engine(&settings, &library, MEASURE_FA2, &stimulus, SIMULATE_INERTIAL, &engine, &error));
  double sum = 0;
  for (size_t i = 0; i < MEASURE_PARTS; ++i) {
    assert_true(engine.part[0][i] > 0 && engine.part[1][i] >= engine.part[0][i]);
    sum += engine.part[1][i] + engine.clock[i];
  }
  assert_true(sum == engine.total[1]);
  const energy_t *fau = &engine.unit[UNIT_FAU].all;
  assert_true(engine.clock[MEASURE_FAU] == BLOCKS * (fau->clock + fau->tree));
  assert_true(engine.sram > 0);
}
