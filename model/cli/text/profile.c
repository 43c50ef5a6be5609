// SPDX-License-Identifier: Apache-2.0
#include "cli/text/profile.h"

#include <stdlib.h>
#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "host/interrupt.h"

enum { LINES_SHOWN = 16, NAME_BYTES = 48 };

typedef struct bar {
  const char *core, *pipe, *line;  // line "": of all
  char command[NAME_BYTES];
  double count, cycles, share;
} bar_t;

static bar_t take(const cJSON *row, bool lines) {
  bar_t bar = {.core = json_text(row, "core"),
               .pipe = json_text(row, "pipe"),
               .line = lines ? json_text(row, "line") : "",
               .count = json_number(row, "count"),
               .cycles = json_number(row, "cycles"),
               .share = json_number(row, "share")};
  const char *op = json_text(row, "op");
  snprintf(bar.command, sizeof bar.command, "%s%s%s", json_text(row, "command"), op[0] == '\0' ? "" : " ", op);
  return bar;
}

static bool is_same(const bar_t *a, const bar_t *b) {
  return strcmp(a->core, b->core) == 0 && strcmp(a->pipe, b->pipe) == 0 && strcmp(a->line, b->line) == 0 &&
         strcmp(a->command, b->command) == 0;
}

static void add(bar_t *bars, size_t *count, const bar_t *bar) {
  size_t i = 0;
  while (i < *count && !is_same(&bars[i], bar)) {
    ++i;
  }
  if (i == *count) {
    bars[(*count)++] = *bar;
    return;
  }
  bars[i].count += bar->count;
  bars[i].cycles += bar->cycles;
  bars[i].share += bar->share;
}

// Most of its pipe first.
static int by_share(const void *a, const void *b) {
  const double first = ((const bar_t *)a)->share, second = ((const bar_t *)b)->share;
  return (first < second) - (first > second);
}

static void print(FILE *file, const cJSON *profile, bar_t *bars, bool lines) {
  const cJSON *row;
  size_t count = 0;
  cJSON_ArrayForEach(row, profile) {
    const bar_t bar = take(row, lines);
    add(bars, &count, &bar);
  }
  qsort(bars, count, sizeof *bars, by_share);
  const size_t shown = lines && count > LINES_SHOWN ? LINES_SHOWN : count;
  fprintf(file, "%s\n  %-7s %-5s %-16s %9s %11s %6s%s\n", lines ? "by line of firmware" : "by command", "core", "pipe",
          "command", "count", "cycles", "%", lines ? "  line" : "");
  for (size_t i = 0; i < shown; ++i) {
    const bar_t *b = &bars[i];
    fprintf(file, "  %-7s %-5s %-16s %9.0f %11.0f %6.1f%s%s\n", b->core, b->pipe, b->command, b->count, b->cycles,
            100 * b->share, lines ? "  " : "", b->line);
  }
  if (shown < count) {
    fprintf(file, "  and %zu more; --json and --csv have all\n", count - shown);
  }
}

void text_profile(FILE *file, const cJSON *profile) {
  bar_t *bars = calloc((size_t)cJSON_GetArraySize(profile) + 1, sizeof *bars);
  if (bars == NULL) {
    host_out_of_memory();
    return;
  }
  fputs("what commands took, waits included; % of the time of all pipes of that name\n", file);
  print(file, profile, bars, false);
  print(file, profile, bars, true);
  free(bars);
}
