// SPDX-License-Identifier: Apache-2.0
#include "blame/culprit.h"

#include <math.h>

enum { DEPTH = 32 };

// The element to begin with. True: it is off.
static bool find_element(const soc_replay_t *replay, const blame_expected_t *expected, blame_at_t *at) {
  const uint64_t count = blame_elements(expected->array);
  uint64_t worst = 0;
  double furthest = -1;
  *at = (blame_at_t){
      .memory = soc_replay_any_memory(replay), .core = "gm", .space = SPACE_GM, .type = expected->array->type};
  for (uint64_t i = 0; i < count; ++i) {
    at->address = blame_element_address(expected->array, i);
    const double have = blame_value(at);
    const double by = fabs(have - expected->want[i]);
    if (blame_is_off(expected, i, have)) {
      return true;
    }
    if (by > furthest) {
      furthest = by;
      worst = i;
    }
  }
  at->address = blame_element_address(expected->array, worst);
  return false;
}

blame_ground_t blame_decide(const blame_chain_t *chain, const blame_repairs_t *repairs, bool wrong, size_t *link) {
  *link = chain->links - 1;
  if (repairs->count > 0 && repairs->list[0].off == 0) {
    return BLAME_BY_REPAIR;
  }
  if (chain->from == BLAME_NOBODY && wrong) {
    return BLAME_BY_UNWRITTEN;
  }
  for (*link = 0; *link < chain->links; ++*link) {
    if (chain->link[*link].leaves) {
      return BLAME_BY_VALUE;
    }
  }
  return repairs->count > 0 ? BLAME_BY_HELP : BLAME_UNDECIDED;
}

static size_t decided(soc_replay_t *replay, const blame_at_t *at, const blame_chain_t *chain,
                      const blame_repairs_t *repairs) {
  blame_at_t origin = *at;
  size_t link, effect = soc_replay_effects(replay);
  switch (blame_decide(chain, repairs, true, &link)) {
    case BLAME_BY_REPAIR:
    case BLAME_BY_HELP:
      return repairs->list[0].effect;
    case BLAME_BY_UNWRITTEN:
    case BLAME_BY_VALUE:
      return chain->link[link].effect;
    default:
      blame_origin(replay, &origin, &effect);
      return effect;
  }
}

bool blame_culprit(soc_replay_t *replay, const blame_expected_t *expected, size_t *effect) {
  const soc_replay_look_t nothing = {.context = NULL};
  blame_repairs_t repairs = {.count = 0};
  blame_chain_t chain = {.links = 0};
  blame_at_t at;
  soc_replay_run(replay, soc_replay_effects(replay), &nothing);
  if (find_element(replay, expected, &at)) {
    blame_repair(replay, expected, &repairs);  // out of memory: without
  }
  const bool written = blame_walk(replay, &at, DEPTH, &chain) && chain.links > 0;
  if (written) {
    *effect = decided(replay, &at, &chain, &repairs);
  } else if (repairs.count > 0) {
    *effect = repairs.list[0].effect;
  }
  blame_chain_free(&chain);
  return written || repairs.count > 0;
}
