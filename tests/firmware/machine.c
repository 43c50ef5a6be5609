// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "num/num_rng.h"
#include "program.h"
#include "race_history.h"

enum {
  L1_BYTES = 1024 << 10,
  L0_BYTES = 64 << 10,
  L0C_BYTES = 128 << 10,
  UB_BYTES = 192 << 10,
};

typedef struct queue {
  size_t *command;  // indices into the core's program, a ring of queue_depth
  size_t first, count;
  unsigned agent;
} queue_t;

typedef struct flag {
  unsigned up;
  uint32_t (*clocks)[RACE_AGENTS];  // of the setters, oldest first: CROSS_FLAG_MAX
} flag_t;

typedef struct core {
  core_kind_t kind;
  unsigned ai_core, sub;
  program_t program;
  size_t pushed;
  core_memory_t memory;
  queue_t queue[PIPE_COUNT];
  flag_t flag[PIPE_COUNT][PIPE_COUNT][FLAG_EVENTS];
  // Cross flags this core waits for, then those from the other AI core of its pair; on a cube core one
  // column for each vector core.
  flag_t *cross[2 * CROSS_FLAGS];
  race_history_t history[SPACE_COUNT];  // of private memories
} core_t;

typedef struct machine {
  const machine_options_t *options;
  core_t *cores;
  size_t core_count;
  unsigned agents;
  race_clocks_t *clocks;
  race_history_t gm_history;
  char *error;
} machine_t;

static bool fail(const machine_t *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(const machine_t *machine, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(machine->error, MACHINE_ERROR_BYTES, format, args);
  va_end(args);
  return false;
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "out of memory: %zu x %zu\n", count, size);
    abort();
  }
  return memory;
}

static const char *core_text(const core_t *core, char text[24]) {
  if (core->kind == CORE_CUBE) {
    snprintf(text, 24, "cube%u", core->ai_core);
  } else {
    snprintf(text, 24, "vector%u.%u", core->ai_core, core->sub);
  }
  return text;
}

// ---- Recording ----

static bool record(machine_t *machine) {
  const machine_options_t *options = machine->options;
  const program_machine_t where = {.firmware = options->firmware,
                                   .gm = options->gm,
                                   .args = options->args,
                                   .ai_cores = options->ai_cores,
                                   .vector_cores = options->vector_cores};
  for (size_t i = 0; i < machine->core_count; ++i) {
    core_t *core = &machine->cores[i];
    const program_core_t who = {core->kind, core->ai_core, core->sub};
    char error[MACHINE_ERROR_BYTES - 32];
    if (!program_record(&where, &who, &core->program, error, sizeof error)) {
      char name[24];
      return fail(machine, "%s %s", core_text(core, name), error);
    }
  }
  return true;
}

// ---- The machine ----

static void core_init(machine_t *machine, core_t *core, core_kind_t kind, unsigned ai_core, unsigned sub) {
  const machine_options_t *options = machine->options;
  static const uint64_t bytes[CORE_KIND_COUNT][SPACE_COUNT] = {
      [CORE_CUBE] = {[SPACE_L1] = L1_BYTES, [SPACE_L0A] = L0_BYTES, [SPACE_L0B] = L0_BYTES, [SPACE_L0C] = L0C_BYTES},
      [CORE_VECTOR] = {[SPACE_UB] = UB_BYTES},
  };
  *core = (core_t){.kind = kind, .ai_core = ai_core, .sub = sub};
  for (unsigned space = 0; space < SPACE_COUNT; ++space) {
    core->memory.bytes[space] = bytes[kind][space];
    if (bytes[kind][space] != 0) {
      core->memory.base[space] = allocate(1, bytes[kind][space]);
      memset(core->memory.base[space], 0xff, bytes[kind][space]);
    }
  }
  core->memory.base[SPACE_GM] = options->gm;
  core->memory.bytes[SPACE_GM] = options->gm_bytes;
  for (unsigned pipe = 0; pipe < PIPE_COUNT; ++pipe) {
    core->queue[pipe] =
        (queue_t){.command = allocate(options->queue_depth, sizeof(size_t)), .agent = machine->agents++};
  }
  const size_t setters = kind == CORE_CUBE ? options->vector_cores : 1;
  for (unsigned i = 0; i < 2 * CROSS_FLAGS; ++i) {
    core->cross[i] = allocate(setters, sizeof(flag_t));
    for (size_t setter = 0; setter < setters; ++setter) {
      core->cross[i][setter].clocks = allocate(CROSS_FLAG_MAX, sizeof(race_clocks_t));
    }
  }
  for (unsigned from = 0; from < PIPE_COUNT; ++from) {
    for (unsigned to = 0; to < PIPE_COUNT; ++to) {
      for (unsigned event = 0; event < FLAG_EVENTS; ++event) {
        core->flag[from][to][event].clocks = allocate(1, sizeof(race_clocks_t));
      }
    }
  }
}

// The cores of an AI core lie together, the cube core first; AI cores 2i and 2i + 1 are a pair.
static core_t *cube_of(const machine_t *machine, unsigned ai_core) {
  return &machine->cores[ai_core * (1 + machine->options->vector_cores)];
}

// The direct path: L1 is the cube core's, of this AI core and of the other one of the pair.
static void reach_l1(const machine_t *machine, core_t *core) {
  if (!machine->options->direct_path || core->kind != CORE_VECTOR) {
    return;
  }
  core->memory.base[SPACE_L1] = cube_of(machine, core->ai_core)->memory.base[SPACE_L1];
  core->memory.bytes[SPACE_L1] = L1_BYTES;
  if ((core->ai_core ^ 1) < machine->options->ai_cores) {
    core->memory.base[SPACE_PAIR_L1] = cube_of(machine, core->ai_core ^ 1)->memory.base[SPACE_L1];
    core->memory.bytes[SPACE_PAIR_L1] = L1_BYTES;
  }
}

// Whose history keeps an access to a private memory.
static core_t *owner_of(const machine_t *machine, core_t *core, core_space_t *space) {
  if (*space == SPACE_PAIR_L1) {
    *space = SPACE_L1;
    return cube_of(machine, core->ai_core ^ 1);
  }
  return *space == SPACE_L1 ? cube_of(machine, core->ai_core) : core;
}

static void core_free(const machine_t *machine, core_t *core) {
  const size_t setters = core->kind == CORE_CUBE ? machine->options->vector_cores : 1;
  for (unsigned i = 0; i < 2 * CROSS_FLAGS; ++i) {
    for (size_t setter = 0; setter < setters; ++setter) {
      free(core->cross[i][setter].clocks);
    }
    free(core->cross[i]);
  }
  for (unsigned from = 0; from < PIPE_COUNT; ++from) {
    free(core->queue[from].command);
    for (unsigned to = 0; to < PIPE_COUNT; ++to) {
      for (unsigned event = 0; event < FLAG_EVENTS; ++event) {
        free(core->flag[from][to][event].clocks);
      }
    }
  }
  for (unsigned space = 0; space < SPACE_COUNT; ++space) {
    free(core->history[space].records);
    if (space != SPACE_GM && space != SPACE_PAIR_L1 && (space != SPACE_L1 || core->kind == CORE_CUBE)) {
      free(core->memory.base[space]);
    }
  }
  free(core->program.command);
}

static bool is_cross_wait(const command_t *command) {
  return command->header.opcode_ == OP_CROSS_WAIT || command->header.opcode_ == OP_PAIR_WAIT;
}

// The identity of a CROSS_ or PAIR_ command; both have the same fields.
static uint32_t cross_id(const command_t *command) {
  const bool pair = command->header.opcode_ == OP_PAIR_SET || command->header.opcode_ == OP_PAIR_WAIT;
  return pair ? CROSS_FLAGS + command->pair_set.flag : command->cross_set.flag;
}

// ---- Accesses ----

static bool inside_an_array(const machine_t *machine, const core_access_t *access) {
  for (size_t i = 0; i < machine->options->array_count; ++i) {
    const machine_array_t *array = &machine->options->arrays[i];
    if (access->base >= array->address && race_end(access) <= array->address + array->bytes) {
      return !access->write || !array->read_only;
    }
  }
  return false;
}

// ---- Steps ----

static bool complain(const machine_t *machine, const core_t *core, const command_t *command, const char *what) {
  char name[24];
  char text[200];
  core_disassemble(command, text, sizeof text);
  return fail(machine, "%s %s: %s: %s", core_text(core, name), core_pipe_name(command->header.pipe_), text, what);
}

static bool flag_raise(const machine_t *machine, flag_t *flag, unsigned most, unsigned agent) {
  if (flag->up == most) {
    return false;
  }
  memcpy(flag->clocks[flag->up++], machine->clocks[agent], sizeof(race_clocks_t));
  return true;
}

static void flag_lower(const machine_t *machine, flag_t *flag, unsigned agent) {
  for (unsigned i = 0; i < machine->agents; ++i) {
    if (flag->clocks[0][i] > machine->clocks[agent][i]) {
      machine->clocks[agent][i] = flag->clocks[0][i];
    }
  }
  flag->up--;
  memmove(flag->clocks[0], flag->clocks[1], flag->up * sizeof(race_clocks_t));
}

static bool cross_set(const machine_t *machine, core_t *core, const command_t *command, unsigned agent) {
  const uint32_t id = cross_id(command);
  const bool pair = command->header.opcode_ == OP_PAIR_SET;
  core_t *cube = cube_of(machine, pair ? core->ai_core ^ 1 : core->ai_core);
  bool ok = true;
  if (core->kind == CORE_VECTOR) {
    ok = flag_raise(machine, &cube->cross[id][core->sub], CROSS_FLAG_MAX, agent);
  } else {
    for (unsigned i = 0; i < machine->options->vector_cores; ++i) {
      ok = flag_raise(machine, &cube[1 + i].cross[id][0], CROSS_FLAG_MAX, agent) && ok;
    }
  }
  return ok || complain(machine, core, command, "the flag counted too far");
}

static bool may_run(const machine_t *machine, const core_t *core, const command_t *command) {
  if (command->header.opcode_ == OP_WAIT_FLAG) {
    const cmd_wait_flag_t *c = &command->wait_flag;
    return core->flag[c->from][c->pipe_][c->event].up > 0;
  }
  if (is_cross_wait(command)) {
    const size_t setters = core->kind == CORE_CUBE ? machine->options->vector_cores : 1;
    bool up = true;
    for (size_t i = 0; i < setters; ++i) {
      up = up && core->cross[cross_id(command)][i].up > 0;
    }
    return up;
  }
  return true;
}

// Rows of a gather are in arrays that nobody writes.
static bool gathers_inputs(const machine_t *machine, const core_t *core, const command_t *command) {
  const cmd_gather_in_t *c = &command->gather_in;
  for (uint32_t row = 0; command->header.opcode_ == OP_GATHER_IN && row < c->rows; ++row) {
    core_access_t access = {.space = SPACE_GM, .rows = 1, .row_bytes = c->row_bytes, .write = true};
    const core_gather_t what = core_gather_row(&core->memory, c, row, &access.base);
    const bool writable = what == CORE_GATHER_ROW && inside_an_array(machine, &access);
    access.write = false;
    if (what == CORE_GATHER_WRONG || writable || (what == CORE_GATHER_ROW && !inside_an_array(machine, &access))) {
      return false;
    }
  }
  return true;
}

static bool move_data(machine_t *machine, core_t *core, const command_t *command, unsigned agent) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(command, access);
  for (size_t i = 0; i < count; ++i) {
    if (access[i].space == SPACE_GM && !inside_an_array(machine, &access[i])) {
      return complain(machine, core, command, "not inside of an array it may access");
    }
  }
  if (!gathers_inputs(machine, core, command)) {  // goes by the list, which is one of the accesses
    return complain(machine, core, command, "a row is not in an input array");
  }
  for (size_t i = 0; i < count; ++i) {
    const bool global = access[i].space == SPACE_GM;
    core_t *owner = owner_of(machine, core, &access[i].space);
    race_history_t *history = global ? &machine->gm_history : &owner->history[access[i].space];
    const race_record_t *other = race_note(machine->clocks, machine->agents, history, agent, &access[i], command);
    if (other != NULL) {
      char text[200];
      char what[256];
      core_disassemble(other->command, text, sizeof text);
      snprintf(what, sizeof what, "race in %s with %s %.150s", core_space_name(access[i].space),
               core_pipe_name(other->command->header.pipe_), text);
      return complain(machine, core, command, what);
    }
  }
  core_execute(&core->memory, command);
  return true;
}

static bool execute(machine_t *machine, core_t *core, const command_t *command, unsigned agent) {
  machine->clocks[agent][agent]++;
  switch (command->header.opcode_) {
    case OP_SET_FLAG: {
      const cmd_set_flag_t *c = &command->set_flag;
      return flag_raise(machine, &core->flag[c->pipe_][c->to][c->event], 1, agent) ||
             complain(machine, core, command, "the flag is up already");
    }
    case OP_WAIT_FLAG: {
      const cmd_wait_flag_t *c = &command->wait_flag;
      flag_lower(machine, &core->flag[c->from][c->pipe_][c->event], agent);
      return true;
    }
    case OP_CROSS_SET:
    case OP_PAIR_SET:
      return cross_set(machine, core, command, agent);
    case OP_CROSS_WAIT:
    case OP_PAIR_WAIT: {
      const size_t setters = core->kind == CORE_CUBE ? machine->options->vector_cores : 1;
      for (size_t i = 0; i < setters; ++i) {
        flag_lower(machine, &core->cross[cross_id(command)][i], agent);
      }
      return true;
    }
    default:
      return move_data(machine, core, command, agent);
  }
}

typedef enum step { STEP_NONE, STEP_DONE, STEP_FAILED } step_t;

// The scalar core pushes its next command.
static step_t step_scalar(machine_t *machine, core_t *core) {
  if (core->pushed == core->program.length) {
    return STEP_NONE;
  }
  const command_t *command = &core->program.command[core->pushed];
  char error[CORE_ERROR_BYTES];
  if (!core_check(core->kind, &core->memory, command, error)) {
    complain(machine, core, command, error);
    return STEP_FAILED;
  }
  const size_t depth = machine->options->queue_depth;
  queue_t *queue = &core->queue[command->header.pipe_];
  if (queue->count == depth) {
    return STEP_NONE;
  }
  queue->command[(queue->first + queue->count++) % depth] = core->pushed++;
  return STEP_DONE;
}

static const command_t *head(const core_t *core, unsigned pipe) {
  const queue_t *queue = &core->queue[pipe];
  return queue->count == 0 ? NULL : &core->program.command[queue->command[queue->first]];
}

static void pop(const machine_t *machine, core_t *core, unsigned pipe) {
  queue_t *queue = &core->queue[pipe];
  queue->first = (queue->first + 1) % machine->options->queue_depth;
  queue->count--;
}

// SYNC_ALL: once this pipe of every core of the kind has come to it, all go on, and have seen what
// any of them had.
static step_t step_sync_all(machine_t *machine, const core_t *core, const command_t *command) {
  const unsigned pipe = command->header.pipe_;
  race_clocks_t latest = {0};
  for (size_t i = 0; i < machine->core_count; ++i) {
    const core_t *other = &machine->cores[i];
    const command_t *next = head(other, pipe);
    if (other->kind == core->kind && (next == NULL || next->header.opcode_ != OP_SYNC_ALL)) {
      return STEP_NONE;
    }
    const unsigned agent = other->queue[pipe].agent;
    for (unsigned j = 0; other->kind == core->kind && j < machine->agents; ++j) {
      const uint32_t clock = machine->clocks[agent][j];
      latest[j] = clock > latest[j] ? clock : latest[j];
    }
  }
  for (size_t i = 0; i < machine->core_count; ++i) {
    core_t *other = &machine->cores[i];
    if (other->kind == core->kind) {
      const unsigned agent = other->queue[pipe].agent;
      memcpy(machine->clocks[agent], latest, sizeof latest);
      machine->clocks[agent][agent]++;
      pop(machine, other, pipe);
    }
  }
  return STEP_DONE;
}

static step_t step_pipe(machine_t *machine, core_t *core, unsigned pipe) {
  const queue_t *queue = &core->queue[pipe];
  const command_t *command = head(core, pipe);
  if (command == NULL) {
    return STEP_NONE;
  }
  if (command->header.opcode_ == OP_SYNC_ALL) {
    return step_sync_all(machine, core, command);
  }
  if (!may_run(machine, core, command)) {
    return STEP_NONE;
  }
  if (!execute(machine, core, command, queue->agent)) {
    return STEP_FAILED;
  }
  pop(machine, core, pipe);
  return STEP_DONE;
}

// Steppers: of core i its scalar core and its pipes.
enum { STEPPERS = PIPE_COUNT + 1 };

static step_t step(machine_t *machine, size_t stepper) {
  core_t *core = &machine->cores[stepper / STEPPERS];
  const unsigned pipe = (unsigned)(stepper % STEPPERS);
  return pipe == PIPE_COUNT ? step_scalar(machine, core) : step_pipe(machine, core, pipe);
}

// Odd seeds: any stepper that can, at random.  Even seeds: the first that can in an order that is
// redrawn now and then, so that some run as far ahead of the others as the flags let them.
static bool run_all(machine_t *machine) {
  const size_t count = machine->core_count * STEPPERS;
  const bool fair = machine->options->seed % 2 == 1;
  size_t order[(RACE_AGENTS / PIPE_COUNT + 1) * STEPPERS];
  num_rng_t rng;
  num_rng_seed(&rng, machine->options->seed);
  for (size_t i = 0; i < count; ++i) {
    order[i] = i;
  }
  uint64_t until_redraw = 0;
  for (;;) {
    if (fair || until_redraw-- == 0) {
      for (size_t i = count - 1; i > 0; --i) {
        const size_t j = num_rng_u64(&rng) % (i + 1);
        const size_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
      }
      until_redraw = num_rng_u64(&rng) % 2000;
    }
    step_t done = STEP_NONE;
    for (size_t i = 0; i < count && done == STEP_NONE; ++i) {
      done = step(machine, order[i]);
    }
    if (done == STEP_FAILED) {
      return false;
    }
    if (done == STEP_NONE) {
      return true;
    }
  }
}

// Everything pushed, everything done, every flag down?
static bool check_end(const machine_t *machine) {
  for (size_t i = 0; i < machine->core_count; ++i) {
    const core_t *core = &machine->cores[i];
    for (unsigned pipe = 0; pipe < PIPE_COUNT; ++pipe) {
      const queue_t *queue = &core->queue[pipe];
      if (queue->count > 0) {
        return complain(machine, core, &core->program.command[queue->command[queue->first]], "deadlock");
      }
    }
  }
  for (size_t i = 0; i < machine->core_count; ++i) {
    const core_t *core = &machine->cores[i];
    const size_t setters = core->kind == CORE_CUBE ? machine->options->vector_cores : 1;
    unsigned up = 0;
    for (unsigned id = 0; id < 2 * CROSS_FLAGS * setters; ++id) {
      up += core->cross[id / setters][id % setters].up;
    }
    for (unsigned id = 0; id < PIPE_COUNT * PIPE_COUNT * FLAG_EVENTS; ++id) {
      const unsigned pipes = id / FLAG_EVENTS;
      up += core->flag[pipes / PIPE_COUNT][pipes % PIPE_COUNT][id % FLAG_EVENTS].up;
    }
    if (up > 0) {
      char name[24];
      return fail(machine, "%s: %u flags still up", core_text(core, name), up);
    }
  }
  return true;
}

bool machine_run(const machine_options_t *options, char error[MACHINE_ERROR_BYTES]) {
  machine_t machine = {.options = options, .error = error};
  const unsigned per_ai_core = 1 + options->vector_cores;
  machine.core_count = (size_t)options->ai_cores * per_ai_core;
  machine.cores = allocate(machine.core_count, sizeof *machine.cores);
  if (machine.core_count * PIPE_COUNT > RACE_AGENTS) {
    abort();
  }
  for (unsigned i = 0; i < machine.core_count; ++i) {
    const unsigned within = i % per_ai_core;
    core_init(&machine, &machine.cores[i], within == 0 ? CORE_CUBE : CORE_VECTOR, i / per_ai_core,
              within == 0 ? 0 : within - 1);
  }
  for (unsigned i = 0; i < machine.core_count; ++i) {
    reach_l1(&machine, &machine.cores[i]);
  }
  machine.clocks = allocate(machine.agents, sizeof *machine.clocks);
  error[0] = '\0';
  const bool ok = record(&machine) && run_all(&machine) && check_end(&machine);
  for (size_t i = 0; i < machine.core_count; ++i) {
    core_free(&machine, &machine.cores[i]);
  }
  free(machine.cores);
  free(machine.clocks);
  free(machine.gm_history.records);
  return ok;
}
