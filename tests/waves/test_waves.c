// Waveform files: what is written is read back, by GTKWave's reader; the last cycles before an error are
// those of the whole file; scopes; windows as text.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <gtkwave/fstapi.h>
#include "test.h"
#include "waves/waves.h"
#include "waves/waves_window.h"

enum { SIGNALS = 6, MOST_CHANGES = 4096, TEXT = 96 };

// A file read back: changes in order, and its signals' full names.
typedef struct change {
  uint64_t time;
  unsigned handle;
  char value[TEXT];
} change_t;

static struct {
  size_t count;
  change_t changes[MOST_CHANGES];
  size_t names;
  char name[64][TEXT];
  unsigned handle[64];
  char labels[64][TEXT];  // "0=off 1=on", "" where there are none
} read_back;

static char path[64];

static void note(void *user, uint64_t time, fstHandle handle, const unsigned char *value) {
  (void)user;
  assert_true(read_back.count < MOST_CHANGES);
  change_t *change = &read_back.changes[read_back.count++];
  *change = (change_t){.time = time, .handle = handle};
  strncpy(change->value, (const char *)value, TEXT - 1);
}

static void note_varlen(void *user, uint64_t time, fstHandle handle, const unsigned char *value, uint32_t length) {
  (void)length;
  note(user, time, handle, value);
}

// A table of names as text, as a reader takes it from the file: "0=off 1=on".
static void read_table(const char *written, char text[TEXT]) {
  struct fstETab *table = fstUtilityExtractEnumTableFromString(written);
  assert_non_null(table);
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < table->elem_count && used < TEXT; ++i) {
    used += (size_t)snprintf(text + used, TEXT - used, "%s%s=%s", i == 0 ? "" : " ", table->val_arr[i],
                             table->literal_arr[i]);
  }
  fstUtilityFreeEnumTable(table);
}

static void read_file(void) {
  void *file = fstReaderOpen(path);
  assert_non_null(file);
  read_back.count = read_back.names = 0;
  enum { TABLES = 8 };
  static char tables[TABLES][TEXT];
  uint64_t table = 0;  // of the next signal
  for (struct fstHier *h; (h = fstReaderIterateHier(file)) != NULL;) {
    if (h->htyp == FST_HT_SCOPE) {
      fstReaderPushScope(file, h->u.scope.name, NULL);
    } else if (h->htyp == FST_HT_UPSCOPE) {
      fstReaderPopScope(file);
    } else if (h->htyp == FST_HT_ATTRBEGIN && h->u.attr.subtype == FST_MT_ENUMTABLE) {
      table = h->u.attr.arg;
      assert_in_range(table, 1, TABLES - 1);
      if (h->u.attr.name_length != 0) {
        read_table(h->u.attr.name, tables[table]);
      }
    } else if (h->htyp == FST_HT_VAR) {
      strcpy(read_back.labels[read_back.names], table == 0 ? "" : tables[table]);
      table = 0;
      const char *scope = fstReaderGetCurrentFlatScope(file);
      snprintf(read_back.name[read_back.names], TEXT, "%s.%s", scope == NULL ? "" : scope, h->u.var.name);
      read_back.handle[read_back.names++] = h->u.var.handle;
    }
  }
  fstReaderSetFacProcessMaskAll(file);
  assert_int_equal(fstReaderIterBlocks2(file, note, note_varlen, NULL, NULL), 1);
  fstReaderClose(file);
}

static unsigned handle_of(const char *name) {
  for (size_t i = 0; i < read_back.names; ++i) {
    if (strcmp(read_back.name[i], name) == 0) {
      return read_back.handle[i];
    }
  }
  fail_msg("no signal %s", name);
  return 0;
}

static const char *value_at(const char *name, uint64_t time) {
  const unsigned handle = handle_of(name);
  const char *value = "none";
  for (size_t i = 0; i < read_back.count && read_back.changes[i].time <= time; ++i) {
    if (read_back.changes[i].handle == handle) {
      value = read_back.changes[i].value;
    }
  }
  return value;
}

static const char *labels_of(const char *name) {
  size_t i = 0;
  while (i < read_back.names && strcmp(read_back.name[i], name) != 0) {
    ++i;
  }
  return i < read_back.names ? read_back.labels[i] : "no such signal";
}

static waves_t *make(const char *const *scopes, size_t count, uint64_t keep) {
  const waves_options_t options = {
      .path = path, .unit = "1ps", .per_cycle = 10, .scopes = scopes, .scope_count = count, .keep = keep};
  waves_t *waves = waves_new(&options);
  assert_non_null(waves);
  return waves;
}

static int set_up(void **state) {
  (void)state;
  strcpy(path, "/tmp/test_waves.XXXXXX");
  const int file = mkstemp(path);
  return file < 0 || close(file) != 0;
}

static int tear_down(void **state) {
  (void)state;
  return unlink(path) != 0;
}

TEST_WITH(values_come_back, set_up, tear_down) {
  static const char *const labels[] = {"off", "on", NULL};
  char message[WAVES_MESSAGE_BYTES];
  waves_t *waves = make(NULL, 0, 0);
  const waves_port_t *port = waves_port(waves);
  const uint32_t bit = waves_signal(waves, "a.b.bit", 1, labels);
  const uint32_t word = waves_signal(waves, "a.word", 37, NULL);
  const uint32_t real = waves_real(waves, "real");
  const waves_declared_t wide = {"a.b.wide", 70, true, 69, 0, 1, 0, false};
  const uint32_t wide_signal = port->declare(port->waves, &wide);
  const waves_declared_t other = {"a.z.other_name", 70, true, 69, 0, 1, wide_signal, false};
  assert_int_equal(port->declare(port->waves, &other), wide_signal);
  const waves_declared_t clock = {"a.b.clk_i", 1, false, 0, 0, 1, 0, true};
  const uint32_t clock_signal = port->declare(port->waves, &clock);
  assert_true(waves_begin(waves, message));
  waves_at(waves, 0);
  waves_set(waves, bit, 0);
  waves_set(waves, word, 0x1234567890);
  waves_set_real(waves, real, -2.5);
  waves_at(waves, 3);
  waves_set(waves, bit, 1);
  uint32_t *to = port->room(port->waves, 4);
  to[0] = wide_signal;
  to[1] = 0x80000001;
  to[2] = 0xFFFFFFFF;
  to[3] = 0x2A;
  port->done(port->waves, to + 4);
  port->clock(port->waves, clock_signal);
  waves_at(waves, 4);
  waves_open_window(waves, false);
  waves_set(waves, bit, 0);
  assert_true(waves_end(waves, false));
  waves_delete(waves);
  read_file();
  assert_int_equal(read_back.names, SIGNALS);
  assert_string_equal(value_at("a.b.bit", 29), "0");
  assert_string_equal(value_at("a.b.bit", 30), "1");
  assert_string_equal(value_at("a.b.bit", 99), "1");
  assert_string_equal(value_at("a.word [36:0]", 5), "1001000110100010101100111100010010000");
  assert_string_equal(value_at("a.b.clk_i", 34), "1");
  assert_string_equal(value_at("a.b.clk_i", 35), "0");
  const char *bits = "1010101111111111111111111111111111111110000000000000000000000000000001";
  assert_string_equal(value_at("a.b.wide [69:0]", 30), bits);
  assert_string_equal(value_at("a.z.other_name [69:0]", 30), bits);
  assert_true(strtod(value_at(".real", 30), NULL) == -2.5);
}

// Also where a signal's name has a range, and a space before that.
TEST_WITH(values_have_names, set_up, tear_down) {
  static const char *const switched[] = {"off", "on", NULL};
  static const char *const colours[] = {"red", "amber green", "green", NULL};
  char message[WAVES_MESSAGE_BYTES];
  waves_t *waves = make(NULL, 0, 0);
  waves_signal(waves, "a.bit", 1, switched);
  waves_signal(waves, "a.light", 2, colours);
  waves_signal(waves, "a.other", 2, NULL);
  waves_signal(waves, "b.light", 3, colours);
  assert_true(waves_begin(waves, message));
  waves_at(waves, 0);
  assert_true(waves_end(waves, false));
  waves_delete(waves);
  read_file();
  assert_string_equal(labels_of("a.bit"), "0=off 1=on");
  assert_string_equal(labels_of("a.light [1:0]"), "00=red 01=amber green 10=green");
  assert_string_equal(labels_of("a.other [1:0]"), "");
  assert_string_equal(labels_of("b.light [2:0]"), "000=red 001=amber green 010=green");
}

// Random changes, written whole and as the last cycles: from the cut on both files say the same.
TEST_WITH(the_last_cycles_are_those_of_the_whole, set_up, tear_down) {
  enum { CYCLES = 60000, KEEP = 300, CUT = CYCLES - 1 - KEEP };
  static char whole[SIGNALS][KEEP + 1][TEXT];
  char message[WAVES_MESSAGE_BYTES];
  for (int kept = 0; kept < 2; ++kept) {
    waves_t *waves = make(NULL, 0, kept == 0 ? 0 : KEEP);
    uint32_t signal[SIGNALS];
    char name[TEXT];
    for (unsigned i = 0; i < SIGNALS; ++i) {
      snprintf(name, sizeof name, "s%u.x", i);
      signal[i] = waves_signal(waves, name, 8 * i + 1, NULL);
    }
    assert_true(waves_begin(waves, message));
    uint64_t random = 1;
    for (uint64_t cycle = 0; cycle < CYCLES; ++cycle) {
      waves_at(waves, cycle);
      for (unsigned i = 0; i < SIGNALS; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        // The last signal's only change is long before the cut.
        const bool changes = i == SIGNALS - 1 ? cycle == 7 : random >> 62 == 0;
        // Few in the whole file, so that it can be read back.
        if (changes && (kept != 0 || cycle == 7 || cycle >= CUT - 200)) {
          waves_set(waves, signal[i], random >> 20);
        }
      }
    }
    assert_true(waves_end(waves, true));
    waves_delete(waves);
    read_file();
    if (kept != 0) {
      assert_int_equal(read_back.changes[0].time, CUT * 10);
    }
    for (unsigned i = 0; i < SIGNALS; ++i) {
      snprintf(name, sizeof name, i == 0 ? "s%u.x" : "s%u.x [%u:0]", i, 8 * i);
      for (unsigned at = 0; at <= KEEP; ++at) {
        const char *value = value_at(name, (CUT + at) * 10);
        if (kept == 0) {
          strcpy(whole[i][at], value);
        } else {
          assert_string_equal(value, whole[i][at]);
        }
      }
    }
  }
}

TEST_WITH(nothing_is_kept_of_a_good_run, set_up, tear_down) {
  char message[WAVES_MESSAGE_BYTES];
  waves_t *waves = make(NULL, 0, 5);
  const uint32_t signal = waves_signal(waves, "x", 4, NULL);
  assert_true(waves_begin(waves, message));
  waves_at(waves, 1);
  waves_set(waves, signal, 9);
  assert_true(waves_end(waves, false));
  waves_delete(waves);
  void *file = fstReaderOpen(path);  // empty, as it was made
  assert_null(file);
}

TEST_WITH(scopes_choose, set_up, tear_down) {
  static const char *const scopes[] = {"cube0.m*", "*.g_block[1]"};
  static const char *const none[] = {"cube0", "nothing*"};
  char message[WAVES_MESSAGE_BYTES];
  waves_t *waves = make(scopes, 2, 0);
  assert_true(waves_signal(waves, "cube0.mte1.state", 3, NULL) != 0);
  assert_true(waves_signal(waves, "cube0.m.queue", 3, NULL) != 0);
  assert_true(waves_signal(waves, "top.g_block[1].deep.x", 3, NULL) != 0);
  assert_int_equal(waves_signal(waves, "top.g_block1.x", 3, NULL), 0);
  assert_int_equal(waves_signal(waves, "top.g_block[12].x", 3, NULL), 0);
  assert_int_equal(waves_signal(waves, "cube0.fix.state", 3, NULL), 0);
  assert_int_equal(waves_signal(waves, "cube01.m.state", 3, NULL), 0);
  assert_true(waves_begin(waves, message));
  assert_true(waves_end(waves, false));
  waves_delete(waves);
  waves = make(none, 2, 0);
  assert_true(waves_signal(waves, "cube0.m.state", 3, NULL) != 0);
  assert_false(waves_begin(waves, message));
  assert_non_null(strstr(message, "nothing*"));
  waves_delete(waves);
}

TEST(windows_are_read) {
  waves_window_t window;
  assert_true(waves_window_parse("10:20", &window));
  assert_int_equal(window.from.cycle, 10);
  assert_int_equal(window.to.cycle, 20);
  assert_true(waves_window_parse(":", &window));
  assert_true(window.from.cycle == 0 && window.to.cycle == 0 && window.to.command[0] == '\0');
  assert_true(waves_window_parse("MMAD#3:cube12.FIX.set_flag#7", &window));
  assert_string_equal(window.from.command, "mmad");
  assert_string_equal(window.from.core, "");
  assert_int_equal(window.from.number, 3);
  assert_string_equal(window.to.core, "cube12");
  assert_string_equal(window.to.pipe, "fix");
  assert_string_equal(window.to.command, "set_flag");
  assert_int_equal(window.to.number, 7);
  assert_true(waves_window_parse("5:vec#1", &window));
  static const char *const bad[] = {"",
                                    "7",
                                    "9:9",
                                    "9:3",
                                    "1:0",
                                    "a:b",
                                    "mmad:3",
                                    "mmad#:",
                                    "mmad#0:",
                                    "mmad#x:",
                                    "-1:3",
                                    "1:2:3",
                                    ".m#1:",
                                    "c..m#1:",
                                    "a.b.c.d#1:",
                                    "mm d#1:",
                                    "99999999999999999999999:",
                                    "a_core_with_a_very_long_name.m#1:"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    if (waves_window_parse(bad[i], &window)) {
      fail_msg("'%s' is taken for a window", bad[i]);
    }
  }
}
