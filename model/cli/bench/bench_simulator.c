// Whole simulations of the chip, each in a process of its own as a user would start it: with the
// arithmetic and without.
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench_section.h"
#include "host/files.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/program.h"

enum { WORDS_MAX = 32 };

typedef struct way {
  const char *title, *name;
  const char *options;
} way_t;

// The last is what the others are compared with.
static const way_t ways[] = {
    {"arithmetic, 1 thread", "functional_1_thread", "--threads 1 --golden none"},
    {"arithmetic, all threads", "functional", "--golden none"},
    {"timing only", "timing_only", "--timing-only"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const char *const shapes[] = {
    "--batch 96 --seq-q 2 --seq-kv 16384",
    "--batch 4 --cores 4 --seq-q 2 --seq-kv 1024",
};

// Seconds from start to end, 0: it did not end well.
static double run(const char *shape, const way_t *way, const char *json) {
  char line[512];
  const char *words[WORDS_MAX] = {PROGRAM_SELF};
  int count = 1;
  snprintf(line, sizeof line, "run amla --config ascend910 --heads 128 %s --gm c %s --quiet --json", shape,
           way->options);
  char *rest = line;
  while (rest != NULL && count < WORDS_MAX - 2) {
    words[count++] = strsep(&rest, " ");
  }
  words[count] = json;
  const double start = host_seconds();
  const program_end_t how = program_run(&(program_t){.argv = words});
  return how == PROGRAM_DONE ? host_seconds() - start : 0;
}

static double cycles_of(const char *json) {
  char text[4096];
  FILE *file = fopen(json, "r");
  const size_t length = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
  if (file != NULL) {
    fclose(file);
  }
  text[length] = '\0';
  const char *cycles = strstr(text, "\"cycles\":");
  return cycles == NULL ? 0 : strtod(cycles + strlen("\"cycles\":"), NULL);
}

static void show(const bench_t *bench, const double seconds[WAYS], double cycles) {
  cJSON *simulator = cJSON_AddObjectToObject(bench->root, "simulator");
  cJSON_AddStringToObject(simulator, "shape", shapes[bench->quick]);
  bench_put(simulator, "cycles", cycles);
  for (size_t i = 0; i < WAYS; ++i) {
    const double ratio = bench_ratio(seconds[i], seconds[WAYS - 1]);
    bench_print(bench, "  %-24s", ways[i].title);
    bench_print(bench, "%10.2f", seconds[i]);
    bench_print_number(bench, 18, ratio);
    bench_print(bench, "\n");
    cJSON *way = cJSON_AddObjectToObject(simulator, ways[i].name);
    bench_put(way, "seconds", seconds[i]);
    bench_put(way, "ratio", ratio);
  }
}

static bool measure(const bench_t *bench, const char *json, base_error_t *error) {
  double seconds[WAYS];
  double cycles = 0;
  bool equal = true;
  for (size_t i = 0; i < WAYS; ++i) {
    seconds[i] = run(shapes[bench->quick], &ways[i], json);
    if (host_interrupted()) {
      return base_fail(error, "interrupted");
    }
    equal = equal && (i == 0 || cycles == cycles_of(json));
    cycles = cycles_of(json);
  }
  show(bench, seconds, cycles);
  return equal || base_fail(error, "bench: cycles differ between the simulations");
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
  bench_print(bench, "\nsimulations of AMLA, %s\n  %-24s%10s%18s\n", shapes[bench->quick], "",
              "seconds", "x timing only");
  const bool good = measure(bench, json, error);
  host_remove_folder(folder);
  free(folder);
  host_release_interrupts();
  return good;
}
