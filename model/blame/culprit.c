// SPDX-License-Identifier: Apache-2.0
#include "blame/culprit.h"

#include <math.h>

#include "blame/chain.h"

enum { DEPTH = 32 };

// The element to begin with. True: it is off.
static bool find_element(const soc_replay_t *replay, const blame_expected_t *expected, blame_at_t *at) {
  const uint64_t count = blame_elements(expected->array);
  uint64_t worst = 0;
  double furthest = -1;
  *at = (blame_at_t){.memory = soc_replay_any_memory(replay), .core = "gm", .space = SPACE_GM, .type = expected->array->type};
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

// Where the chain says that something is wrong. False: nowhere.
static bool wrong_link(const blame_chain_t *chain, size_t *effect) {
  if (chain->from == BLAME_NOBODY) {
    *effect = chain->link[chain->links - 1].effect;
    return true;
  }
  for (size_t i = 0; i < chain->links; ++i) {
    if (chain->link[i].leaves) {
      *effect = chain->link[i].effect;
      return true;
    }
  }
  return false;
}

static bool by_chain(soc_replay_t *replay, const blame_at_t *at, const blame_repairs_t *repairs, size_t *effect) {
  blame_chain_t chain = {.links = 0};
  bool found = blame_walk(replay, at, DEPTH, &chain) && chain.links > 0;
  if (found && !wrong_link(&chain, effect)) {
    blame_at_t origin = *at;
    *effect = repairs->count > 0 ? repairs->list[0].effect : soc_replay_effects(replay);
    if (repairs->count == 0) {
      blame_origin(replay, &origin, effect);
    }
  }
  blame_chain_free(&chain);
  return found;
}

bool blame_culprit(soc_replay_t *replay, const blame_expected_t *expected, size_t *effect) {
  const soc_replay_look_t nothing = {.context = NULL};
  blame_repairs_t repairs = {.count = 0};
  blame_at_t at;
  soc_replay_run(replay, soc_replay_effects(replay), &nothing);
  const bool off = find_element(replay, expected, &at);
  if (off && blame_repair(replay, expected, &repairs) && repairs.count > 0 && repairs.list[0].off == 0) {
    *effect = repairs.list[0].effect;
    return true;
  }
  return by_chain(replay, &at, &repairs, effect);
}
