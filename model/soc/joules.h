// The energy of a run on the SoC, by part: what its commands did (core/work.h) and moved, times what each costs
// (config's section energy), and watts times the time that it took.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_JOULES_H
#define AMALGAM_SOC_JOULES_H

#include "config/config.h"
#include "soc/soc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  JOULES_PARTS = 0
#define JOULES(part, kind, entry, factor, count) +1
#include "soc/joules.def"
};

// Where in the chip a part is; STANDING: what time takes.
typedef enum joules_kind {
  JOULES_ARITHMETIC,
  JOULES_BUFFERS,
  JOULES_CHIP,
  JOULES_MEMORY,
  JOULES_STANDING,
  JOULES_KINDS
} joules_kind_t;

typedef struct joules_part {
  const char *part;
  joules_kind_t kind;
  double joules, low, high;  // low, high: with its entry at the ends of what it may be
} joules_part_t;

typedef struct joules {
  joules_part_t part[JOULES_PARTS];  // in the order of joules.def
  double joules, low, high;          // sums over them: all entries at one end together
  double by_kind[JOULES_KINDS];      // joules
  double seconds;                    // of the run
} joules_t;

joules_t joules_of(const config_t *config, const soc_result_t *soc);

// "L2 and links".
const char *joules_kind_name(joules_kind_t kind);

// Mean power, 0 of a run without time.
double joules_watts(const joules_t *energy);

#ifdef __cplusplus
}
#endif

#endif
