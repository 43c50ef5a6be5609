// Energy of netlists: Liberty, netlists, simulation, and the sums, against hand calculations in
// a library of round numbers (mini.lib).
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "test.h"
#include "num/num_rng.h"
#include "silicon/power/energy.h"

static const graph_settings_t settings = {.wire = 0.001, .port_load = 0.005, .transition = 0.2};

static void mini(liberty_t *library) {
  base_error_t error = {""};
  if (!liberty_read(POWER_TEST_DIR "/mini.lib", library, &error)) {
    fail_msg("%s", error.text);
  }
}

// Reads text as a netlist. False: error.
static bool netlist_of(const char *text, const liberty_t *library, netlist_t *netlist, base_error_t *error) {
  char path[] = "/tmp/test_power_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  const bool good = netlist_read(path, library, netlist, error);
  unlink(path);
  return good;
}

static void near(double is, double expected) {
  if (!(is - expected < 1e-9 && expected - is < 1e-9)) {
    fail_msg("%.12g, expected %.12g", is, expected);
  }
}

// --- Boolean functions, tables ----------------------------------------------------------------

static int letter(void *context, const char *name) {
  (void)context;
  return name[1] == '\0' && name[0] >= 'A' && name[0] <= 'F' ? name[0] - 'A' : -1;
}

static uint64_t table_of(const char *text) {
  uint64_t table;
  base_error_t error = {""};
  assert_true(boolean_parse(text, letter, NULL, &table, &error));
  return table;
}

TEST(functions) {
  const uint64_t a = table_of("A"), b = table_of("B"), c = table_of("C"), f = table_of("F");
  assert_int_equal(a & 0xff, 0xaa);
  assert_int_equal(b & 0xff, 0xcc);
  assert_int_equal(c & 0xff, 0xf0);
  assert_true(f == 0xffffffff00000000u);
  assert_true(table_of("(!((A B)+C))") == ~((a & b) | c));
  assert_true(table_of("!A&B | A*C'") == ((~a & b) | (a & ~c)));
  assert_true(table_of("A+B^C F") == (a | ((b ^ c) & f)));  // ^ binds more than and, than or
  assert_true(table_of("(A+B)'C") == (~(a | b) & c));
  assert_true(table_of("!(!A)") == a && table_of("A''") == a);
  assert_true(table_of("1") == UINT64_MAX && table_of("0 + A") == a);
}

TEST(bad_functions) {
  static const char *const texts[] = {"", "A+", "(A", "A)", "A G", "!", "A + * B", "AB"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    uint64_t table;
    base_error_t error = {""};
    assert_false(boolean_parse(texts[i], letter, NULL, &table, &error));
    assert_non_null(strstr(error.text, "function"));
  }
}

TEST(tables) {
  double slews[] = {0, 1}, loads[] = {0, 1, 3};
  double values[] = {0, 1, 5, 10, 12, 18};
  const lib_table_t table = {{2, 3}, {slews, loads}, values};
  near(lib_table_at(&table, 0, 0), 0);
  near(lib_table_at(&table, 0, 2), 3);
  near(lib_table_at(&table, 0.5, 0.5), (0.5 + 11) / 2);
  near(lib_table_at(&table, 0, 5), 9);  // beyond: the last slope
  near(lib_table_at(&table, 2, 0), 20);
  near(lib_table_at(&table, -1, 0), -10);
  const lib_table_t none = {{0, 0}, {NULL, NULL}, NULL};
  near(lib_table_at(&none, 1, 1), 0);
}

TEST(library) {
  liberty_t lib;
  mini(&lib);
  assert_int_equal(lib.cells, 6);
  near(lib.voltage, 2);
  const lib_cell_t * xor = liberty_cell(&lib, "XOR2");
  assert_int_equal(xor->pin[2].kind, LIB_COMBINATIONAL);
  assert_int_equal(xor->pin[2].function.table & 0xf, 0x6);
  assert_int_equal(xor->pin[2].powers, 3);
  near(xor->pin[2].power[0].weight, 0.5);  // two conditions for A
  near(xor->pin[2].power[2].weight, 1);
  // Its axes are the other way round in the file: load first.
  near(lib_table_at(&xor->pin[2].arc[0].delay[LIB_RISE], 0.3, 0.3), 0.05);
  near(lib_table_at(&xor->pin[2].power[2].energy[LIB_RISE], 0.4, 0.05), 0.01 + 0.002 + 0.0025);
  const lib_cell_t *flop = liberty_cell(&lib, "DFF");
  assert_true(flop->is_flop);
  assert_int_equal(flop->clock, lib_cell_pin(flop, "CK"));
  assert_int_equal(flop->clear.table & 3, 1);
  assert_int_equal(flop->pin[lib_cell_pin(flop, "QN")].kind, LIB_STATE_INVERTED);
  assert_int_equal(liberty_cell(&lib, "LATCH")->pin[2].kind, LIB_UNKNOWN);
  assert_string_equal(liberty_buffer(&lib)->name, "BUF");
  assert_null(liberty_cell(&lib, "NAND3"));
  liberty_free(&lib);
}

static void refuses_bytes(const char *bytes, size_t size, const char *says) {
  char path[] = "/tmp/test_power_XXXXXX";
  base_error_t error = {""};
  liberty_t lib;
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, size), (ssize_t)size);
  close(fd);
  assert_false(liberty_read(path, &lib, &error));
  unlink(path);
  if (strstr(error.text, says) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, says);
  }
}

static void refuses_library(const char *text, const char *says) { refuses_bytes(text, strlen(text), says); }

#define UNITS                                                                  \
  "time_unit : \"1ns\"; voltage_unit : \"1V\"; leakage_power_unit : \"1nW\"; " \
  "capacitive_load_unit (1,pf); nom_voltage : 1; "

TEST(bad_libraries) {
  refuses_library("", "no library");
  refuses_library("library(x) { cell (A", "expected");
  refuses_library("library(x) {\n a : 1;\n b : ;\n}", "line 3");
  refuses_library("library(x) { a : 1; ", "inside a group");
  refuses_library("library(x) { } }", "without a group");
  refuses_library("library(x) { time_unit : \"1ps\"; }", "needs units");
  refuses_library("library(x) { " UNITS " }", "no cells");
  refuses_library("library(x) { " UNITS
                  "cell(a) { pin(Y) { direction : output; internal_power() {"
                  " related_pin : \"A\"; rise_power(t) { values (\"1, q\"); } } } } }",
                  "cell a");
}

// A library of one cell, whose delay and power tables, and numbers, are as given.
static void refuses_cell(const char *capacitance, const char *axis, const char *group, const char *values,
                         const char *says) {
  char text[2048];
  snprintf(text, sizeof text,
           "library(x) { " UNITS
           "lu_table_template(t) { variable_1 : input_net_transition; %s }"
           " cell(a) { area : 1; pin(A) { direction : input; capacitance : %s; } pin(Y) {"
           " direction : output; %s { related_pin : \"A\"; %s } } } }",
           axis, capacitance, group, values);
  refuses_library(text, says);
}

TEST(bad_numbers) {
  static const char *const bad[] = {"nan", "-nan", "inf", "-inf", "+infinity", "1e400", "-1e10", "1e10", "x", "1 x"};
  static const char *const axes[] = {"",
                                     "index_1 (\"\");",
                                     "index_1 (\"0, 0\");",
                                     "index_1 (\"1, 0\");",
                                     "index_1 (\"-1, 0\");",
                                     "index_1 (\"nan, 1\");",
                                     "index_1 (\"0, inf\");",
                                     "index_1 (\"0\");",
                                     "index_1 (\"0, 4e-324\");",
                                     "index_1 (\"0, 1, 2\");"};
  const char *rising = "index_1 (\"0, 1\");", *delay = "cell_rise(t) { values (\"0, 1\"); }";
  char values[200];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    refuses_cell(bad[i], rising, "timing()", delay, "cell a: capacitance: expected a number");
    for (size_t j = 0; j < 3; ++j) {
      static const char *const group[] = {"timing()", "timing()", "internal_power()"};
      static const char *const table[] = {"cell_fall", "rise_transition", "fall_power"};
      snprintf(values, sizeof values, "%s(t) { values (\"0, %s\"); }", table[j], bad[i]);
      refuses_cell("1", rising, group[j], values, "expected a finite number");
      refuses_cell("1", rising, group[j], values, table[j]);
    }
  }
  for (size_t i = 0; i < sizeof axes / sizeof *axes; ++i) {
    refuses_cell("1", axes[i], "timing()", delay, "cell a: cell_rise: expected");
  }
  refuses_cell("-1", rising, "timing()", delay, "capacitance");
  refuses_cell("1", rising, "timing()", "rise_transition(t) { values (\"0, -1\"); }", "rise_transition");
  refuses_library("library(x) { " UNITS "cell(a) { area : nan; } }", "cell a: area");
  refuses_library("library(x) { " UNITS "cell(a) { cell_leakage_power : -1; } }", "cell a: cell_leakage_power");
  refuses_library(
      "library(x) { time_unit : \"1ns\"; voltage_unit : \"1V\"; leakage_power_unit : \"1nW\"; "
      "capacitive_load_unit (1,pf); nom_voltage : inf; cell(a) { } }",
      "nom_voltage");
}

TEST(bad_shapes) {
  static const char whole[] = "library(x) { " UNITS "cell(a) { } }", more[] = "more\n";
  char bytes[sizeof whole + sizeof more];
  memcpy(bytes, whole, sizeof whole);  // with its zero
  memcpy(bytes + sizeof whole, more, sizeof more);
  refuses_bytes(bytes, sizeof bytes, "bytes of 0");
  refuses_bytes("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\xc9\x4c", 13, "cannot read");  // gzip, cut
  refuses_library("library(x) { " UNITS "cell(a) { } cell(b) { } cell(a) { } }", "cell a: given twice");
  refuses_library("library(x) { " UNITS "cell(a) { pin(A) { } pin(A) { } } }", "cell a: pin");
  refuses_library("library(x) { " UNITS "cell() { } }", "cell ?: cell: expected a name");
}

// Functions and groups as deep as one likes.
TEST(deep_texts) {
  enum { DEEP = 1000000 };
  static char text[DEEP + 2];
  uint64_t table;
  base_error_t error = {""};
  memset(text, '!', DEEP);
  strcpy(text + DEEP, "A");
  assert_true(boolean_parse(text, letter, NULL, &table, &error) && table == table_of("A"));
  text[1] = 'A';  // "!A!!!!...A": and
  assert_true(boolean_parse(text, letter, NULL, &table, &error) && table == 0);
  memset(text, '(', DEEP);
  assert_false(boolean_parse(text, letter, NULL, &table, &error));
  memset(text, 'A', DEEP);
  assert_false(boolean_parse(text, letter, NULL, &table, &error));
  for (size_t i = 0; i + 4 <= DEEP; i += 4) {
    memcpy(text + i, "a(){", 4);
  }
  text[DEEP] = '\0';
  refuses_library(text, "nested too deeply");
  memset(text, '{', DEEP);
  refuses_library(text, "expected");
}

// --- netlists ---------------------------------------------------------------------------------

// n = !(a b); q is n of the cycle before; y = q ^ a.
#define CELL(name, type, connections)                  \
  "\"" name "\": {\"hide_name\": 0, \"type\": \"" type \
  "\", \"parameters\": {}, "                           \
  "\"connections\": {" connections "}}"
#define IN(name, bit) "\"" name "\": {\"direction\": \"input\", \"bits\": [" bit "]}"
#define OUT(name, bit) "\"" name "\": {\"direction\": \"output\", \"bits\": [" bit "]}"
#define MODULE(ports, cells)                                                                    \
  "{\"creator\": \"x \\\"y\\\"\", \"modules\": {\"t\": {\"attributes\": {}, \"ports\": {" ports \
  "}, \"cells\": {" cells "}, \"netnames\": {\"a\": {\"bits\": [2]}}}}}"

static const char small[] = MODULE(
    IN("ck", "2") "," IN("r", "3") "," IN("a", "4") "," IN("b", "5") "," OUT("y", "8"),
    CELL("u_dot.n", "NAND2", "\"A\": [4], \"B\": [5], \"Y\": [6]") "," CELL(
        "f", "DFF", "\"CK\": [2], \"R\": [3], \"D\": [6], \"Q\": [7]") "," CELL("u_lane.x", "XOR2",
                                                                                "\"A\": [7], \"B\": [4], \"Y\": [8]"));

typedef struct bench {
  liberty_t library;
  netlist_t netlist;
  graph_t graph;
  simulate_t *simulate;
  activity_t activity;
} bench_t;

static void bench_open(bench_t *bench, const char *text, simulate_delay_t delay) {
  base_error_t error = {""};
  mini(&bench->library);
  if (!netlist_of(text, &bench->library, &bench->netlist, &error) ||
      !graph_build(&bench->netlist, &bench->library, &settings, &bench->graph, &error) ||
      !activity_alloc(bench->netlist.nets, &bench->activity, &error)) {
    fail_msg("%s", error.text);
  }
  bench->simulate = simulate_open(&bench->graph, delay, &error);
  assert_non_null(bench->simulate);
}

static void bench_close(bench_t *bench) {
  simulate_close(bench->simulate);
  activity_free(&bench->activity);
  graph_free(&bench->graph);
  netlist_free(&bench->netlist);
  liberty_free(&bench->library);
}

static void put(bench_t *bench, const char *port, uint64_t value) {
  const netlist_port_t *at = netlist_port(&bench->netlist, port);
  simulate_set_bits(bench->simulate, at, 0, at->bits, value);
}

static uint64_t get(const bench_t *bench, const char *port) {
  const netlist_port_t *at = netlist_port(&bench->netlist, port);
  return simulate_get_bits(bench->simulate, at, 0, at->bits);
}

static void step(bench_t *bench, bool counted) {
  base_error_t error = {""};
  if (!simulate_cycle(bench->simulate, counted ? &bench->activity : NULL, &error)) {
    fail_msg("%s", error.text);
  }
  assert_true(simulate_check(bench->simulate));
}

static void refuses(const char *text, const char *says) {
  base_error_t error = {""};
  liberty_t lib;
  netlist_t netlist;
  graph_t graph;
  mini(&lib);
  if (netlist_of(text, &lib, &netlist, &error)) {
    assert_false(graph_build(&netlist, &lib, &settings, &graph, &error));
    netlist_free(&netlist);
  }
  liberty_free(&lib);
  if (strstr(error.text, says) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, says);
  }
}

TEST(bad_netlists) {
  refuses("", "not a netlist");
  refuses("{\"modules\": {\"t\": {\"ports\": {", "not a netlist");
  refuses("{\"modules\": {}}", "0 modules");
  refuses(MODULE(IN("a", "2"), CELL("u", "NAND9", "\"A\": [2]")), "no cell NAND9");
  refuses(MODULE(IN("a", "2"), CELL("u", "BUF", "\"Q\": [2]")), "no pin Q");
  refuses(MODULE(IN("a", "2"), CELL("u", "BUF", "\"Y\": [3]")), "open input");
  refuses(MODULE(IN("a", "2"), CELL("u", "BUF", "\"A\": [3], \"Y\": [4]")), "without a driver");
  refuses(MODULE(IN("a", "2"), CELL("u", "BUF", "\"A\": [2], \"Y\": [2]")), "several drivers");
  refuses(MODULE(IN("a", "2"), CELL("u", "NAND2", "\"A\": [2], \"B\": [4], \"Y\": [3]") "," CELL(
                                   "v", "BUF", "\"A\": [3], \"Y\": [4]")),
          "loop");
  refuses(MODULE(IN("a", "2"), CELL("u", "LATCH", "\"G\": [2], \"D\": [2], \"Q\": [3]")), "no function known");
  refuses(MODULE(IN("a", "2") "," IN("b", "3"),
                 CELL("u", "DFF", "\"CK\": [2], \"R\": [\"1\"], \"D\": [3], \"Q\": [4]") "," CELL(
                     "v", "DFF", "\"CK\": [3], \"R\": [\"1\"], \"D\": [2], \"Q\": [5]")),
          "more than one clock");
  refuses(MODULE(IN("a", "2"), CELL("c", "BUF", "\"A\": [2], \"Y\": [3]") "," CELL(
                                   "v", "DFF", "\"CK\": [3], \"R\": [\"1\"], \"D\": [2], \"Q\": [5]")),
          "no input port");
}

TEST(loads) {
  bench_t bench;
  bench_open(&bench, small, SIMULATE_INERTIAL);
  const graph_t *graph = &bench.graph;
  assert_int_equal(graph->gates, 2);
  assert_int_equal(graph->flops, 1);
  // NAND2's A 0.01, XOR2's B 0.02, two wires
  near(graph->load[netlist_port(&bench.netlist, "a")->net[0]], 0.032);
  near(graph->load[netlist_port(&bench.netlist, "b")->net[0]], 0.011);
  near(graph->load[graph->flop[0].next.in[0]], 0.005);  // n: D 0.004
  near(graph->load[graph->flop[0].q[0]], 0.021);
  near(graph->load[netlist_port(&bench.netlist, "y")->net[0]], 0.006);
  bench_close(&bench);
}

// A net to nine buffers, three inputs at most: three buffers of three each.
TEST(buffers) {
  base_error_t error = {""};
  char text[4096];
  size_t used = (size_t)snprintf(
      text, sizeof text,
      "{\"modules\": {\"t\": {\"ports\": {" IN("a", "2") "," OUT("y", "3,4,5,6,7,8,9,10,11") "}, \"cells\": {");
  for (int i = 0; i < 9; ++i) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%s\"b%d\": {\"type\": \"BUF\", "
                             "\"connections\": {\"A\": [2], \"Y\": [%d]}}",
                             i > 0 ? "," : "", i, 3 + i);
  }
  snprintf(text + used, sizeof text - used, "}}}}");
  bench_t bench;
  mini(&bench.library);
  assert_true(netlist_of(text, &bench.library, &bench.netlist, &error));
  assert_true(netlist_buffer(&bench.netlist, liberty_buffer(&bench.library), 3, &error));
  assert_int_equal(bench.netlist.cells, 12);
  assert_true(graph_build(&bench.netlist, &bench.library, &settings, &bench.graph, &error));
  for (size_t i = 0; i < bench.netlist.nets; ++i) {
    assert_true(bench.graph.fanout[i] <= 3);
  }
  bench.simulate = simulate_open(&bench.graph, SIMULATE_INERTIAL, &error);
  assert_true(activity_alloc(bench.netlist.nets, &bench.activity, &error));
  put(&bench, "a", 1);
  step(&bench, false);
  assert_int_equal(get(&bench, "y"), 0x1ff);
  assert_int_equal(simulate_settled_after(bench.simulate), 200);  // two buffers of 0.1 ns
  bench_close(&bench);
}

// --- simulation -------------------------------------------------------------------------------

TEST(sequence) {
  bench_t bench;
  num_rng_t rng;
  unsigned q = 0;
  bench_open(&bench, small, SIMULATE_INERTIAL);
  num_rng_seed(&rng, 1);
  put(&bench, "a", 1);  // in reset q stays 0, though n is 1
  for (int i = 0; i < 3; ++i) {
    step(&bench, false);
    assert_int_equal(get(&bench, "y"), 1);
  }
  put(&bench, "r", 1);
  step(&bench, false);
  q = 1;  // !(1 0)
  for (int i = 0; i < 200; ++i) {
    const unsigned a = num_rng_u64(&rng) & 1, b = num_rng_u64(&rng) & 1;
    const bool cleared = num_rng_u64(&rng) % 8 == 0;
    put(&bench, "a", a);
    put(&bench, "b", b);
    put(&bench, "r", !cleared);
    step(&bench, true);
    q = cleared ? 0 : q;
    assert_int_equal(get(&bench, "y"), q ^ a);
    q = cleared ? 0 : !(a & b);
  }
  assert_int_equal(bench.activity.cycles, 200);
  bench_close(&bench);
}

// y = a ^ (a of 0.1 ns ago): settled it never changes. The quick XOR shows a pulse, the slow one
// swallows it, if delays are inertial.
static void glitch(const char *type, simulate_delay_t delay, double changes) {
  char text[1024];
  bench_t bench;
  snprintf(text, sizeof text,
           "{\"modules\": {\"t\": {\"ports\": {" IN("a", "2") "," OUT("y", "4") "}, \"cells\": {"
           "\"b\": {\"type\": \"BUF\", \"connections\": {\"A\": [2], \"Y\": [3]}},"
           "\"x\": {\"type\": \"%s\", \"connections\": {\"A\": [2], \"B\": [3], \"Y\": [4]}}}}}}",
           type);
  bench_open(&bench, text, delay);
  for (unsigned i = 0; i < 10; ++i) {
    put(&bench, "a", ~i & 1);
    step(&bench, true);
    assert_int_equal(get(&bench, "y"), 0);
  }
  const uint32_t y = netlist_port(&bench.netlist, "y")->net[0];
  near(bench.activity.settled[y], 0);
  near(bench.activity.all[y], 10 * changes);
  near(bench.activity.all[netlist_port(&bench.netlist, "a")->net[0]], 10);
  bench_close(&bench);
}

TEST(glitches) {
  glitch("XOR2", SIMULATE_INERTIAL, 2);
  glitch("XOR2", SIMULATE_TRANSPORT, 2);
  glitch("XOR2_SLOW", SIMULATE_INERTIAL, 0);
  glitch("XOR2_SLOW", SIMULATE_TRANSPORT, 2);
}

// --- energy -----------------------------------------------------------------------------------

static const energy_settings_t no_tree = {.period = 10, .buffer = NULL, .buffer_fanout = 2};

// By hand, on random vectors. 1/2 C V^2 is 2 C at 2 V.
TEST(by_hand) {
  enum { CYCLES = 1000 };
  bench_t bench;
  num_rng_t rng;
  bench_open(&bench, small, SIMULATE_INERTIAL);
  num_rng_seed(&rng, 2);
  put(&bench, "r", 1);
  step(&bench, false);
  step(&bench, false);
  unsigned a = 0, b = 0, n = 1, q = 1, y = 1;
  double a_changes = 0, b_changes = 0, n_changes = 0, q_changes = 0, y_changes = 0;
  for (int i = 0; i < CYCLES; ++i) {
    const unsigned next_q = n, next_a = num_rng_u64(&rng) & 1, next_b = num_rng_u64(&rng) & 1;
    put(&bench, "a", next_a);
    put(&bench, "b", next_b);
    step(&bench, true);
    const unsigned next_n = !(next_a & next_b), next_y = next_q ^ next_a;
    a_changes += next_a != a;
    b_changes += next_b != b;
    n_changes += next_n != n;
    q_changes += next_q != q;
    y_changes += next_y != y;
    a = next_a, b = next_b, n = next_n, q = next_q, y = next_y;
  }
  const energy_t energy = energy_of(&bench.graph, &bench.activity, false, &no_tree);

  // Loads as in the test of loads: n 0.005, q 0.021, y 0.006; a 0.032, b 0.011; r: 0.002 + 0.001
  const double switching = (n_changes * 2 * 0.005 + q_changes * 2 * 0.021 + y_changes * 2 * 0.006);
  const double inputs = a_changes * 2 * 0.032 + b_changes * 2 * 0.011;
  // NAND2: rise 0.02 + 0.1 load + 0.01 transition, fall twice that, from both inputs; ports'
  // transition is 0.2: (1 + 2) / 2 (0.02 + 0.0005 + 0.002)
  const double nand = 1.5 * (0.02 + 0.1 * 0.005 + 0.01 * 0.2);
  // XOR2 from A (q, transition 0.1): as NAND2 but for the fall, which has 0.04 + 0.2 load + 0.02
  // transition as the mean of its conditions; from B (a, 0.2): half. Weighted by how often q and a
  // change.
  const double from_q = 1.5 * (0.02 + 0.1 * 0.006 + 0.01 * 0.1);
  const double from_a = 0.75 * (0.02 + 0.1 * 0.006 + 0.01 * 0.2);
  const double xor = (q_changes * from_q + a_changes * from_a) / (q_changes + a_changes);
  // D at n's transition, 0.1: (0.002 + 0.001 + 0.004 + 0.001) / 2; Q (0.05 + 0.07) / 2
  const double internal = n_changes * (nand + (0.002 + 0.001 + 0.004 + 0.001) / 2) + q_changes * 0.06 + y_changes * xor;
  // CK at 0.2: rise 0.012, fall 0.034; its pin and wire up and down: 2 x 2 x 0.004
  const double clock = 0.012 + 0.034 + 4 * 0.004;
  const double leakage = (100 + 300 + 200) * 10e-6;
  near(energy.switching, switching / CYCLES);
  near(energy.inputs, inputs / CYCLES);
  near(energy.internal, internal / CYCLES);
  near(energy.clock, clock);
  near(energy.leakage, leakage);
  near(energy.total, (switching + inputs + internal) / CYCLES + clock + leakage);
  near(energy.unannotated, 0);
  near(energy.still, 1.0 / 6);  // r
  near(energy.data[NETLIST_DOT], (n_changes * (nand + 2 * 0.005)) / CYCLES);
  near(energy.data[NETLIST_LANES], y_changes * (xor+2 * 0.006) / CYCLES);
  bench_close(&bench);
}

TEST(linear) {
  bench_t bench;
  bench_open(&bench, small, SIMULATE_INERTIAL);
  activity_uniform(&bench.activity, 0.1);
  const energy_t one = energy_of(&bench.graph, &bench.activity, true, &no_tree);
  assert_true(one.switching > 0 && one.inputs > 0 && one.internal > 0);
  for (int times = 2; times <= 8; times *= 2) {
    activity_uniform(&bench.activity, 0.1 * times);
    const energy_t more = energy_of(&bench.graph, &bench.activity, true, &no_tree);
    near(more.switching, times * one.switching);
    near(more.inputs, times * one.inputs);
    near(more.internal, times * one.internal);
    near(more.clock, one.clock);
    near(more.leakage, one.leakage);
  }
  activity_uniform(&bench.activity, 0);
  const energy_t none = energy_of(&bench.graph, &bench.activity, true, &no_tree);
  near(none.total, none.clock + none.leakage);
  bench_close(&bench);
}

// Unknown activities are reported: of r, a, b, n, q, y only three have one.
TEST(unknown_nets) {
  bench_t bench;
  bench_open(&bench, small, SIMULATE_INERTIAL);
  static const char *const ports[] = {"a", "b", "y"};
  bench.activity.cycles = 1;
  for (size_t i = 0; i < 3; ++i) {
    bench.activity.given[netlist_port(&bench.netlist, ports[i])->net[0]] = 1;
  }
  const energy_t energy = energy_of(&bench.graph, &bench.activity, true, &no_tree);
  near(energy.unannotated, 0.5);
  near(energy.still, 0.5);
  bench_close(&bench);
}

// One flip-flop and five more: buffers for two each: 3, then 2, then 1.
TEST(clock_tree) {
  base_error_t error = {""};
  char text[4096];
  bench_t bench;
  size_t used = (size_t)snprintf(
      text, sizeof text, "{\"modules\": {\"t\": {\"ports\": {" IN("ck", "2") "," IN("d", "3") "}, \"cells\": {");
  for (int i = 0; i < 6; ++i) {
    used +=
        (size_t)snprintf(text + used, sizeof text - used,
                         "%s\"f%d\": {\"type\": \"DFF\", \"connections\": {\"CK\": [2], \"R\": [\"1\"], \"D\": [3], "
                         "\"Q\": [%d]}}",
                         i > 0 ? "," : "", i, 4 + i);
  }
  snprintf(text + used, sizeof text - used, "}}}}");
  mini(&bench.library);
  assert_true(netlist_of(text, &bench.library, &bench.netlist, &error));
  assert_true(graph_build(&bench.netlist, &bench.library, &settings, &bench.graph, &error));
  assert_true(activity_alloc(bench.netlist.nets, &bench.activity, &error));
  const energy_settings_t tree = {10, liberty_buffer(&bench.library), 2};
  const energy_t energy = energy_of(&bench.graph, &bench.activity, true, &tree);
  near(energy.clock, 6 * (0.012 + 0.034 + 4 * 0.004));
  near(energy.tree, 6 * 4 * 0.011);  // BUF has no internal power: pin and wire
  near(energy.unannotated, 1);
  bench.simulate = NULL;
  bench_close(&bench);
}
