// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_race.h"

#include <math.h>
#include <stdbool.h>
#include <time.h>

// Short enough to fall between two interruptions, long against the clock's grain.
static const double turn_seconds = 2e-3;

enum { MAX_RUNNERS = 8, MAX_ROUNDS = 1000000 };

typedef struct turns {
  size_t rounds;  // of one turn, 0: out of the race
  double spent;   // seconds
} turns_t;

double race_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void take_turn(runner_t *runner, turns_t *turns) {
  const double seconds = runner->run(runner->context, turns->rounds);
  if (seconds < 0) {
    turns->rounds = 0;
    runner->speed = 0;
    return;
  }
  // The clock may stand still for the first, single round.
  const double speed = seconds > 0 ? runner->work * (double)turns->rounds / seconds : 0;
  runner->speed = fmax(runner->speed, speed);
  turns->spent += seconds;
}

// One round first: it warms caches up and says how many make a turn.
static void warm_up(runner_t *runner, turns_t *turns) {
  runner->speed = 0;
  *turns = (turns_t){.rounds = runner->run == NULL ? 0 : 1};
  if (turns->rounds == 0) {
    return;
  }
  take_turn(runner, turns);
  if (turns->rounds > 0) {
    const double rounds = turn_seconds / fmax(turns->spent, 1e-9);
    turns->rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : (size_t)rounds;
  }
}

void race(runner_t *runners, size_t count, double budget) {
  turns_t turns[MAX_RUNNERS];
  for (size_t i = 0; i < count; ++i) {
    warm_up(&runners[i], &turns[i]);
  }
  for (bool going = true; going;) {
    going = false;
    for (size_t i = 0; i < count; ++i) {
      if (turns[i].rounds > 0 && turns[i].spent < budget) {
        take_turn(&runners[i], &turns[i]);
        going = true;
      }
    }
  }
}
