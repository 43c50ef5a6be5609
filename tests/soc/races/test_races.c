// Programs of several AI cores, a few that are made for what they ask and then random ones: does the simulator stop
// those that race, and no others? Without its detector, has each that races one result, whatever the threads?
//   test_races [FIRST-SEED COUNT]
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "race_program.h"

// ---- What is handed on, and what is not ----

typedef enum hand_on { BY_FLAG, BY_CROSS, BY_PAIR, BY_SYNC, WAYS } hand_on_t;
enum { AI_CORES = 4 };

#define COMMAND(name, NAME, PIPE, ...)                                 \
  {                                                                    \
    .name = {.opcode_ = OP_##NAME, .pipe_ = PIPE_##PIPE, __VA_ARGS__ } \
  }

static void add(race_program_t *p, core_kind_t kind, unsigned ai_core, command_t command) {
  p->list[p->count++] = (listed_command_t){.kind = kind, .core = ai_core, .command = command};
}

static void meet(race_program_t *p, core_kind_t kind, uint8_t pipe) {
  for (unsigned i = 0; i < AI_CORES; ++i) {
    add(p, kind, i, (command_t){.sync_all = {.opcode_ = OP_SYNC_ALL, .pipe_ = pipe}});
  }
}

// A vector core stores, and hands that on; who was told comes to a SYNC_ALL. The vector core stores once more, if
// again, and hands it on to nobody. After the SYNC_ALL, AI core 2 loads it.
static void make_handed_on(race_program_t *p, hand_on_t by, bool again) {
  const uint64_t gm = p->buffer[1].address;
  const command_t store = COMMAND(copy_out, COPY_OUT, MTE3, .gm = gm, .rows = 1, .row_bytes = 512, .op = GM_STORE);
  const command_t load[] = {
      [CORE_CUBE] = COMMAND(load_nz, LOAD_NZ, MTE2, .gm = gm, .gm_pitch = 32, .rows = 16, .cols = 16),
      [CORE_VECTOR] = COMMAND(copy_in, COPY_IN, MTE2, .gm = gm, .rows = 1, .row_bytes = 512)};
  const command_t flag = COMMAND(set_flag, SET_FLAG, MTE3, .to = PIPE_MTE2);
  const struct {
    command_t set, wait;
    core_kind_t kind;  // of who is told
    unsigned ai_core;
  } ways[WAYS] = {[BY_FLAG] = {flag, COMMAND(wait_flag, WAIT_FLAG, MTE2, .from = PIPE_MTE3), CORE_VECTOR, 0},
                  [BY_CROSS] = {COMMAND(cross_set, CROSS_SET, MTE3, .flag = 3),
                                COMMAND(cross_wait, CROSS_WAIT, MTE2, .flag = 3), CORE_CUBE, 0},
                  [BY_PAIR] = {COMMAND(pair_set, PAIR_SET, MTE3, .flag = 3),
                               COMMAND(pair_wait, PAIR_WAIT, MTE2, .flag = 3), CORE_CUBE, 1},
                  [BY_SYNC] = {flag, COMMAND(wait_flag, WAIT_FLAG, MTE2, .from = PIPE_MTE3), CORE_VECTOR, 1}};
  *p = (race_program_t){.ai_cores = AI_CORES,
                        .vector_cores = 1,
                        .pairs = by == BY_PAIR,
                        .races = again,
                        .buffer = {p->buffer[0], p->buffer[1]}};
  add(p, CORE_VECTOR, 0, store);
  if (by == BY_SYNC) {
    meet(p, CORE_VECTOR, PIPE_MTE3);
  }
  add(p, CORE_VECTOR, ways[by].kind == CORE_VECTOR ? ways[by].ai_core : 0, ways[by].set);
  if (again) {
    p->race[0] = p->count;
    add(p, CORE_VECTOR, 0, store);
  }
  add(p, ways[by].kind, ways[by].ai_core, ways[by].wait);
  meet(p, ways[by].kind, PIPE_MTE2);
  p->race[1] = p->count;
  add(p, ways[by].kind, 2, load[ways[by].kind]);
}

static unsigned count_wrong(race_program_t *p) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < 2 * WAYS; ++i) {
    make_handed_on(p, i / 2, i % 2 != 0);
    if (!race_program_agrees(p) || (p->races && !race_program_has_one_result(p))) {
      fprintf(stderr, "handed on in way %u, stored %s\n", i / 2, i % 2 != 0 ? "again" : "once");
      wrong += 1;
    }
  }
  return wrong;
}

// ---- Random programs ----

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                 count = argc > 2 ? strtoull(argv[2], NULL, 10) : 400;
  static race_program_t program;
  unsigned ended[2] = {0};
  race_program_place(&program);
  unsigned wrong = count_wrong(&program);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    race_program_make(&program, seed, NULL, 0);
    if (!race_program_agrees(&program) || (program.races && seed % 4 == 0 && !race_program_has_one_result(&program))) {
      fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
      wrong += 1;
    }
    ended[program.races] += 1;
  }
  printf("%u programs without a race, %u with one, %u wrong\n", ended[0], ended[1], wrong);
  return wrong > 0 || ended[0] < count / 5 || ended[1] < count / 5;
}
