// A report's document and its template: members, lists, what is missing, what is for the template alone.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cli_test.h"
#include "report/document.h"

static cJSON *document(void) {
  cJSON *root = cJSON_CreateObject();
  report_put(root, NUMBER("batch", 96), TEXT(".name", "fig7"), NUMBER("none", NAN));
  cJSON *rows = cJSON_AddArrayToObject(root, "rows");
  report_row(rows, NUMBER("d", 32), NUMBER("fu", 0.4094), TEXT("mode", "one"), NUMBER("paper/time_us", 95),
             NUMBER("paper/fu", 0.409));
  report_row(rows, NUMBER("d", 64), NUMBER("fu", 1234567.5), TEXT("mode", "two"), NOTHING("paper"), NUMBER(".more", 7),
             FLAG("good", true));
  return root;
}

// Compares the template's text for the document.
static void assert_prints(const char *template, const char *none, const char *wanted) {
  char *text = NULL;
  size_t bytes;
  char missing[64];
  cJSON *root = document();
  FILE *file = open_memstream(&text, &bytes);
  assert_true(report_print(file, root, template, template + strlen(template), none, missing));
  fclose(file);
  assert_string_equal(text, wanted);
  free(text);
  cJSON_Delete(root);
}

static void assert_misses(const char *template, const char *name) {
  char missing[64];
  cJSON *root = document();
  FILE *file = fopen("/dev/null", "w");
  assert_false(report_print(file, root, template, template + strlen(template), "", missing));
  fclose(file);
  assert_string_equal(missing, name);
  cJSON_Delete(root);
}

TEST(test_members) {
  assert_prints("{batch} {batch:1} {batch:+0} {batch*0.5:2}", "", "96 96.0 +96 48.00");
  assert_prints("{rows/1/fu} {rows/1/fu:g} {rows/1/fu:3g}", "", "1234567.5 1.23457e+06 1.23e+06");
  assert_prints("{rows/0/mode}, {.name}; {2^{-D}} {", "", "one, fig7; {2^{-D}} {");
  assert_prints("{rows/0/paper/fu*100:1}|{rows/1/paper/fu*100:1}|{none:1}", "", "40.9||");
  assert_prints("{rows/1/paper/fu} {gone?} {none}", "NaN", "NaN NaN NaN");
}

TEST(test_lists) {
  assert_prints("a\n@rows | {d} | {paper/time_us:0} | {batch} |\nb\n", "", "a\n| 32 | 95 | 96 |\n| 64 |  | 96 |\nb\n");
  assert_prints("@rows|d=64 {mode}\n@ {fu:0}\n@rows|mode=one {d}", "", "two\n1234568\n32");
  assert_prints("@rows/0 {mode}\n@rows/1/paper {time_us}\n@gone? x\n.", "", "one\n.");
}

TEST(test_missing) {
  assert_misses("{batch} {gone} {other}", "gone");
  assert_misses("@rows {paper/gone}\n", "paper/gone");
  assert_misses("@gone {d}\n", "gone");
}

TEST(test_strip) {
  cJSON *root = document();
  report_strip(root);
  char *text = cJSON_PrintUnformatted(root);
  assert_string_equal(text,
                      "{\"batch\":96,\"none\":null,\"rows\":[{\"d\":32,\"fu\":0.4094,\"mode\":\"one\","
                      "\"paper\":{\"time_us\":95,\"fu\":0.409}},{\"d\":64,\"fu\":1234567.5,"
                      "\"mode\":\"two\",\"paper\":null,\"good\":true}]}");
  cJSON_free(text);
  cJSON_Delete(root);
}

TEST(test_plot) {
  static const char text[] = "a\n```gnuplot {.name} bars size 960,420\nplot x\n```\nb\n";
  cJSON *root = document();
  const report_plot_t plot = report_plot(root, text);
  assert_string_equal(plot.name, "fig7");
  assert_string_equal(plot.size, "960,420");
  assert_true(plot.bars);
  assert_ptr_equal(plot.at, text + 2);
  assert_memory_equal(plot.script, "plot x\n", (size_t)(plot.end - plot.script));
  assert_string_equal(plot.after, "b\n");
  assert_string_equal(report_plot(root, "a\n").name, "");
  cJSON_Delete(root);
}
