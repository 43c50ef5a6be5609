// A machine, the commands that its cores push and nothing else, and when each of them was pushed, began, ended and was
// done. Each test works out by itself, from the machine's parameters, how long a command is expected to take.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_SOC_TIME_COMMANDS_CASE_H
#define AMALGAM_TESTS_SOC_TIME_COMMANDS_CASE_H

#include "firmware/commands_list.h"
#include "core/core.h"
#include "num/num_rng.h"
#include "soc/soc.h"
#include "test.h"

enum { COMMANDS_MOST = 256, COMMANDS_PIPES = 64, COMMANDS_MACHINES = 8, COMMANDS_LINKS = 64, COMMANDS_MARKS = 16 };

// COMMAND_OF(MMAD, mmad, M, .m = 1, ...): a command for that pipe, other fields 0.
#define COMMAND_OF(NAME, name, PIPE, ...) \
  ((command_t){.name = {.opcode_ = OP_##NAME, .pipe_ = PIPE_##PIPE, __VA_ARGS__}})

// A link of the critical path.
typedef struct commands_link {
  char what[16], command[16];
  uint64_t cycles, times;
} commands_link_t;

typedef struct commands_case {
  soc_options_t options;
  num_rng_t rng;  // for what the test makes up
  unsigned machine;
  size_t count;
  listed_command_t list[COMMANDS_MOST];
  // Results of the commands, and of the run.
  soc_command_t at[COMMANDS_MOST];
  soc_result_t result;
  soc_pipe_t pipes[COMMANDS_PIPES];
  size_t mark_count;
  soc_mark_t marks[COMMANDS_MARKS];
  size_t link_count;
  commands_link_t links[COMMANDS_LINKS];
  uint64_t waited;  // in the waits on it
} commands_case_t;

// Places of the arrays in global memory: inputs, numbers for GATHER_IN (all 0 .. count - 1) and results.
enum { COMMANDS_ARRAY_BYTES = 4 << 20, COMMANDS_NUMBERS = 4096 };
extern uint64_t commands_in, commands_numbers, commands_out;

// To be called once, before all else.
void commands_place(void);

// A machine without commands: number 0 is ascend910_core, the others have other values of every parameter that
// takes part in times. Nothing is computed, and nothing is asked to be ordered. To be ended by commands_end.
commands_case_t *commands_machine(unsigned number);
void commands_end(commands_case_t *c);

// ON_MACHINES(products) { ... c ... }: a test of a case c, on each machine.
#define ON_MACHINES(name)                              \
  static void name(commands_case_t *c);                \
  TEST(name##_take) {                                  \
    for (unsigned i = 0; i < COMMANDS_MACHINES; ++i) { \
      commands_case_t *c = commands_machine(i);        \
      name(c);                                         \
      commands_end(c);                                 \
    }                                                  \
  }                                                    \
  static void name(commands_case_t *c)

// From low to high, both included.
uint64_t commands_random(commands_case_t *c, uint64_t low, uint64_t high);

// A command of AI core (or engine) core; sub: which of its vector cores. Returns its place in the list.
size_t commands_add(commands_case_t *c, core_kind_t kind, unsigned core, unsigned sub, command_t command);

// Runs it, on a machine that is then no more, and checks what holds of every run: that scalar cores push as fast as
// they can and as queues have room, that a pipe takes one command after the other, that its books say what it did, and
// that the links of the critical path add up to the time.
void commands_run(commands_case_t *c);

// Runs firmware of the test's own instead, which pushes the commands of the list; nothing is checked.
void commands_run_firmware(commands_case_t *c, const char *file);

// Checks that a command has kept its pipe for busy cycles, and takes effect so much later, but not before the commands
// that its pipe had before it.
void commands_expect(const commands_case_t *c, size_t i, uint64_t busy, uint64_t later);
// ... that a wait has ended when its flag was there, or at once.
void commands_expect_wait(const commands_case_t *c, size_t i, uint64_t flag);

// The last effect of its pipe's commands before this one.
uint64_t commands_effect_before(const commands_case_t *c, size_t i);

// Fails with the machine and the command if the two differ.
void commands_equal(const commands_case_t *c, size_t i, const char *what, uint64_t got, uint64_t expected);

// Whole cycles that take no less; what misses a whole number by rounding alone is that number.
uint64_t commands_cycles(double cycles);

#endif
