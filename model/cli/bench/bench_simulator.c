// Whole simulations of the chip, each in a process of its own as a user would start it: with the arithmetic and
// without, with its memory units in Verilog and in C, and what a command takes that has nearly nothing to do.
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/bench/bench_section.h"
#include "host/files.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/program.h"

enum { WORDS_MAX = 32, WAYS_MAX = 4 };

typedef struct way {
  const char *title, *name;  // no name: no more ways
  const char *options;
} way_t;

// Simulations of one shape. The first way is what the others are compared with; all take the same cycles, but for
// firmware of the host.
typedef struct group {
  const char *title, *name;
  const char *arguments[2];  // of --size full and quick
  way_t ways[WAYS_MAX];
} group_t;

static const group_t groups[] = {
    {"simulations of AMLA on the chip",
     "simulator",
     {"run amla --config ascend910 --heads 128 --seq-q 2 --seq-kv 16384 --batch 96 --gm c --golden none",
      "run amla --config ascend910 --heads 128 --seq-q 2 --seq-kv 1024 --batch 4 --cores 4 --gm c --golden none"},
     {{"timing only", "timing_only", "--timing-only"},
      {"... firmware of the host", "timing_only_native", "--timing-only --firmware native"},
      {"everything, all threads", "functional", ""},
      {"everything, 1 thread", "functional_1_thread", "--threads 1"}}},
    {"memory units",
     "memory_units",
     {"run amla --config ascend910 --heads 128 --seq-q 2 --seq-kv 16384 --batch 8 --golden none",
      "run amla --heads 128 --seq-q 1 --seq-kv 512 --golden none"},
     {{"in C", "c", "--gm c"}, {"in Verilog", "rtl", "--gm rtl"}}},
    {"one AI core, as the README runs it",
     "core",
     {"run amla", "run amla"},
     {{"memory units in C", "gm_c", "--gm c"}, {"... in Verilog", "gm_rtl", ""}}},
};
enum { GROUPS = sizeof groups / sizeof *groups };

// A measured run, all 0 if it did not end well. Its seconds are those of the whole process.
typedef struct run {
  double seconds, processor_seconds, memory_mb, commands, cycles;
} run_t;

static run_t run(const char *arguments, const way_t *way, const char *json) {
  char line[512];
  const char *words[WORDS_MAX] = {PROGRAM_SELF};
  int count = 1;
  snprintf(line, sizeof line, "%s%s%s --quiet --json", arguments, *way->options == '\0' ? "" : " ", way->options);
  char *rest = line;
  while (rest != NULL && count < WORDS_MAX - 2) {
    words[count++] = strsep(&rest, " ");
  }
  words[count] = json;
  const double start = host_seconds();
  if (program_run(&(program_t){.argv = words}) != PROGRAM_DONE) {
    return (run_t){0};
  }
  run_t result = {.seconds = host_seconds() - start};
  cJSON *document = json_read(json);
  const cJSON *host = cJSON_GetObjectItem(document, "host");
  result.processor_seconds = json_number(host, "processor_seconds");
  result.memory_mb = json_number(host, "peak_rss_mb");
  result.commands = json_number(host, "commands");
  result.cycles = json_number(document, "cycles");
  cJSON_Delete(document);
  return result;
}

static void show(const bench_t *bench, const way_t *way, const run_t *run, const run_t *first, cJSON *object) {
  const double ratio = bench_ratio(run->seconds, first->seconds);
  bench_print(bench, "  %-24s%10.2f%12.2f", way->title, run->seconds, run->processor_seconds);
  bench_print(bench, "%10.0f%10.2f", run->memory_mb, ratio);
  bench_print_number(bench, 14, 1e9 * bench_ratio(run->processor_seconds, run->commands));
  bench_print(bench, "\n");
  cJSON *member = cJSON_AddObjectToObject(object, way->name);
  bench_put(member, "seconds", run->seconds);
  bench_put(member, "ratio", ratio);
  bench_put(member, "processor_seconds", run->processor_seconds);
  bench_put(member, "memory_mb", run->memory_mb);
  bench_put(member, "ns_per_command", 1e9 * bench_ratio(run->processor_seconds, run->commands));
}

static bool run_group(const bench_t *bench, const group_t *group, const char *json, base_error_t *error) {
  const char *arguments = group->arguments[bench->quick];
  cJSON *object = cJSON_AddObjectToObject(bench->root, group->name);
  cJSON_AddStringToObject(object, "command", arguments);
  bench_print(bench, "\n%s: %s\n  %-24s%10s%12s%10s%10s%14s\n", group->title, arguments, "", "seconds", "processor s",
              "MB", "ratio", "ns a command");
  run_t first = {0};
  for (const way_t *way = group->ways; way < group->ways + WAYS_MAX && way->name != NULL; ++way) {
    const run_t now = run(arguments, way, json);
    if (host_interrupted()) {
      return base_fail(error, "interrupted");
    }
    if (way == group->ways) {
      first = now;
      bench_put(object, "cycles", now.cycles);
    }
    show(bench, way, &now, &first, object);
    if (now.cycles != first.cycles && strstr(way->options, "native") == NULL) {
      return base_fail(error, "bench: %s: cycles differ between the simulations", group->title);
    }
  }
  return true;
}

bool bench_simulator(const bench_t *bench, base_error_t *error) {
  host_hold_interrupts();
  char *folder = host_new_folder();
  char json[4096];
  if (folder == NULL || snprintf(json, sizeof json, "%s/run.json", folder) >= (int)sizeof json) {
    host_release_interrupts();
    free(folder);
    return base_fail(error, "bench: no folder for temporary files in TMPDIR: %s", strerror(errno));
  }
  bool good = true;
  for (size_t i = 0; good && i < GROUPS; ++i) {
    good = run_group(bench, &groups[i], json, error);
  }
  host_remove_folder(folder);
  free(folder);
  host_release_interrupts();
  return good;
}
