// SPDX-License-Identifier: Apache-2.0
#include "soc/joules.h"

#include <string.h>

// Joules of one unit of an entry: picojoules each, or watts for the run's time.
static double unit_of(const char *entry, double seconds) {
  const size_t length = strlen(entry);
  return length > 2 && strcmp(entry + length - 2, "_w") == 0 ? seconds : 1e-12;
}

static void add(joules_t *energy, size_t i, const char *name, joules_kind_t kind, double each, double count,
                double factor) {
  const double joules = each * count;
  const joules_part_t part = {name, kind, joules, joules / factor, joules * factor};
  energy->part[i] = part;
  energy->joules += part.joules;
  energy->low += part.low;
  energy->high += part.high;
  energy->by_kind[kind] += part.joules;
}

joules_t joules_of(const config_t *config, const soc_result_t *s) {
  const core_work_t *w = &s->work;
  const config_soc_t *m = &config->soc;
  joules_t energy = {.seconds = (double)s->cycles / (config->soc.clock_mhz * 1e6)};
  size_t i = 0;
#define JOULES(name, KIND, entry, factor, count)                                                                  \
  add(&energy, i++, name, JOULES_##KIND, unit_of(#entry, energy.seconds) * config->energy.entry, (double)(count), \
      factor);
#include "soc/joules.def"
  return energy;
}

double joules_watts(const joules_t *energy) { return energy->seconds > 0 ? energy->joules / energy->seconds : 0; }

const char *joules_kind_name(joules_kind_t kind) {
  static const char *const names[JOULES_KINDS] = {"arithmetic", "buffers", "L2 and links", "HBM", "standing"};
  return names[kind];
}
