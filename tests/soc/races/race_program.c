// SPDX-License-Identifier: Apache-2.0
#include "race_program.h"

#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "hal/registers.h"
#include "num/num_rng.h"

enum { LIST, OUT, BUFFERS };
enum { L1 = 1024 << 10, L0 = 64 << 10, L0C = 128 << 10, UB = 192 << 10, TRIES = 40 };
enum { WORDS = RACE_MOST / 64, MOST_SETS = 12, EVENTS = 32 };

// Commands, a bit each.
typedef struct set {
  uint64_t bits[WORDS];
} set_t;

// A core, and its pipes' last commands so far; -1: none.
typedef struct core {
  core_kind_t kind;
  unsigned ai_core, sub;
  int last[PIPE_COUNT];
} core_t;

// Flags that are up, and will be waited for.
typedef struct raised {
  unsigned core, from, to, event;
  int set;
} raised_t;

// A flag from a core of one kind to those of the other, in an AI core or across a pair: each of its counts goes from a
// pipe of a sender to a pipe of a receiver. The n-th wait of a receiver takes the n-th set of each sender.
typedef struct cross {
  bool pair, from_cube;
  unsigned ai_core;  // the sender's
  unsigned flag, from, to;
  int set[4][MOST_SETS];  // by sender
  unsigned sets[4];
  unsigned waits[4];  // by receiver
} cross_t;

enum { MOST_RAISED = 128, CROSSES = 16 };

typedef struct maker {
  race_program_t *p;
  num_rng_t rng;
  const uint8_t *bytes;
  size_t size;
  core_t core[RACE_CORES];
  unsigned cores;
  set_t before[RACE_MOST];
  core_access_t access[RACE_MOST][CORE_MAX_ACCESSES];
  unsigned where[RACE_MOST][CORE_MAX_ACCESSES];  // the memory
  size_t accesses[RACE_MOST];
  raised_t raised[MOST_RAISED];
  unsigned raised_count, events[RACE_CORES][PIPE_COUNT][PIPE_COUNT];
  cross_t cross[CROSSES];
  unsigned crosses;
  unsigned spread;  // of addresses
  bool reads;       // there are READ_GMs
} maker_t;

static uint32_t from_to(maker_t *m, uint32_t low, uint32_t high) {
  uint64_t number;
  if (m->size > 0) {
    number = *m->bytes++;
    m->size -= 1;
  } else {
    number = num_rng_u64(&m->rng);
  }
  return low + (uint32_t)(number % (high - low + 1));
}

static bool one_in(maker_t *m, uint32_t n) { return from_to(m, 0, n - 1) == 0; }

// ---- The order of commands ----

static bool has(const set_t *set, size_t i) { return set->bits[i / 64] >> i % 64 & 1; }

// What comes before `of`, and that itself.
static void add_before(maker_t *m, set_t *to, int of) {
  if (of >= 0) {
    for (size_t i = 0; i < WORDS; ++i) {
      to->bits[i] |= m->before[of].bits[i];
    }
    to->bits[of / 64] |= (uint64_t)1 << of % 64;
  }
}

// Appends a command, behind those of its pipe and others. Its number.
static int append(maker_t *m, unsigned core, const command_t *command, const set_t *others) {
  core_t *c = &m->core[core];
  const int number = (int)m->p->count++;
  m->p->list[number] = (listed_command_t){c->kind, c->ai_core, c->sub, one_in(m, 3) ? from_to(m, 0, 40) : 0, *command};
  m->before[number] = others != NULL ? *others : (set_t){{0}};
  add_before(m, &m->before[number], c->last[command->header.pipe_]);
  m->accesses[number] = 0;
  c->last[command->header.pipe_] = number;
  return number;
}

// ---- Accesses ----

static unsigned core_number(const maker_t *m, unsigned ai_core, unsigned sub_and_one) {
  return ai_core * (1 + m->p->vector_cores) + sub_and_one;
}

// The number of a memory: global memory's is 0.
static unsigned memory_of(const maker_t *m, unsigned core, core_space_t space) {
  const unsigned ai_core = m->core[core].ai_core;
  if (space == SPACE_GM) {
    return 0;
  }
  if (space == SPACE_L1) {
    core = core_number(m, ai_core, 0);
  } else if (space == SPACE_PAIR_L1) {
    core = core_number(m, ai_core ^ 1u, 0);
    space = SPACE_L1;
  }
  return core * SPACE_COUNT + space;
}

static bool meet(const core_access_t *a, const core_access_t *b) {
  for (uint64_t i = 0; i < a->rows; ++i) {
    for (uint64_t j = 0; j < b->rows; ++j) {
      const uint64_t x = a->base + i * a->pitch, y = b->base + j * b->pitch;
      if (x < y + b->row_bytes && y < x + a->row_bytes) {
        return true;
      }
    }
  }
  return false;
}

// Does a command race with an earlier one? Its number, or -1.
static int races_with(const maker_t *m, size_t now) {
  for (size_t old = 0; old < now; ++old) {
    for (size_t i = 0; i < m->accesses[now] && !has(&m->before[now], old); ++i) {
      for (size_t j = 0; j < m->accesses[old]; ++j) {
        const core_access_t *a = &m->access[now][i], *b = &m->access[old][j];
        if ((a->write || b->write) && m->where[now][i] == m->where[old][j] && meet(a, b)) {
          return (int)old;
        }
      }
    }
  }
  return -1;
}

#define FILL(name, NAME, PIPE, ...) \
  (command->name = (cmd_##name##_t){.opcode_ = OP_##NAME, .pipe_ = PIPE_##PIPE, __VA_ARGS__})

static uint32_t place(maker_t *m) { return 32 * from_to(m, 0, m->spread); }
static uint64_t in_gm(maker_t *m) {
  const uint32_t unit = one_in(m, 2) ? 512 : one_in(m, 2) ? 32 : 4;
  return m->p->buffer[OUT].address + unit * from_to(m, 0, RACE_BYTES / unit / (m->spread < 8 ? 8 : 1) - 1);
}
static uint32_t gm_pitch(maker_t *m) { return one_in(m, 2) ? 512 * from_to(m, 1, 2) : 4 * from_to(m, 0, 60); }

// The scalar core's, which goes on only then: what it pushes later is no better ordered for it.
static void fill_read(maker_t *m, command_t *command) {
  if (!m->reads) {
    return;  // which is not legal
  }
  FILL(read_gm, READ_GM, MTE2, .gm = in_gm(m), .bytes = 4 * from_to(m, 1, 200));
}

static void fill_cube(maker_t *m, command_t *command) {
  const uint32_t rows = from_to(m, 1, 20), n = from_to(m, 1, 20), k = from_to(m, 1, 20);
  switch (from_to(m, 0, 6)) {
    case 0:
    case 1:
      FILL(load_nz, LOAD_NZ, MTE2, .gm = in_gm(m), .gm_pitch = gm_pitch(m), .l1 = place(m), .rows = rows, .cols = k);
      break;
    case 2:
      if (one_in(m, 2)) {
        FILL(load_a, LOAD_A, MTE1, .l1 = place(m), .l1_pitch = 32 * from_to(m, 1, 40), .l0a = place(m), .m = rows,
             .k = k);
      } else {
        FILL(load_b, LOAD_B, MTE1, .l1 = place(m), .l1_pitch = 32 * from_to(m, 1, 40), .l0b = place(m), .k = k, .n = n,
             .transpose = from_to(m, 0, 1));
      }
      break;
    case 3:
      FILL(mmad, MMAD, M, .l0a = place(m), .l0b = place(m), .l0c = place(m), .m = rows, .n = n, .k = k,
           .accumulate = from_to(m, 0, 1), .type = TYPE_F16);
      break;
    case 4:
      fill_read(m, command);
      break;
    case 5:
      FILL(fix_l1, FIX_L1, FIX, .l0c = place(m), .m = rows, .n = 16 * from_to(m, 1, 2), .l1 = place(m),
           .l1_pitch = 32 * from_to(m, 20, 40), .type = TYPE_F16, .strip_pitch = 64 * from_to(m, 0, 30));
      break;
    default:
      FILL(fixpipe, FIXPIPE, FIX, .l0c = place(m), .m = rows, .n = n, .gm = in_gm(m), .gm_pitch = gm_pitch(m),
           .type = TYPE_F32, .op = from_to(m, 0, 1));
  }
}

static void fill_vector(maker_t *m, command_t *command) {
  const uint32_t rows = from_to(m, 1, 4), bytes = one_in(m, 2) ? 512 * from_to(m, 1, 2) : 4 * from_to(m, 1, 80);
  const uint32_t pitch = 32 * from_to(m, 1, 40);
  switch (from_to(m, 0, m->p->direct_path ? 7 : 6)) {
    case 0:
    case 1:
      FILL(copy_in, COPY_IN, MTE2, .gm = in_gm(m), .gm_pitch = gm_pitch(m), .ub = place(m), .ub_pitch = pitch,
           .rows = rows, .row_bytes = bytes);
      break;
    case 2:
    case 3:
      FILL(copy_out, COPY_OUT, MTE3, .ub = place(m), .ub_pitch = pitch, .gm = in_gm(m), .gm_pitch = gm_pitch(m),
           .rows = rows, .row_bytes = bytes, .op = one_in(m, 2) ? GM_STORE : from_to(m, 0, GM_OP_COUNT - 1));
      break;
    case 7:
      FILL(copy_l1, COPY_L1, MTE3, .ub = place(m), .ub_pitch = pitch, .l1 = place(m),
           .l1_pitch = 32 * from_to(m, 1, 40), .rows = rows, .cols = from_to(m, 1, 40),
           .pair = m->p->pairs ? from_to(m, 0, 1) : 0);
      break;
    case 4:
      fill_read(m, command);
      break;
    default:
      FILL(vec, VEC, V, .op = one_in(m, 2) ? VOP_BROADCAST : VOP_ABS, .rows = rows, .cols = from_to(m, 1, 40),
           .dst = place(m), .dst_pitch = pitch, .a = place(m), .a_pitch = pitch, .b_kind = OPERAND_SCALAR,
           .scalar = 0x3f800000u + from_to(m, 0, 255));
  }
}

// Where it is allowed to be: in the array, and in the core's memories.
static bool is_legal(maker_t *m, unsigned core, const command_t *command) {
  static const core_memory_t cube = {
      .bytes = {[SPACE_GM] = 1 << 20, [SPACE_L1] = L1, [SPACE_L0A] = L0, [SPACE_L0B] = L0, [SPACE_L0C] = L0C}};
  static const core_memory_t vector = {
      .bytes = {[SPACE_GM] = 1 << 20, [SPACE_UB] = UB, [SPACE_L1] = L1, [SPACE_PAIR_L1] = L1}};
  const core_kind_t kind = m->core[core].kind;
  const soc_buffer_t *out = &m->p->buffer[OUT];
  char error[CORE_ERROR_BYTES];
  core_access_t access[CORE_MAX_ACCESSES];
  if (!core_check(kind, kind == CORE_CUBE ? &cube : &vector, command, error)) {
    return false;
  }
  bool inside = true;
  const size_t count = core_accesses(command, access);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t end = access[i].base + (access[i].rows - 1) * access[i].pitch + access[i].row_bytes;
    inside = inside && (access[i].space != SPACE_GM || end <= out->address + out->bytes);
  }
  return inside;
}

static void undo(maker_t *m, unsigned core, int last) {
  m->core[core].last[m->p->list[m->p->count - 1].command.header.pipe_] = last;
  m->p->count -= 1;
}

// A command with accesses; a race is kept once, as a rule.
static void add_access(maker_t *m, unsigned core, uint32_t keep_one_in) {
  for (unsigned tries = 0; tries < TRIES; ++tries) {
    command_t command = {.header = {.opcode_ = 0}};
    m->core[core].kind == CORE_CUBE ? fill_cube(m, &command) : fill_vector(m, &command);
    if (!is_legal(m, core, &command)) {
      continue;
    }
    const int last = m->core[core].last[command.header.pipe_];
    const int now = append(m, core, &command, NULL);
    m->accesses[now] = core_accesses(&command, m->access[now]);
    for (size_t i = 0; i < m->accesses[now]; ++i) {
      m->where[now][i] = memory_of(m, core, m->access[now][i].space);
    }
    const int old = races_with(m, (size_t)now);
    if (old >= 0 && !one_in(m, keep_one_in)) {
      undo(m, core, last);
      continue;
    }
    if (old >= 0 && !m->p->races) {
      m->p->races = true;
      m->p->race[0] = (size_t)old;
      m->p->race[1] = (size_t)now;
    }
    return;
  }
}

// ---- Flags ----

// Not S, whose waits hold the program.
static unsigned random_pipe(maker_t *m, unsigned core) {
  unsigned pipe;
  do {
    pipe = from_to(m, 0, PIPE_S - 1);
  } while (!core_has_pipe(m->core[core].kind, pipe));
  return pipe;
}

static void raise_flag(maker_t *m, unsigned core) {
  const unsigned from = random_pipe(m, core), to = random_pipe(m, core), event = m->events[core][from][to];
  command_t command = {.header = {.opcode_ = 0}};
  if (from != to && event < EVENTS && m->raised_count < MOST_RAISED) {
    m->events[core][from][to] += 1;
    command.set_flag = (cmd_set_flag_t){.opcode_ = OP_SET_FLAG, .pipe_ = (uint8_t)from, .to = to, .event = event};
    m->raised[m->raised_count++] = (raised_t){core, from, to, event, append(m, core, &command, NULL)};
  }
}

static void wait_flag_of(maker_t *m, unsigned which) {
  const raised_t r = m->raised[which];
  command_t command = {.header = {.opcode_ = 0}};
  set_t seen = {{0}};
  m->raised[which] = m->raised[--m->raised_count];
  add_before(m, &seen, r.set);
  command.wait_flag =
      (cmd_wait_flag_t){.opcode_ = OP_WAIT_FLAG, .pipe_ = (uint8_t)r.to, .from = r.from, .event = r.event};
  append(m, r.core, &command, &seen);
}

static unsigned senders_of(const maker_t *m, const cross_t *c) { return c->from_cube ? 1 : m->p->vector_cores; }
static unsigned receivers_of(const maker_t *m, const cross_t *c) { return c->from_cube ? m->p->vector_cores : 1; }

static void send_cross(maker_t *m, cross_t *c, unsigned sender) {
  const unsigned core = core_number(m, c->ai_core, c->from_cube ? 0 : 1 + sender);
  command_t command = {.header = {.opcode_ = 0}};
  if (c->sets[sender] < MOST_SETS) {
    command.cross_set =
        (cmd_cross_set_t){.opcode_ = c->pair ? OP_PAIR_SET : OP_CROSS_SET, .pipe_ = (uint8_t)c->from, .flag = c->flag};
    c->set[sender][c->sets[sender]++] = append(m, core, &command, NULL);
  }
}

// False: not all senders have sent it once more.
static bool wait_cross(maker_t *m, cross_t *c, unsigned receiver) {
  const unsigned core = core_number(m, c->pair ? c->ai_core ^ 1u : c->ai_core, c->from_cube ? 1 + receiver : 0);
  command_t command = {.header = {.opcode_ = 0}};
  set_t seen = {{0}};
  for (unsigned s = 0; s < senders_of(m, c); ++s) {
    if (c->sets[s] <= c->waits[receiver]) {
      return false;
    }
    add_before(m, &seen, c->set[s][c->waits[receiver]]);
  }
  c->waits[receiver] += 1;
  command.cross_wait =
      (cmd_cross_wait_t){.opcode_ = c->pair ? OP_PAIR_WAIT : OP_CROSS_WAIT, .pipe_ = (uint8_t)c->to, .flag = c->flag};
  append(m, core, &command, &seen);
  return true;
}

static void use_cross(maker_t *m) {
  cross_t *c = &m->cross[from_to(m, 0, m->crosses - 1)];
  if (one_in(m, 2)) {
    send_cross(m, c, from_to(m, 0, senders_of(m, c) - 1));
  } else {
    wait_cross(m, c, from_to(m, 0, receivers_of(m, c) - 1));
  }
}

// All pipes like this one meet. Each comes on its own, and knows afterwards what all had known.
static void synchronise(maker_t *m, core_kind_t kind, unsigned pipe) {
  command_t command = {.header = {.opcode_ = OP_SYNC_ALL, .pipe_ = (uint8_t)pipe}};
  set_t all = {{0}};
  for (unsigned i = 0; i < m->cores; ++i) {
    if (m->core[i].kind == kind) {
      add_before(m, &all, m->core[i].last[pipe]);
    }
  }
  for (unsigned i = 0; i < m->cores; ++i) {
    if (m->core[i].kind == kind) {
      append(m, i, &command, &all);
    }
  }
}

// ---- Programs ----

static unsigned most_sets(const maker_t *m, const cross_t *c) {
  unsigned most = 0;
  for (unsigned s = 0; s < senders_of(m, c); ++s) {
    most = c->sets[s] > most ? c->sets[s] : most;
  }
  return most;
}

// For another step, and then for what lower_all appends.
static bool has_room(const maker_t *m) {
  size_t owed = m->raised_count + RACE_CORES + 16;
  for (unsigned i = 0; i < m->crosses; ++i) {
    const cross_t *c = &m->cross[i];
    owed += most_sets(m, c) * (senders_of(m, c) + receivers_of(m, c));
  }
  return m->p->count + owed < RACE_MOST;
}

static void make_cores(maker_t *m) {
  for (unsigned i = 0; i < m->p->ai_cores; ++i) {
    for (unsigned sub = 0; sub <= m->p->vector_cores; ++sub) {
      core_t *c = &m->core[m->cores++];
      *c = (core_t){sub == 0 ? CORE_CUBE : CORE_VECTOR, i, sub == 0 ? 0 : sub - 1, {0}};
      memset(c->last, 0xff, sizeof c->last);
    }
  }
}

static void make_crosses(maker_t *m) {
  for (m->crosses = 0; m->crosses < CROSSES; ++m->crosses) {
    cross_t *c = &m->cross[m->crosses];
    *c = (cross_t){.pair = m->p->pairs && one_in(m, 2), .from_cube = one_in(m, 2)};
    c->ai_core = from_to(m, 0, m->p->ai_cores - 1);
    c->flag = m->crosses % CROSS_FLAGS;
    const unsigned cube = 0, vector = 1;  // any of them have the same pipes
    c->from = random_pipe(m, c->from_cube ? cube : vector);
    c->to = random_pipe(m, c->from_cube ? vector : cube);
  }
}

// Whatever is up is waited for.
static void lower_all(maker_t *m) {
  while (m->raised_count > 0) {
    wait_flag_of(m, 0);
  }
  for (unsigned i = 0; i < m->crosses; ++i) {
    cross_t *c = &m->cross[i];
    for (unsigned s = 0; s < senders_of(m, c); ++s) {
      while (c->sets[s] < most_sets(m, c)) {
        send_cross(m, c, s);
      }
    }
    for (unsigned r = 0; r < receivers_of(m, c); ++r) {
      while (wait_cross(m, c, r)) {
      }
    }
  }
}

static void make_step(maker_t *m, uint32_t keep_one_in) {
  const unsigned core = from_to(m, 0, m->cores - 1);
  switch (from_to(m, 0, 15)) {
    case 0:
    case 1:
    case 2:
      raise_flag(m, core);
      break;
    case 3:
    case 4:
    case 5:
      if (m->raised_count > 0) {
        wait_flag_of(m, from_to(m, 0, m->raised_count - 1));
      }
      break;
    case 6:
    case 7:
      use_cross(m);
      break;
    case 8:
      synchronise(m, m->core[core].kind, random_pipe(m, core));
      break;
    default:
      add_access(m, core, keep_one_in);
  }
}

void race_program_make(race_program_t *p, uint64_t seed, const uint8_t *bytes, size_t size) {
  static maker_t maker;
  maker_t *m = &maker;
  memset(m, 0, sizeof *m);
  m->p = p;
  m->bytes = bytes;
  m->size = size;
  num_rng_seed(&m->rng, seed);
  p->count = 0;
  p->races = false;
  p->ai_cores = from_to(m, 1, 8);
  p->vector_cores = from_to(m, 1, p->ai_cores < 3 ? 3 : 2);
  p->pairs = p->ai_cores % 2 == 0 && one_in(m, 2);
  p->direct_path = one_in(m, 3);
  m->spread = one_in(m, 2) ? 4 : 60;
  make_cores(m);
  make_crosses(m);
  const uint32_t keep_one_in = one_in(m, 3) ? 100000 : 10 * from_to(m, 1, 40);
  m->reads = one_in(m, keep_one_in == 100000 ? 2 : 100);  // a core that a race ends in one leaves a thread asleep
  for (uint32_t left = from_to(m, 40, 250); left > 0 && has_room(m) && (!p->races || left > 200); --left) {
    make_step(m, keep_one_in);
  }
  lower_all(m);
}

void race_program_place(race_program_t *p) {
  p->buffer[LIST] =
      (soc_buffer_t){.name = "list", .bytes = sizeof p->list, .init = p->list, .read_only = true, .numbers = true};
  p->buffer[OUT] = (soc_buffer_t){.name = "out", .bytes = sizeof p->out, .result = p->out, .numbers = true};
  soc_place(p->buffer, BUFFERS);
}

// ---- The simulator ----

static soc_status_t run(race_program_t *p, bool check, unsigned threads, char error[SOC_ERROR_BYTES]) {
  soc_options_t options = {.firmware = SOC_FIRMWARE_NATIVE,
                           .firmware_file = FIRMWARE_DIR "/tests/commands.so",
                           .gm = SOC_GM_C,
                           .pairs = p->pairs,
                           .race_check = check,
                           .timing_only = check,
                           .threads = threads};
  base_error_t reason = {""};
  soc_result_t result = {.status = SOC_BAD_INPUT};
  const commands_args_t args = {p->buffer[LIST].address, p->count};
  if (config_open("ascend910_core", &options.config, &reason)) {
    options.config.soc.ai_cores = p->ai_cores;
    options.config.soc.vector_cores = p->vector_cores;
    options.config.soc.direct_path = p->direct_path;
    options.config.scalar.queue_depth = RACE_MOST;
    soc_run(&options, p->buffer, BUFFERS, &args, sizeof args, &result);
  }
  memcpy(error, result.error, sizeof result.error);
  const soc_status_t status = result.status;
  soc_result_free(&result);
  return status;
}

static void describe(const race_program_t *p, size_t command, char text[512]) {
  const listed_command_t *l = &p->list[command];
  const int used = snprintf(text, 64, "%s %u.%u ", core_kind_name(l->kind), l->core, l->sub);
  core_disassemble(&l->command, text + used, 512 - (size_t)used);
}

bool race_program_agrees(race_program_t *p) {
  char error[SOC_ERROR_BYTES], race[2][512] = {"", ""};
  const soc_status_t status = run(p, true, 1, error);
  const bool found = status == SOC_STOPPED && strncmp(error, "race in ", 8) == 0;
  if (found == p->races && (found || status == SOC_DONE)) {
    return true;
  }
  for (size_t i = 0; i < 2 && p->races; ++i) {
    describe(p, p->race[i], race[i]);
  }
  fprintf(stderr, "simulator: %s; expected: %s%s%s\n", status == SOC_DONE ? "no race" : error,
          p->races ? race[0] : "no race", p->races ? " races with " : "", race[1]);
  return false;
}

bool race_program_has_one_result(race_program_t *p) {
  static uint8_t first[RACE_BYTES];
  char error[SOC_ERROR_BYTES];
  for (unsigned threads = 1; threads <= 4; ++threads) {
    const soc_status_t status = run(p, false, threads, error);
    if (status != SOC_DONE) {
      fprintf(stderr, "%u threads: %s\n", threads, error);
      return false;
    }
    if (threads > 1 && memcmp(first, p->out, sizeof first) != 0) {
      fprintf(stderr, "%u threads give other bytes than one\n", threads);
      return false;
    }
    memcpy(first, p->out, sizeof first);
  }
  return true;
}
