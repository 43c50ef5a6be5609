// The Preload planner against brute force over every cycle there is, against the paper's theorem
// and lemma, and its sequences on two cores.
//
// argument "exhaustive": many more durations of 5 and 6 pairs against brute force.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "lib/preload.h"
#include "num/num_rng.h"

enum { MAX = PRELOAD_MAX_PAIRS, MAX_BLOCKS = 20, MAX_CYCLES = MAX_BLOCKS + 2 * MAX };

typedef struct chain {
  uint32_t pairs;
  uint32_t duration[2][MAX];  // of the cube core's stages, of the vector cores'
} chain_t;

// A cycle: both cores' orders, and the internal dependencies as bits: bit s is the one of stage s
// of the chain (0 for C1, 1 for V1, 2 for C2, ..) and the next.
typedef struct cycle {
  uint8_t order[2][MAX];
  uint32_t internal;
} cycle_t;

static void print_chain(const chain_t *chain) {
  for (uint32_t core = 0; core < 2; ++core) {
    printf(core == 0 ? "cube" : " vector");
    for (uint32_t i = 0; i < chain->pairs; ++i) {
      printf(" %u", chain->duration[core][i]);
    }
  }
  printf(": ");
}

// assert_true that tells the durations.
#define CHECK(chain, condition, ...)                \
  do {                                              \
    if (!(condition)) {                             \
      print_chain(chain);                           \
      printf("CHECK " #condition ": " __VA_ARGS__); \
      printf("\n");                                 \
      fail();                                       \
    }                                               \
  } while (0)

static uint64_t load(const chain_t *chain, uint32_t core) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < chain->pairs; ++i) {
    sum += chain->duration[core][i];
  }
  return sum;
}

static uint64_t cycle_time(const chain_t *chain) {
  const uint64_t cube = load(chain, 0);
  const uint64_t vector = load(chain, 1);
  return cube > vector ? cube : vector;
}

// Runs the cycle, every stage as early as its order and the internal dependencies let it. False if
// that takes longer than T, or never ends.
static bool feasible(const chain_t *chain, const cycle_t *cycle, uint64_t time) {
  uint64_t end[2 * MAX];
  uint32_t done = 0;  // stages of the chain, as bits
  uint64_t clock[2] = {0, 0};
  uint32_t next[2] = {0, 0};
  bool moved = true;
  while (moved) {
    moved = false;
    for (uint32_t core = 0; core < 2; ++core) {
      while (next[core] < chain->pairs) {
        const uint32_t stage = cycle->order[core][next[core]];
        const uint32_t link = 2 * stage + core;
        if (link > 0 && cycle->internal >> (link - 1) & 1) {
          if ((done >> (link - 1) & 1) == 0) {
            break;
          }
          clock[core] = clock[core] > end[link - 1] ? clock[core] : end[link - 1];
        }
        clock[core] += chain->duration[core][stage];
        if (clock[core] > time) {
          return false;
        }
        end[link] = clock[core];
        done |= 1u << link;
        next[core]++;
        moved = true;
      }
    }
  }
  return done == (1u << 2 * chain->pairs) - 1;
}

// All orders of n stages, in orders, 721 rows at most (the last one is scratch); how many.
static uint32_t permutations(uint32_t n, uint8_t (*orders)[MAX]) {
  uint32_t count = 0;
  uint32_t codes = 1;
  for (uint32_t i = 0; i < n; ++i) {
    codes *= n;
  }
  for (uint32_t code = 0; code < codes; ++code) {  // as digits of base n
    uint32_t seen = 0;
    uint32_t rest = code;
    for (uint32_t i = 0; i < n; ++i, rest /= n) {
      orders[count][i] = (uint8_t)(rest % n);
      seen |= 1u << rest % n;
    }
    count += seen == (1u << n) - 1;
  }
  return count;
}

static uint32_t bits(uint32_t set) {
  uint32_t count = 0;
  for (; set != 0; set &= set - 1) {
    count++;
  }
  return count;
}

// The most internal dependencies, of those from the first on, that can be added to a feasible
// cycle. Those that are not feasible are not with one more either.
static uint32_t most_added(const chain_t *chain, cycle_t *cycle, uint32_t first, uint64_t time) {
  uint32_t most = 0;
  for (uint32_t link = first; link + 1 < 2 * chain->pairs; ++link) {
    cycle->internal |= 1u << link;
    if (feasible(chain, cycle, time)) {
      const uint32_t added = 1 + most_added(chain, cycle, link + 1, time);
      most = added > most ? added : most;
    }
    cycle->internal &= ~(1u << link);
  }
  return most;
}

// The most dependencies that can be added, over every set of dependencies there is.
static uint32_t most_of_all(const chain_t *chain, cycle_t *cycle, uint64_t time) {
  uint32_t most = 0;
  for (uint32_t set = 0; set < 1u << (2 * chain->pairs - 1); ++set) {
    cycle->internal = set;
    if (bits(set) > most && feasible(chain, cycle, time)) {
      most = bits(set);
    }
  }
  return most;
}

// The smallest Preload count of every cycle that fits in T.
static uint32_t smallest_count(const chain_t *chain) {
  static uint8_t orders[721][MAX];
  const uint32_t count = permutations(chain->pairs, orders);
  const uint64_t time = cycle_time(chain);
  uint32_t most = 0;
  for (uint32_t cube = 0; cube < count; ++cube) {
    for (uint32_t vector = 0; vector < count; ++vector) {
      cycle_t cycle = {.internal = 0};
      memcpy(cycle.order[0], orders[cube], MAX);
      memcpy(cycle.order[1], orders[vector], MAX);
      const uint32_t internal =
          chain->pairs <= 4 ? most_of_all(chain, &cycle, time) : most_added(chain, &cycle, 0, time);
      most = internal > most ? internal : most;
    }
  }
  return 2 * chain->pairs - 1 - most;
}

static uint32_t lag_at(const preload_plan_t *plan, uint32_t link) {
  return link % 2 == 0 ? plan->cube_lag[link / 2] : plan->vector_lag[link / 2];
}

// Checks the form that any plan must have, whether or not it keeps pace; returns its cycle.
static cycle_t check_form(const chain_t *chain, const preload_plan_t *plan) {
  cycle_t cycle = {.internal = 0};
  CHECK(chain, plan->pairs == chain->pairs, "%u", plan->pairs);
  uint32_t seen[2] = {0, 0};
  for (uint32_t i = 0; i < chain->pairs; ++i) {
    cycle.order[0][i] = plan->cube_order[i];
    cycle.order[1][i] = plan->vector_order[i];
    seen[0] |= 1u << plan->cube_order[i];
    seen[1] |= 1u << plan->vector_order[i];
  }
  CHECK(chain, seen[0] == (1u << chain->pairs) - 1, "%x", seen[0]);
  CHECK(chain, seen[1] == (1u << chain->pairs) - 1, "%x", seen[1]);
  CHECK(chain, lag_at(plan, 0) == 0, "%u", lag_at(plan, 0));
  for (uint32_t link = 0; link + 1 < 2 * chain->pairs; ++link) {
    const uint32_t more = lag_at(plan, link + 1) - lag_at(plan, link);
    CHECK(chain, more <= 1, "from link %u: %u more", link, more);
    cycle.internal |= (1 - more) << link;
  }
  CHECK(chain, plan->count == lag_at(plan, 2 * chain->pairs - 1), "%u", plan->count);
  CHECK(chain, feasible(chain, &cycle, UINT64_MAX), "orders against internal dependencies");
  return cycle;
}

static void check_keeps_pace(const chain_t *chain, const preload_plan_t *plan) {
  const cycle_t cycle = check_form(chain, plan);
  CHECK(chain, feasible(chain, &cycle, cycle_time(chain)), "longer than T");
}

static preload_plan_t plan_of(const chain_t *chain) {
  preload_plan_t plan;
  memset(&plan, 0xa5, sizeof plan);
  preload_plan(&plan, chain->pairs, chain->duration[0], chain->duration[1]);
  return plan;
}

static void check_optimal(const chain_t *chain) {
  const preload_plan_t plan = plan_of(chain);
  check_keeps_pace(chain, &plan);
  const uint32_t smallest = smallest_count(chain);
  CHECK(chain, plan.count == smallest, "%u, brute force %u", plan.count, smallest);
}

static uint32_t below(num_rng_t *rng, uint32_t limit) { return (uint32_t)((num_rng_u64(rng) >> 32) * limit >> 32); }

// Durations of all kinds: small (ties, zeros), similar, very different, with one core's far
// shorter, with equal sums, and of the largest there are.
static chain_t random_chain(num_rng_t *rng, uint32_t pairs) {
  chain_t chain = {.pairs = pairs};
  const uint32_t kind = below(rng, 7);
  const uint32_t shorter = below(rng, 2);
  for (uint32_t core = 0; core < 2; ++core) {
    for (uint32_t i = 0; i < pairs; ++i) {
      static const uint32_t limit[] = {2, 5, 100, 1000, 1000, 10, 4};
      static const uint32_t least[] = {0, 0, 100, 0, 0, 0, UINT32_MAX - 3};
      uint32_t duration = least[kind] + below(rng, limit[kind]);
      duration *= kind == 3 && below(rng, 3) == 0 ? 10 : 1;
      duration /= kind == 4 && core == shorter ? 8 : 1;
      chain.duration[core][i] = duration;
    }
  }
  if (kind == 5) {  // the cube's and another order of them
    for (uint32_t i = 0; i < pairs; ++i) {
      chain.duration[1][(i + shorter) % pairs] = chain.duration[0][pairs - 1 - i];
    }
  }
  return chain;
}

static void check_optimal_random(uint32_t pairs, uint32_t count, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  for (uint32_t i = 0; i < count; ++i) {
    const chain_t chain = random_chain(&rng, pairs);
    check_optimal(&chain);
  }
}

TEST(no_smaller_count) {
  static const uint32_t counts[MAX + 1] = {0, 300, 20000, 2000, 30, 20, 1};
  for (uint32_t pairs = 1; pairs <= MAX; ++pairs) {
    check_optimal_random(pairs, counts[pairs], 7 + pairs);
  }
}

TEST(exhaustive_no_smaller_count) {
  check_optimal_random(4, 2000, 21);
  check_optimal_random(5, 800, 22);
  check_optimal_random(6, 20, 23);
}

// The chain whose durations are the digits of code, of base limit.
static chain_t tiny_chain(uint32_t pairs, uint32_t limit, uint32_t code) {
  chain_t chain = {.pairs = pairs};
  for (uint32_t i = 0; i < 2 * pairs; ++i, code /= limit) {
    chain.duration[i / pairs][i % pairs] = code % limit;
  }
  return chain;
}

// Every chain of three pairs of durations 0 to 2: ties, and stages that take no time. With 0 and 1
// and five pairs it is only asked whether there is a plan.
TEST(tiny_durations) {
  for (uint32_t code = 0; code < 3 * 3 * 3 * 3 * 3 * 3; ++code) {
    const chain_t chain = tiny_chain(3, 3, code);
    check_optimal(&chain);
  }
  for (uint32_t code = 0; code < 1u << 10; ++code) {
    const chain_t chain = tiny_chain(5, 2, code);
    const preload_plan_t plan = plan_of(&chain);
    check_keeps_pace(&chain, &plan);
  }
}

// Theorem B.1: the rotation after the smallest partial sum of V(i) - C(i+1) has n - 1 internal
// dependencies C -> V, whichever core is the busier one; the planner is never worse.
TEST(theorem_rotation) {
  num_rng_t rng;
  num_rng_seed(&rng, 3);
  for (uint32_t round = 0; round < 30000; ++round) {
    const chain_t chain = random_chain(&rng, 1 + round % MAX);
    const uint32_t n = chain.pairs;
    int64_t partial = 0;
    int64_t smallest = INT64_MAX;
    uint32_t first = 0;  // of the vector stages' order
    for (uint32_t i = 0; i < n; ++i) {
      partial += (int64_t)chain.duration[1][i] - (int64_t)chain.duration[0][(i + 1) % n];
      if (partial < smallest) {
        smallest = partial;
        first = (i + 1) % n;
      }
    }
    cycle_t cycle = {.internal = 0};
    for (uint32_t i = 0; i < n; ++i) {
      cycle.order[0][i] = (uint8_t)((first + 1 + i) % n);
      cycle.order[1][i] = (uint8_t)((first + i) % n);
      cycle.internal |= i == first ? 0u : 1u << 2 * i;
    }
    CHECK(&chain, feasible(&chain, &cycle, cycle_time(&chain)), "from %u", first);
    if (n < MAX || round % 120 == MAX - 1) {  // the planner takes a while
      const preload_plan_t plan = plan_of(&chain);
      check_keeps_pace(&chain, &plan);
      CHECK(&chain, plan.count <= n, "%u", plan.count);
    }
  }
}

// Lemma B.2: durations for which the count is n, on either core and for every stage k that is the
// long one; the rest of its core's time is given to the other stages at random.
TEST(lemma_adversary) {
  num_rng_t rng;
  num_rng_seed(&rng, 4);
  for (uint32_t n = 1; n <= MAX; ++n) {
    for (uint32_t k = 0; k < n; ++k) {
      for (uint32_t round = 0; round < 20; ++round) {
        const uint32_t core = round % 2;  // that of the long stage
        chain_t chain = {.pairs = n};
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < n; ++i) {
          const uint32_t duration = 100 + below(&rng, 100);
          chain.duration[1 - core][i] = duration;
          least = duration < least ? duration : least;
        }
        chain.duration[core][k] = (uint32_t)load(&chain, 1 - core) - least + 1;
        uint32_t left = below(&rng, least);
        for (uint32_t i = 0; i < n; ++i) {
          const uint32_t duration = i == k ? 0 : below(&rng, left + 1);
          chain.duration[core][i] += duration;
          left -= duration;
        }
        const preload_plan_t plan = plan_of(&chain);
        check_keeps_pace(&chain, &plan);
        CHECK(&chain, plan.count == n, "%u", plan.count);
      }
    }
  }
}

// A core's whole sequence: its steps' number.
static uint32_t sequence(const preload_plan_t *plan, bool cube, uint32_t blocks, preload_step_t steps[]) {
  uint32_t count = 0;
  preload_step_t step;
  for (bool more = preload_first(plan, cube, blocks, &step); more; more = preload_next(plan, cube, blocks, &step)) {
    assert_true(count < MAX * MAX_BLOCKS);
    steps[count++] = step;
  }
  preload_step_t after = step;
  assert_false(preload_next(plan, cube, blocks, &after));
  return count;
}

typedef struct run {
  bool windows;  // both cores start a cycle together
  uint64_t end;  // of the last stage
  uint64_t cycle_end[MAX_CYCLES];
  uint32_t cycle_steps[MAX_CYCLES];
} run_t;

// Runs both cores' sequences, every stage as early as its core and its predecessor in the chain let
// it; checks that every stage of every block is run once, in its cycle.
static void simulate(const chain_t *chain, const preload_plan_t *plan, uint32_t blocks, run_t *run) {
  static preload_step_t steps[2][MAX * MAX_BLOCKS];
  uint64_t end[2 * MAX][MAX_BLOCKS];
  bool done[2 * MAX][MAX_BLOCKS] = {{false}};
  uint32_t count[2];
  uint32_t next[2] = {0, 0};
  uint64_t clock[2] = {0, 0};
  count[0] = sequence(plan, true, blocks, steps[0]);
  count[1] = sequence(plan, false, blocks, steps[1]);
  CHECK(chain, count[0] == blocks * chain->pairs, "%u", count[0]);
  CHECK(chain, count[1] == blocks * chain->pairs, "%u", count[1]);
  *run = (run_t){.windows = run->windows};
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t core = 0; core < 2; ++core) {
      for (; next[core] < count[core]; next[core]++, moved = true) {
        const preload_step_t *step = &steps[core][next[core]];
        const uint32_t other = 1 - core;
        if (run->windows && next[other] < count[other] && steps[other][next[other]].cycle < step->cycle) {
          break;
        }
        const uint32_t link = 2 * step->stage + core;
        CHECK(chain, step->stage < chain->pairs && step->block < blocks, "no such step");
        CHECK(chain, step->cycle == step->block + lag_at(plan, link), "%u", step->cycle);
        CHECK(chain, !done[link][step->block], "stage %u twice", link);
        if (link > 0 && !done[link - 1][step->block]) {
          break;
        }
        uint64_t start = clock[core];
        if (link > 0 && end[link - 1][step->block] > start) {
          start = end[link - 1][step->block];
        }
        for (uint32_t i = 0; run->windows && i < step->cycle; ++i) {
          start = run->cycle_end[i] > start ? run->cycle_end[i] : start;
        }
        clock[core] = start + chain->duration[core][step->stage];
        end[link][step->block] = clock[core];
        done[link][step->block] = true;
        run->cycle_steps[step->cycle]++;
        if (clock[core] > run->cycle_end[step->cycle]) {
          run->cycle_end[step->cycle] = clock[core];
        }
      }
    }
  }
  CHECK(chain, next[0] == count[0] && next[1] == count[1], "deadlock at %u, %u", next[0], next[1]);
  run->end = clock[0] > clock[1] ? clock[0] : clock[1];
}

// A plan that keeps pace: cycles of exactly T once every stage has work, and no longer ones before
// and after; cores that do not wait for each other at a cycle's end are not slower.
static void check_pace(const chain_t *chain, const preload_plan_t *plan, uint32_t blocks) {
  run_t run = {.windows = true};
  simulate(chain, plan, blocks, &run);
  const uint64_t time = cycle_time(chain);
  for (uint32_t cycle = 0; cycle < blocks + plan->count; ++cycle) {
    const bool steady = plan->count <= cycle && cycle < blocks;
    const uint64_t length = run.cycle_end[cycle] - (cycle == 0 ? 0 : run.cycle_end[cycle - 1]);
    CHECK(chain, (run.cycle_steps[cycle] == 2 * chain->pairs) == steady, "cycle %u", cycle);
    CHECK(chain, length <= time && (length == time || !steady), "cycle %u", cycle);
  }
  run_t free = {.windows = false};
  simulate(chain, plan, blocks, &free);
  CHECK(chain, free.end <= run.end && free.end >= blocks * time, "");
}

// C1 stages in the cycles before all stages have work.
static void check_preloaded(const chain_t *chain, const preload_plan_t *plan, uint32_t blocks) {
  uint32_t preloaded = 0;
  preload_step_t step;
  for (bool more = preload_first(plan, true, blocks, &step); more && step.cycle < plan->count;
       more = preload_next(plan, true, blocks, &step)) {
    preloaded += step.stage == 0;
  }
  const uint32_t expected = plan->count < blocks ? plan->count : blocks;
  CHECK(chain, preloaded == expected, "%u of %u", preloaded, expected);
}

TEST(sequences) {
  num_rng_t rng;
  num_rng_seed(&rng, 5);
  for (uint32_t round = 0; round < 3000; ++round) {
    const chain_t chain = random_chain(&rng, 1 + (round % 50 == 0 ? 5 : below(&rng, MAX - 1)));
    const uint32_t blocks = 1 + below(&rng, MAX_BLOCKS);
    const preload_plan_t plan = plan_of(&chain);
    check_pace(&chain, &plan, blocks);
    check_preloaded(&chain, &plan, blocks);
    for (uint32_t count = 0; count <= 2 * chain.pairs; ++count) {
      preload_plan_t other = plan;
      run_t run = {.windows = false};
      preload_limit(&other, count);
      check_form(&chain, &other);
      CHECK(&chain, other.count == (count < plan.count ? count : plan.count), "%u", other.count);
      assert_true(count < plan.count || memcmp(&other, &plan, sizeof plan) == 0);
      simulate(&chain, &other, blocks, &run);
      check_preloaded(&chain, &other, blocks);
    }
  }
}

TEST(no_blocks) {
  const chain_t chain = {.pairs = 2, .duration = {{12, 11}, {13, 0}}};
  const preload_plan_t plan = plan_of(&chain);
  preload_step_t step;
  assert_false(preload_first(&plan, true, 0, &step));
  assert_false(preload_first(&plan, false, 0, &step));
}

// Compares a core's sequence with text such as "C1(0) C1(1) C2(0)".
static void check_sequence(const preload_plan_t *plan, bool cube, uint32_t blocks, const char *expected) {
  preload_step_t steps[MAX * MAX_BLOCKS];
  char text[256] = "";
  size_t length = 0;
  const uint32_t count = sequence(plan, cube, blocks, steps);
  for (uint32_t i = 0; i < count; ++i) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%c%u(%u)", i > 0 ? " " : "", cube ? 'C' : 'V',
                               steps[i].stage + 1, steps[i].block);
  }
  assert_string_equal(text, expected);
}

static const char *const two_ahead = "C1(0) C1(1) C1(2) C2(0) C1(3) C2(1) C2(2) C2(3)";
static const char *const one_ahead = "C1(0) C1(1) C2(0) C1(2) C2(1) C1(3) C2(2) C2(3)";
static const char *const none_ahead = "C1(0) C2(0) C1(1) C2(1) C1(2) C2(2) C1(3) C2(3)";

static void check_lags(const preload_plan_t *plan, uint32_t v1, uint32_t c2, uint32_t v2) {
  assert_int_equal(plan->cube_lag[0], 0);
  assert_int_equal(plan->vector_lag[0], v1);
  assert_int_equal(plan->cube_lag[1], c2);
  assert_int_equal(plan->vector_lag[1], v2);
  assert_int_equal(plan->count, v2);
}

// AMLA: V2 is empty. V1 neither fits beside C2, after C1, nor beside C1, before C2: two ahead.
TEST(amla_long_vector_stage) {
  const chain_t chain = {.pairs = 2, .duration = {{12, 11}, {13, 0}}};
  preload_plan_t plan = plan_of(&chain);
  check_lags(&plan, 1, 2, 2);
  check_sequence(&plan, true, 4, two_ahead);
  check_sequence(&plan, false, 3, "V1(0) V1(1) V2(0) V1(2) V2(1) V2(2)");
  preload_limit(&plan, 2);
  check_sequence(&plan, true, 4, two_ahead);
  preload_limit(&plan, 1);
  check_lags(&plan, 1, 1, 1);
  check_sequence(&plan, true, 4, one_ahead);
  preload_limit(&plan, 0);
  check_lags(&plan, 0, 0, 0);
  check_sequence(&plan, true, 4, none_ahead);
  check_sequence(&plan, false, 3, "V1(0) V2(0) V1(1) V2(1) V1(2) V2(2)");
}

// V1 fits beside C1, so C2 can take its result in the same cycle: one ahead.
TEST(amla_short_vector_stage) {
  const chain_t chain = {.pairs = 2, .duration = {{18500, 17400}, {13500, 0}}};
  preload_plan_t plan = plan_of(&chain);
  check_lags(&plan, 1, 1, 1);
  check_sequence(&plan, true, 4, one_ahead);
}

TEST(base_two_vector_stages) {
  const chain_t chain = {.pairs = 2, .duration = {{18500, 17400}, {13500, 8000}}};
  preload_plan_t plan = plan_of(&chain);
  check_lags(&plan, 1, 1, 2);
  check_sequence(&plan, true, 4, one_ahead);
  check_sequence(&plan, false, 3, "V1(0) V1(1) V2(0) V1(2) V2(1) V2(2)");
}
