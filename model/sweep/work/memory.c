// SPDX-License-Identifier: Apache-2.0
#include "sweep/work/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/files.h"

static const double room = 1.25;     // of what is expected, over what was seen beside it
static const double first_mb = 300;  // where nothing is known yet
static const double share = 0.9;     // of what is free

// "MemAvailable:  1234 kB"
static double available_mb(void) {
  static const char name[] = "MemAvailable:";
  char text[4096];
  host_read_text("/proc/meminfo", text, sizeof text);
  const char *line = strstr(text, name);
  return line == NULL ? 0 : strtod(line + sizeof name - 1, NULL) / 1024;
}

static double read_mb(const char *folder, const char *name) {
  char path[512], text[64];
  snprintf(path, sizeof path, "/sys/fs/cgroup%.400s/%s", folder, name);
  host_read_text(path, text, sizeof text);
  return strtod(text, NULL) / 1048576;  // of "max" 0
}

// The memory left to the innermost group of processes that has a limit; 0: none has one.
static double group_mb(void) {
  char folder[400] = "", text[4096];
  if (!host_read_text("/proc/self/cgroup", text, sizeof text)) {
    return 0;
  }
  const bool found = sscanf(text, "0::%399s", folder) == 1;
  while (found && folder[0] != '\0') {
    const double most = read_mb(folder, "memory.max");
    if (most > 0) {
      return most - read_mb(folder, "memory.current");
    }
    *strrchr(folder, '/') = '\0';
  }
  return read_mb("", "memory.max");
}

double memory_free_mb(void) {
  const double here = available_mb(), group = group_mb();
  const double free_mb = group > 0 && group < here ? group : here;
  return free_mb > 0 ? share * free_mb : 1e9;  // nobody says
}

double memory_expected(const memory_t *memory, size_t point) {
  const study_t *study = memory->study;
  double most = 0;
  size_t stride = 1;
  for (size_t a = study->axes; a-- > 0; stride *= study->axis[a].count) {
    const size_t value = point / stride % study->axis[a].count;
    const double below = value > 0 ? (double)memory->peak[point - stride] : 0;
    const double above = value + 1 < study->axis[a].count ? (double)memory->peak[point + stride] : 0;
    most = below > most ? below : most;
    most = above > most ? above : most;
  }
  most = most > 0 ? most : memory->most;
  return most > 0 ? room * most : first_mb;
}

bool memory_fits(const memory_t *memory, double mb) { return memory->taken <= 0 || memory->taken + mb <= memory->all; }
