// Libraries of standard cells: whatever was read can be evaluated.
// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/liberty.h"

#include <math.h>
#include <string.h>

#include "fuzz.h"

static void evaluate(const lib_table_t tables[LIB_EDGES]) {
  static const double at[] = {-1, 0, 0.01, 1, 1e3};
  for (size_t i = 0; i < LIB_EDGES * 25; ++i) {
    FUZZ_EXPECT(isfinite(lib_table_at(&tables[i % LIB_EDGES], at[i / 2 % 5], at[i / 10])));
  }
}

static void look_at(const lib_cell_t *cell) {
  FUZZ_EXPECT(cell->area >= 0 && cell->leakage >= 0 && (!cell->is_flop || cell->clock < cell->pins));
  for (size_t i = 0; i < cell->pins; ++i) {
    const lib_pin_t *pin = &cell->pin[i];
    FUZZ_EXPECT(pin->capacitance >= 0 && pin->function.inputs <= BOOLEAN_INPUTS_MAX);
    for (size_t j = 0; j < pin->arcs; ++j) {
      FUZZ_EXPECT(pin->arc[j].from < cell->pins);
      evaluate(pin->arc[j].delay);
      evaluate(pin->arc[j].transition);
    }
    for (size_t j = 0; j < pin->powers; ++j) {
      FUZZ_EXPECT(pin->power[j].weight > 0);
      evaluate(pin->power[j].energy);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  liberty_t library;
  base_error_t error = {""};
  if (!liberty_read(fuzz_file(bytes, size), &library, &error)) {
    FUZZ_EXPECT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    return 0;
  }
  for (size_t i = 0; i < library.cells; ++i) {
    look_at(&library.cell[i]);
    FUZZ_EXPECT(liberty_cell(&library, library.cell[i].name) == &library.cell[i]);
  }
  liberty_buffer(&library);
  liberty_free(&library);
  return 0;
}
