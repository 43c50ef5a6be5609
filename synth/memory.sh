#!/bin/sh
# A library of one macro for static timing, on standard output: kv_sram (rtl/attention) of rows of D numbers.
# Its times are assumed: of a compiled memory of 28 nm, some 0.7 ns to read and 0.2 ns of setup.
#
#   memory.sh D ROWS FO4_PS
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -eq 3 ] || { sed -n 's/^# \{0,1\}//; 2,5p' "$0" >&2; exit 2; }
awk -v d="$1" -v rows="$2" -v fo4="$3" '
  function value(what, x) { return sprintf("%s(scalar) { values(\"%.4f\"); } ", what, x) }
  function head(kind, name, type) { printf "  %s(%s) { %s", kind, name, type == "" ? "" : "bus_type: " type "; " }
  function input(kind, name, type) {
    head(kind, name, type)
    print "direction: input; capacitance: 0.02; timing() { related_pin: \"clk_i\"; timing_type: setup_rising; " \
      value("rise_constraint", 13 * fo4 / 1000) value("fall_constraint", 13 * fo4 / 1000) "} }"
  }
  function output(kind, name, type) {
    head(kind, name, type)
    print "direction: output; timing() { related_pin: \"clk_i\"; timing_type: rising_edge; " \
      value("cell_rise", 45 * fo4 / 1000) value("cell_fall", 45 * fo4 / 1000) \
      value("rise_transition", fo4 / 1000) value("fall_transition", fo4 / 1000) "} }"
  }
  function type(name, bits) {
    printf "type(%s) { base_type: array; data_type: bit; bit_width: %d; bit_from: %d; bit_to: 0; }\n", name, bits, bits - 1
  }
  BEGIN {
    address = 1
    while (2 ^ address < rows) ++address
    print "library(memories) { delay_model: table_lookup; time_unit: \"1ns\"; capacitive_load_unit(1, pf);"
    print "voltage_unit: \"1V\"; current_unit: \"1mA\"; pulling_resistance_unit: \"1kohm\"; leakage_power_unit: \"1nW\";"
    for (edge = 0; edge < 2; ++edge) {
      suffix = edge ? "fall" : "rise"
      printf "slew_lower_threshold_pct_%s: 20; slew_upper_threshold_pct_%s: 80;\n", suffix, suffix
      printf "input_threshold_pct_%s: 50; output_threshold_pct_%s: 50;\n", suffix, suffix
    }
    type("row", 16 * d)
    type("address", address)
    print "cell(kv_sram) {"
    print "  pin(clk_i) { direction: input; clock: true; capacitance: 0.02; }"
    input("pin", "we_i"); input("bus", "waddr_i", "address"); input("bus", "row_i", "row")
    input("pin", "re_i"); input("bus", "raddr_i", "address"); output("bus", "row_o", "row")
    print "} }"
  }'
