// Config files and --set: the shipped machines load and differ as they say; each kind of mistake is named.
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "cli_test.h"
#include "config/config.h"
#include "config/system.h"

static char shipped[16384];

// The shipped die, which gives every value, with the line that starts with `line` replaced, in bad.yaml.
static void edit(const char *line, const char *replacement) {
  char text[sizeof shipped];
  char *at = strstr(shipped, line);
  assert_non_null(at);
  const char *end = strchr(at, '\n');
  const int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - shipped), shipped, replacement, end);
  write_file("bad.yaml", text, (size_t)length);
}

static void refuses(const char *line, const char *replacement, const char *field, const char *reason) {
  config_t config;
  base_error_t error;
  edit(line, replacement);
  if (config_load("bad.yaml", &config, &error)) {
    fail_msg("accepted: %s", replacement);
  }
  assert_contains(error.text, "bad.yaml");
  assert_contains(error.text, field);
  assert_contains(error.text, reason);
}

static int load_shipped(void **state) {
  char path[1024];
  FILE *file = config_find("ascend910_die", path, sizeof path) ? fopen(path, "rb") : NULL;
  if (file == NULL || enter_directory(state) != 0) {
    return 1;
  }
  shipped[fread(shipped, 1, sizeof shipped - 1, file)] = '\0';
  fclose(file);
  config_t config;
  base_error_t error;
  return !config_load(path, &config, &error) || config.soc.ai_cores != 24 || config.soc.clock_mhz != 1800;
}

// Line of the shipped config on which text stands, from 1.
static unsigned line_of(const char *text) {
  unsigned line = 1;
  for (const char *p = shipped; p < strstr(shipped, text); ++p) {
    line += *p == '\n';
  }
  return line;
}

TEST_GROUP(load_shipped, leave_directory)

TEST(files) {
  char where[64];
  snprintf(where, sizeof where, ":%u: scalar.cpi", line_of("  cpi:"));
  refuses("  cpi:", "  cpi: 1.0x", where, "expected a number from 0 to 100, got '1.0x'");
  refuses("  cpi:", "  cpi: nan", "scalar.cpi", "expected a number");
  refuses("  cpi:", "  cpi: -1", "scalar.cpi", "expected a number");
  refuses("  cpi:", "  cpi: [1]", "scalar.cpi", "expected one value");
  refuses("  cpi:", "  cpi:", "scalar.cpi", "expected a number");
  refuses("  cpi:", "", "scalar.cpi", "missing");
  refuses("  cpi:", "  cpj: 1", "scalar.cpj", "no such field");
  refuses("  queue_depth:", "  queue_depth: 010x", "scalar.queue_depth", "whole number");
  refuses("  queue_depth:", "  queue_depth: 0", "scalar.queue_depth", "from 1 to 4096");
  refuses("  queue_depth:", "  queue_depth: 2.5", "scalar.queue_depth", "whole number");
  refuses("  queue_depth:", "  cpi: 3", "scalar.cpi", "given twice");
  refuses("  slice_bytes:", "  slice_bytes: 500", "gm.slice_bytes", "power of two");
  refuses("soc:", "soc: 3", "soc", "");
  refuses("cube:", "cubes:", "cubes", "no such field");
  refuses("cube:", "cube", "bad.yaml", "");
  refuses("scalar:", "---", "bad.yaml", "");
}

static void machine(const char *name, config_t *config) {
  char path[1024];
  base_error_t error;
  assert_true(config_find(name, path, sizeof path));
  if (!config_load(path, config, &error)) {
    fail_msg("%s", error.text);
  }
}

// Every value of a machine: those of the die, but for some.
static void machine_is(const char *name, const char *const *differences) {
  config_t config, expected;
  base_error_t error;
  machine("ascend910_die", &expected);
  for (; *differences != NULL; ++differences) {
    assert_true(config_set(&expected, *differences, &error));
  }
  machine(name, &config);
  assert_memory_equal(&config, &expected, sizeof config);
}

TEST(machines) {
#define ONE_CORE "soc.launch_us=0", "soc.skew_us=0", "gm.slices=8"
  machine_is("ascend910", (const char *const[]){"soc.dies=2", "soc.ai_cores=48", "gm.slices=64", NULL});
  machine_is("ascend910_core", (const char *const[]){"soc.ai_cores=1", ONE_CORE, NULL});
  machine_is("ascend910_pair", (const char *const[]){"soc.ai_cores=2", ONE_CORE, NULL});
  machine_is("engines", (const char *const[]){"soc.ai_cores=1", "soc.engines=4", ONE_CORE, NULL});
#undef ONE_CORE
}

static void write_text(const char *path, const char *text) { write_file(path, text, strlen(text)); }

TEST(includes) {
  config_t config, expected;
  base_error_t error;
  assert_int_equal(mkdir("mine", 0700), 0);
  write_text("mine/top.yaml", "cube: {l1_kb: 1024}\ninclude: below.yaml\n");
  write_text("mine/below.yaml", "include: engines\ncube:\n  l1_kb: 256\nscalar:\n  cpi: 0.5\n");
  machine("mine/top.yaml", &config);
  machine("engines", &expected);
  expected.cube.l1_kb = 1024;
  expected.scalar.cpi = 0.5;
  assert_memory_equal(&config, &expected, sizeof config);

  // A value is refused where it stands.
  write_text("mine/below.yaml", "include: engines\nscalar:\n  cpi: 5x\n");
  assert_false(config_load("mine/top.yaml", &config, &error));
  assert_contains(error.text, "mine/below.yaml:3: scalar.cpi: expected a number");
}

static void refuses_include(const char *text, const char *reason) {
  config_t config;
  base_error_t error;
  write_text("bad.yaml", text);
  if (config_load("bad.yaml", &config, &error)) {
    fail_msg("accepted: %s", text);
  }
  assert_contains(error.text, reason);
}

TEST(no_includes) {
  write_text("round.yaml", "include: bad.yaml\n");
  write_text("part.yaml", "soc: {dies: 2}\n");
  refuses_include("soc: {dies: 1}\ninclude: none.yaml\n", "bad.yaml:2: include: none.yaml: No such file");
  refuses_include("include: ascend911\n", "did you mean ascend910?");
  refuses_include("include: bad.yaml\n", "bad.yaml:1: include: a circle");
  refuses_include("include: round.yaml\n", "round.yaml:1: include: a circle: 'bad.yaml'");
  refuses_include("include: ./part.yaml\n", "without a folder, got './part.yaml'");
  refuses_include("include: part.yaml\n", "part.yaml: soc.ai_cores: missing");
  refuses_include("include:\n", "bad.yaml:1: include: expected a machine's name");
  refuses_include("include: [engines]\n", "bad.yaml:1: include: expected one value");
  refuses_include("include: engines\ninclude: engines\n", "include: given twice");
  refuses_include("include: engines\nsoc: {dyes: 1}\n", "bad.yaml:2: soc.dyes: no such field");
  refuses_include("soc: {include: engines}\n", "soc.include: no such field");
}

TEST(no_files) {
  config_t config;
  base_error_t error;
  assert_false(config_load("none.yaml", &config, &error));
  assert_contains(error.text, "none.yaml: No such file");
  assert_false(config_load(".", &config, &error));
  write_file("empty.yaml", "", 0);
  assert_false(config_load("empty.yaml", &config, &error));
  assert_contains(error.text, "empty");
  write_file("binary.yaml", "\xff\xfe\x00\x01", 4);
  assert_false(config_load("binary.yaml", &config, &error));
  assert_contains(error.text, "binary.yaml");
}

TEST(assignments) {
  config_t config = {0};
  base_error_t error;
  assert_true(config_set(&config, "soc.clock_mhz=1e3", &error));
  assert_true(config.soc.clock_mhz == 1000);
  assert_true(config_set(&config, "cube.mac_n=32", &error));
  assert_int_equal(config.cube.mac_n, 32);
  static const char *const bad[] = {"",
                                    "=",
                                    "soc=1",
                                    "soc.=1",
                                    "soc.clock_mhz",
                                    "soc.clock_mhz=",
                                    "soc.clock_mhz=0",
                                    "soc.clock_mhz=1 ",
                                    "soc.clock_mhz= 1",
                                    "soc.clock_mhz=inf",
                                    "cube.mac_n=32.0",
                                    "cube.mac_n=+32",
                                    "cube.wheels=4",
                                    "cub.mac_n=32",
                                    "gm.slice_bytes=96"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    if (config_set(&config, bad[i], &error)) {
      fail_msg("accepted: %s", bad[i]);
    }
    assert_null(strchr(error.text, '\n'));
  }
  assert_int_equal(config.cube.mac_n, 32);
}

// --- systems ----------------------------------------------------------------------------------

static system_t read_system(const char *name) {
  system_t system;
  base_error_t error;
  if (!system_open(name, &system, &error)) {
    fail_msg("%s", error.text);
  }
  return system;
}

TEST(systems) {
  config_t config;
  base_error_t error;
  const char *const names[] = {"system910c", "server910b", "supernode384"};
  const unsigned dies[] = {16, 8, 384};
  for (size_t i = 0; i < sizeof dies / sizeof *dies; ++i) {
    const system_t system = read_system(names[i]);
    assert_int_equal(system.dies, dies[i]);
    assert_true(config_open(system.machine, &config, &error));
  }
  const system_t node = read_system("supernode384");
  assert_int_equal(system_level_of(&node, 0, 1), 0);  // of one package
  assert_int_equal(system_level_of(&node, 1, 2), 1);
  assert_int_equal(system_level_of(&node, 15, 0), 1);
  assert_int_equal(system_level_of(&node, 15, 16), 2);
  assert_true(node.level[1].topology == SYSTEM_SWITCHED && node.level[0].gbps == 224);
}

#define LEVEL \
  "- {name: n, topology: mesh, dies: %s, gbps: %s, latency_us: 1, message_us: 0, load_gbps: 2, store_gbps: 3}\n"

// A system of two levels, with some of its texts another.
static void refuses_system(const char *machine, const char *first, const char *gbps, const char *last,
                           const char *reason) {
  system_t system;
  base_error_t error;
  char text[1024];
  snprintf(text, sizeof text, "%s\ndies: 4\nwindow_mb: 64\nlevels:\n" LEVEL LEVEL, machine, first, gbps, last, "5");
  write_text("system.yaml", text);
  if (system_open("system.yaml", &system, &error)) {
    assert_null(reason);
    return;
  }
  assert_non_null(reason);
  assert_contains(error.text, "system.yaml");
  assert_contains(error.text, reason);
}

TEST(no_systems) {
  system_t system;
  base_error_t error;
  refuses_system("machine: m", "2", "7", "4", NULL);
  refuses_system("", "2", "7", "4", "machine: missing");
  refuses_system("machine: m\nlinks: 3", "2", "7", "4", "links: no such field in a system");
  refuses_system("machine: m", "2", "7x", "4", "levels[0].gbps: expected a number from 0.01 to 100000, got '7x'");
  refuses_system("machine: m", "1", "7", "4", "levels[0].dies: expected a whole number from 2 to 384, got '1'");
  refuses_system("machine: m", "3", "7", "4", "levels[1].dies: expected a multiple of 3 and more than that, got 4");
  refuses_system("machine: m", "2", "7", "8", "levels: expected one or more, of which the last joins all dies");
  write_text("system.yaml", "machine: m\ndies: 4\nwindow_mb: 64\n");
  assert_false(system_open("system.yaml", &system, &error));
  assert_contains(error.text, "levels: expected one or more");
  write_text("system.yaml", "machine: m\ndies: 2\nwindow_mb: 64\nlevels:\n- {name: n, topology: star}\n");
  assert_false(system_open("system.yaml", &system, &error));
  assert_contains(error.text, "levels[0].topology: expected mesh or switched");
  assert_false(system_open("system910d", &system, &error));
  assert_contains(error.text, "no such system; there are server910b, supernode384 and system910c");
}
