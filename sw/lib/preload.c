// See preload.h.
//
// A plan's cycle takes as long as the busier core has work, so that core runs its stages back to
// back and its order alone fixes their times.  The other core's stages each have up to two
// dependencies, one on a stage of the busier core (start at its end or later) and one of such a
// stage on them (end at its start or earlier).  The search takes every order of the busier core
// and, for each, every order of the other one in which a stage starts at once or waits for what it
// depends on; it gives up a branch with as many external dependencies as the best plan so far.
// Orders are taken in ascending sequence and only a smaller count replaces a plan: C1 C2 .. and
// V1 V2 .. win if they are as good as any other.  The same holds for stages of the chain that take no
// time and could run in any order: none of these orders goes against a dependency.
// SPDX-License-Identifier: Apache-2.0
#include "lib/preload.h"

typedef struct span {
  uint64_t start, end;
} span_t;

typedef struct search {
  uint32_t pairs;
  bool cube_busier;
  const uint32_t *busier, *other;  // durations
  uint64_t window;                 // T
  span_t span[PRELOAD_MAX_PAIRS];  // of the busier core's stages
  uint8_t busier_order[PRELOAD_MAX_PAIRS];
  uint8_t other_order[PRELOAD_MAX_PAIRS];
  preload_plan_t *best;
} search_t;

// The state of the other core: stages and dependencies are bits; a dependency has the number of the
// stage of the chain that it comes from, 0 for C1 -> V1, 1 for V1 -> C2.
typedef struct progress {
  uint32_t depth;
  uint32_t done;
  uint64_t time;
  uint64_t left;  // duration of the stages to come
  uint32_t external;
  uint32_t externals;  // how many
} progress_t;

static uint8_t *lag_at(preload_plan_t *plan, uint32_t link) {
  return link % 2 == 0 ? &plan->cube_lag[link / 2] : &plan->vector_lag[link / 2];
}

static void keep(search_t *search, const progress_t *progress) {
  preload_plan_t *best = search->best;
  best->pairs = search->pairs;
  best->count = progress->externals;
  for (uint32_t i = 0; i < search->pairs; ++i) {
    best->cube_order[i] = search->cube_busier ? search->busier_order[i] : search->other_order[i];
    best->vector_order[i] = search->cube_busier ? search->other_order[i] : search->busier_order[i];
  }
  uint32_t lag = 0;
  for (uint32_t link = 0; link < 2 * search->pairs; ++link) {
    *lag_at(best, link) = (uint8_t)lag;
    lag += progress->external >> link & 1;
  }
}

static void add_external(progress_t *progress, uint32_t dependency) {
  progress->external |= 1u << dependency;
  progress->externals++;
}

static void place_others(search_t *search, const progress_t *progress);

// Runs a stage of the other core from start on, and goes on with the rest.
static void place_other(search_t *search, const progress_t *before, uint32_t stage, uint64_t start) {
  if (start + before->left > search->window) {
    return;
  }
  const uint32_t link = 2 * stage + search->cube_busier;  // in the chain
  progress_t after = *before;
  after.depth++;
  after.done |= 1u << stage;
  after.time = start + search->other[stage];
  after.left -= search->other[stage];
  if (link > 0 && start < search->span[(link - 1) / 2].end) {
    add_external(&after, link - 1);
  }
  if (link + 1 < 2 * search->pairs && after.time > search->span[(link + 1) / 2].start) {
    add_external(&after, link);
  }
  if (after.externals < search->best->count) {
    search->other_order[before->depth] = (uint8_t)stage;
    place_others(search, &after);
  }
}

static void place_others(search_t *search, const progress_t *progress) {
  if (progress->depth == search->pairs) {
    keep(search, progress);
    return;
  }
  for (uint32_t stage = 0; stage < search->pairs; ++stage) {
    if (progress->done >> stage & 1) {
      continue;
    }
    place_other(search, progress, stage, progress->time);
    const uint32_t link = 2 * stage + search->cube_busier;
    if (link > 0 && search->span[(link - 1) / 2].end > progress->time) {
      place_other(search, progress, stage, search->span[(link - 1) / 2].end);
    }
  }
}

// Every order of the busier core's stages that are not among those done, after depth stages that
// end at time.
static void place_busier(search_t *search, uint32_t depth, uint32_t done, uint64_t time, const progress_t *other) {
  if (depth == search->pairs) {
    place_others(search, other);
    return;
  }
  for (uint32_t stage = 0; stage < search->pairs; ++stage) {
    if ((done >> stage & 1) == 0) {
      const uint64_t end = time + search->busier[stage];
      search->span[stage] = (span_t){time, end};
      search->busier_order[depth] = (uint8_t)stage;
      place_busier(search, depth + 1, done | 1u << stage, end, other);
    }
  }
}

void preload_plan(preload_plan_t *plan, uint32_t pairs, const uint32_t cube[], const uint32_t vector[]) {
  uint64_t cube_sum = 0;
  uint64_t vector_sum = 0;
  for (uint32_t i = 0; i < pairs; ++i) {
    cube_sum += cube[i];
    vector_sum += vector[i];
  }
  const bool cube_busier = cube_sum >= vector_sum;
  search_t search;  // the arrays are filled as it goes
  search.pairs = pairs;
  search.cube_busier = cube_busier;
  search.busier = cube_busier ? cube : vector;
  search.other = cube_busier ? vector : cube;
  search.window = cube_busier ? cube_sum : vector_sum;
  search.best = plan;
  const progress_t other = {.left = cube_busier ? vector_sum : cube_sum};
  plan->count = pairs + 1;  // there is a plan with a count of pairs (theorem B.1)
  place_busier(&search, 0, 0, 0, &other);
}

void preload_limit(preload_plan_t *plan, uint32_t count) {
  if (count >= plan->count) {
    return;
  }
  plan->count = count;
  for (uint32_t i = 0; i < plan->pairs; ++i) {
    plan->cube_order[i] = (uint8_t)i;
    plan->vector_order[i] = (uint8_t)i;
  }
  for (uint32_t link = 0; link < 2 * plan->pairs; ++link) {
    uint8_t *lag = lag_at(plan, link);
    *lag = *lag < count ? *lag : (uint8_t)count;
  }
}

// Moves on from *step, itself included, to a place where there is a block.
static bool settle(const preload_plan_t *plan, bool cube, uint32_t blocks, preload_step_t *step) {
  for (; step->cycle < blocks + plan->count; step->cycle++, step->position = 0) {
    for (; step->position < plan->pairs; step->position++) {
      step->stage = (cube ? plan->cube_order : plan->vector_order)[step->position];
      step->block = step->cycle - (cube ? plan->cube_lag : plan->vector_lag)[step->stage];
      if (step->block < blocks) {  // not so where the lag exceeds the cycle, modulo 2^32
        return true;
      }
    }
  }
  return false;
}

bool preload_first(const preload_plan_t *plan, bool cube, uint32_t blocks, preload_step_t *step) {
  *step = (preload_step_t){0};
  return settle(plan, cube, blocks, step);
}

bool preload_next(const preload_plan_t *plan, bool cube, uint32_t blocks, preload_step_t *step) {
  step->position++;
  return settle(plan, cube, blocks, step);
}
