// Time of moves between cores and global memory, and when they take effect: cold and warm bytes, short and
// unaligned moves, rows, gathers, atomic operations, moves side by side. On several machines, to the cycle, from a map
// of the sectors that a die's L2 has. test_time.c has the commands that need no global memory.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "commands_case.h"
#include "hal/registers.h"

enum { SECTOR = 64, SECTORS = 1 << 18, BEAT = 64 };  // all arrays are within 16 MiB

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static double lesser(double a, double b) { return a < b ? a : b; }

static uint64_t us(const config_t *config, double time) { return (uint64_t)(time * config->soc.clock_mhz + 0.5); }

static double rate(const config_t *config, double gbps) { return gbps * 1000 / config->soc.clock_mhz; }

// --- what a move takes ------------------------------------------------------------------------

static uint8_t there[SECTORS];  // in L2

// Bytes that are not in L2 yet, row by row; from then on they are. Rows end to end are one.
static uint64_t touch(uint64_t gm, uint64_t rows, uint64_t row_bytes, uint64_t pitch) {
  if (pitch == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  uint64_t cold = 0;
  for (uint64_t row = 0; row < rows; ++row) {
    const uint64_t begin = gm - GM_BASE + row * pitch;
    for (uint64_t at = begin; at < begin + row_bytes; ++at) {
      cold += !there[at / SECTOR];
    }
    memset(&there[begin / SECTOR], 1, (begin + row_bytes - 1) / SECTOR - begin / SECTOR + 1);
  }
  return cold;
}

typedef struct shape {
  uint32_t rows, row_bytes, pitch, offset;
} shape_t;

static bool is_whole(shape_t s) { return s.rows <= 1 || s.pitch == s.row_bytes; }

// True if all its rows begin at multiples of gm.align_bytes; rows without gaps are one.
static bool is_aligned(const config_t *config, uint64_t gm, shape_t s) {
  for (uint64_t row = 0; row < (is_whole(s) ? 1 : s.rows); ++row) {
    if ((gm - GM_BASE + row * s.pitch) % config->gm.align_bytes != 0) {
      return false;
    }
  }
  return true;
}

// The share of its pipe's rate that a move gets.
static double share(const config_t *config, bool aligned, uint64_t bytes) {
  const double worst = config->gm.worst_efficiency;
  if (!aligned) {
    return worst;
  }
  return bytes >= config->gm.move_bytes ? 1 : worst + (1 - worst) * (double)bytes / config->gm.move_bytes;
}

// Alone on a die.
static uint64_t move_cycles(const config_t *config, uint64_t bytes, uint64_t cold, double limit) {
  const double l2 = rate(config, config->gm.l2_gbps);
  const double hbm = rate(config, config->gm.hbm_gbps) * config->gm.hbm_efficiency;
  const double warm_rate = lesser(limit, l2);
  return later(1, commands_cycles((double)cold / lesser(warm_rate, hbm) + (double)(bytes - cold) / warm_rate));
}

static uint64_t load_latency(const config_t *config, uint64_t cold) {
  return us(config, config->gm.l2_latency_us + (cold > 0 ? config->gm.hbm_latency_us : 0));
}

static void expect_load(const commands_case_t *c, size_t i, uint64_t bytes, uint64_t cold, double limit) {
  const config_t *config = &c->options.config;
  commands_expect(c, i, move_cycles(config, bytes, cold < bytes ? cold : bytes, limit), load_latency(config, cold));
  commands_equal(c, i, "alone", c->at[i].alone, commands_cycles((double)bytes / limit));
}

static void expect_store(const commands_case_t *c, size_t i, uint64_t bytes, double limit) {
  const config_t *config = &c->options.config;
  commands_expect(c, i, move_cycles(config, bytes, 0, limit), us(config, config->gm.write_latency_us));
  commands_equal(c, i, "alone", c->at[i].alone, commands_cycles((double)bytes / limit));
}

// --- one move after the other -----------------------------------------------------------------

// Somewhere in the first 256 KiB of an array, so that some of it was touched before; a good part is aligned, and a good
// part one row.  unit: of offsets, lengths and pitches.
static shape_t random_shape(commands_case_t *c, uint32_t unit, uint32_t most_rows, uint32_t most_bytes) {
  const uint32_t align = commands_random(c, 0, 1) ? c->options.config.gm.align_bytes : unit;
  const uint32_t step = align % unit == 0 ? align : align * unit;
  shape_t s;
  s.rows = (uint32_t)(commands_random(c, 0, 1) ? 1 : commands_random(c, 1, most_rows));
  s.row_bytes = (uint32_t)commands_random(c, 1, (commands_random(c, 0, 2) ? most_bytes : 300) / unit) * unit;
  s.pitch = s.row_bytes + (uint32_t)(commands_random(c, 0, 1) ? 0 : commands_random(c, 0, 500) * unit);
  s.offset = (uint32_t)commands_random(c, 0, 150000 / step) * step;
  return s;
}

static uint32_t round_32(uint32_t bytes) { return (bytes + 31) / 32 * 32; }

// A move of rows, at its pipe's rate; what is stored is in L2, too.
static void expect_rows(commands_case_t *c, size_t i, bool load, uint64_t gm, shape_t s, double gbps) {
  const config_t *config = &c->options.config;
  const uint64_t bytes = (uint64_t)s.rows * s.row_bytes, cold = touch(gm, s.rows, s.row_bytes, s.pitch);
  const double bytes_per_cycle = rate(config, gbps) * share(config, is_aligned(config, gm, s), bytes);
  if (load) {
    expect_load(c, i, bytes, cold, bytes_per_cycle);
  } else {
    expect_store(c, i, bytes, bytes_per_cycle);
  }
}

// Cube core loads and stores, one pipe after the other.
ON_MACHINES(cube_moves) {
  const config_t *config = &c->options.config;
  shape_t shapes[COMMANDS_MOST];
  uint32_t element[COMMANDS_MOST];
  for (int i = 0; i < 40; ++i) {
    const bool load = i < 25;
    element[c->count] = load || i % 2 == 0 ? 2 : 4;
    const shape_t s = shapes[c->count] = random_shape(c, element[c->count], 40, load ? 3000 : 500);
    const uint32_t cols = s.row_bytes / element[c->count];
    if (i == 25) {  // stores begin when all loads have ended
      commands_add(c, CORE_CUBE, 0, 0, COMMAND_OF(SET_FLAG, set_flag, MTE2, .to = PIPE_FIX));
      commands_add(c, CORE_CUBE, 0, 0, COMMAND_OF(WAIT_FLAG, wait_flag, FIX, .from = PIPE_MTE2));
      shapes[c->count] = s;
      element[c->count] = element[c->count - 2];
    }
    commands_add(
        c, CORE_CUBE, 0, 0,
        load ? COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = commands_in + s.offset, .gm_pitch = s.pitch, .rows = s.rows,
                          .cols = cols)
             : COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = s.rows, .n = cols, .gm = commands_out + s.offset,
                          .gm_pitch = s.pitch, .type = element[c->count] == 4 ? TYPE_F32 : TYPE_BF16, .op = GM_STORE));
    if (commands_random(c, 0, 2) == 0) {
      commands_add(c, CORE_CUBE, 0, 0,
                   load ? COMMAND_OF(PIPE_BARRIER, pipe_barrier, MTE2, .zero_ = 0)
                        : COMMAND_OF(PIPE_BARRIER, pipe_barrier, FIX, .zero_ = 0));
    }
  }
  commands_run(c);
  memset(there, 0, sizeof there);
  for (size_t i = 0; i < c->count; ++i) {
    const command_t *command = &c->list[i].command;
    switch (command->header.opcode_) {
      case OP_LOAD_NZ:
        expect_rows(c, i, true, command->load_nz.gm, shapes[i], config->cube.load_gbps);
        break;
      case OP_FIXPIPE:
        expect_rows(c, i, false, command->fixpipe.gm, shapes[i], config->cube.store_gbps);
        break;
      case OP_PIPE_BARRIER:
        commands_expect_wait(c, i, later(c->at[i].begin, commands_effect_before(c, i)) + config->soc.flag_cycles);
        break;
      case OP_SET_FLAG:  // behind loads whose effect is still on its way
        commands_expect(c, i, config->soc.flag_cycles, 0);
        break;
      default:
        commands_expect_wait(c, i, c->at[i - 1].done);
    }
  }
}

// Vector core: what it stores is there when it is loaded again.
ON_MACHINES(vector_moves) {
  const config_t *config = &c->options.config;
  shape_t shapes[COMMANDS_MOST];
  for (uint32_t i = 0; i < 40; ++i) {
    const bool store = i % 3 == 2;
    const uint8_t from = store ? PIPE_MTE3 : PIPE_MTE2, to = store ? PIPE_MTE2 : PIPE_MTE3;
    const shape_t s = shapes[c->count] = random_shape(c, 1, 30, 3000);
    commands_add(
        c, CORE_VECTOR, 0, 1,
        store ? COMMAND_OF(COPY_OUT, copy_out, MTE3, .ub_pitch = round_32(s.row_bytes), .gm = commands_out + s.offset,
                           .gm_pitch = s.pitch, .rows = s.rows, .row_bytes = s.row_bytes, .op = GM_STORE)
              : COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = (i % 2 == 0 ? commands_in : commands_out) + s.offset,
                           .gm_pitch = s.pitch, .ub_pitch = round_32(s.row_bytes), .rows = s.rows,
                           .row_bytes = s.row_bytes));
    if (i % 3 != 0) {  // the next move is the other pipe's
      command_t set = COMMAND_OF(SET_FLAG, set_flag, MTE2, .to = to, .event = i % 32);
      command_t wait = COMMAND_OF(WAIT_FLAG, wait_flag, MTE2, .from = from, .event = i % 32);
      set.header.pipe_ = from;
      wait.header.pipe_ = to;
      commands_add(c, CORE_VECTOR, 0, 1, set);
      commands_add(c, CORE_VECTOR, 0, 1, wait);
    }
  }
  commands_run(c);
  memset(there, 0, sizeof there);
  for (size_t i = 0; i < c->count; ++i) {
    const command_t *command = &c->list[i].command;
    if (command->header.opcode_ == OP_COPY_IN) {
      expect_rows(c, i, true, command->copy_in.gm, shapes[i], config->vector.load_gbps);
    } else if (command->header.opcode_ == OP_COPY_OUT) {
      expect_rows(c, i, false, command->copy_out.gm, shapes[i], config->vector.store_gbps);
    }
  }
}

// Each row is a move of its own in what it may be short of and where it begins; the list is loaded, too, but takes no
// time.
ON_MACHINES(gathers) {
  const config_t *config = &c->options.config;
  for (int i = 0; i < 30; ++i) {
    const shape_t s = random_shape(c, 1, 60, 1000);
    const uint32_t page = (uint32_t)commands_random(c, 1, 9);
    commands_add(c, CORE_VECTOR, 0, 0,
                 COMMAND_OF(GATHER_IN, gather_in, MTE2, .gm = commands_in + s.offset, .gm_pitch = s.pitch,
                            .list = commands_numbers + 4 * commands_random(c, 0, 100),
                            .first = (uint32_t)commands_random(c, 0, 90), .page = page,
                            .ub_pitch = round_32(s.row_bytes), .rows = s.rows, .row_bytes = s.row_bytes));
  }
  commands_run(c);
  memset(there, 0, sizeof there);
  for (size_t i = 0; i < c->count; ++i) {
    const cmd_gather_in_t *g = &c->list[i].command.gather_in;
    uint64_t cold = 0;
    double shares = 0;
    for (uint32_t row = 0; row < g->rows; ++row) {
      const uint64_t place = g->first + row;
      const uint64_t number = (g->list - commands_numbers) / 4 + place / g->page;  // what the list has there
      const uint64_t gm = g->gm + (number * g->page + place % g->page) * g->gm_pitch;
      cold += touch(gm, 1, g->row_bytes, 0);
      shares += share(config, (gm - GM_BASE) % config->gm.align_bytes == 0, g->row_bytes);
    }
    const uint64_t first = g->first / g->page, last = (g->first + g->rows - 1) / g->page;
    cold += touch(g->list + 4 * first, 1, 4 * (last - first + 1), 0);
    expect_load(c, i, (uint64_t)g->rows * g->row_bytes, cold,
                rate(config, config->vector.load_gbps) * shares / g->rows);
  }
}

ON_MACHINES(engine_moves) {
  config_t *config = &c->options.config;
  config->soc.engines = 1;
  c->options.engine_num = (num_engine_t){.d = 64};
  shape_t shapes[COMMANDS_MOST];
  for (uint32_t i = 0; i < 30; ++i) {
    const bool load = i < 18;
    const shape_t s = shapes[c->count] = random_shape(c, 2, 30, 3000);
    commands_add(c, CORE_ENGINE, 0, 0,
                 load ? COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = commands_in + s.offset, .gm_pitch = s.pitch,
                                   .eb_pitch = round_32(s.row_bytes), .rows = s.rows, .row_bytes = s.row_bytes)
                      : COMMAND_OF(STORE_EB, store_eb, STORE, .gm = commands_out + s.offset, .gm_pitch = s.pitch,
                                   .eb_pitch = round_32(s.row_bytes), .rows = s.rows, .row_bytes = s.row_bytes));
    if (i == 17) {
      commands_add(c, CORE_ENGINE, 0, 0, COMMAND_OF(SET_FLAG, set_flag, LOAD, .to = PIPE_STORE));
      commands_add(c, CORE_ENGINE, 0, 0, COMMAND_OF(WAIT_FLAG, wait_flag, STORE, .from = PIPE_LOAD));
    }
  }
  commands_run(c);
  memset(there, 0, sizeof there);
  for (size_t i = 0; i < c->count; ++i) {
    const command_t *command = &c->list[i].command;
    if (command->header.opcode_ == OP_LOAD_EB) {
      expect_rows(c, i, true, command->load_eb.gm, shapes[i], config->engine.load_gbps);
    } else if (command->header.opcode_ == OP_STORE_EB) {
      expect_rows(c, i, false, command->store_eb.gm, shapes[i], config->engine.store_gbps);
    }
  }
}

// Keys come to the engine evenly over the time of their move, a latency later. It takes one at each edge of its own
// clock, and has it by the next. edge: number of the next one that it has not used; returns the cycle of the one after
// the last.
static uint64_t last_key(const config_t *config, uint64_t first, uint64_t duration, uint64_t keys, uint64_t *edge) {
  const double ratio = config->soc.clock_mhz / config->engine.clock_mhz;
  for (uint64_t key = 0; key < keys; ++key) {
    while (commands_cycles((double)*edge * ratio) < first + key * duration / keys) {
      ++*edge;
    }
    ++*edge;
  }
  return commands_cycles((double)*edge * ratio);
}

ON_MACHINES(keys) {
  config_t *config = &c->options.config;
  enum { ROW = 128, ROWS = 256 };  // bytes of 64 elements; keys of a block
  config->soc.engines = 1;
  c->options.engine_num = (num_engine_t){.d = ROW / 2};
  for (int i = 0; i < 16; ++i) {
    const uint32_t pitch = ROW + (uint32_t)(commands_random(c, 0, 1) ? 0 : 2 * commands_random(c, 1, 200));
    const uint64_t k = commands_in + 512 * commands_random(c, 0, 300), v = k + 2 * commands_random(c, 0, 60000);
    commands_add(c, CORE_ENGINE, 0, 0,
                 COMMAND_OF(LOAD_KV, load_kv, LOAD, .k_gm = k, .v_gm = v, .k_pitch = pitch, .v_pitch = pitch,
                            .keys = (uint32_t)commands_random(c, 1, 700), .stride = ROWS, .dim = ROW / 2));
    if (i % 4 != 0) {
      commands_add(c, CORE_ENGINE, 0, 0, COMMAND_OF(PIPE_BARRIER, pipe_barrier, LOAD, .zero_ = 0));
    }
  }
  commands_run(c);
  memset(there, 0, sizeof there);
  uint64_t edge = 0;
  for (size_t i = 0; i < c->count; ++i) {
    const cmd_load_kv_t *load = &c->list[i].command.load_kv;
    if (load->opcode_ != OP_LOAD_KV) {
      continue;
    }
    const uint64_t bytes = (uint64_t)load->keys * ROW * 2;
    uint64_t cold = touch(load->k_gm, load->keys, ROW, load->k_pitch);
    cold += touch(load->v_gm, load->keys, ROW, load->v_pitch);
    const shape_t s = {.rows = load->keys, .row_bytes = ROW, .pitch = load->k_pitch};
    const double limit =
        rate(config, config->engine.load_gbps) * share(config, is_aligned(config, load->k_gm, s), bytes);
    const uint64_t duration = commands_cycles((double)bytes / limit), latency = load_latency(config, cold);
    const uint64_t busy = move_cycles(config, bytes, cold, limit), end = c->at[i].begin + busy;
    const uint64_t last = last_key(config, c->at[i].begin + 1 + latency, duration, load->keys, &edge);
    commands_expect(c, i, busy, later(end + latency, last) - end);
  }
}

// --- L2 ---------------------------------------------------------------------------------------

static command_t copy_in(uint64_t gm, uint32_t bytes) {
  return COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = gm, .rows = 1, .row_bytes = bytes);
}

static double whole_rate(const config_t *config, uint64_t gm, uint64_t bytes) {
  return rate(config, config->vector.load_gbps) * share(config, is_aligned(config, gm, (shape_t){.rows = 1}), bytes);
}

// Inputs are there at the start, as much as the dies' L2s hold, the first ones first; results are not. What comes
// before `in` takes less than 64 KiB.
ON_MACHINES(warm_inputs) {
  config_t *config = &c->options.config;
  c->options.l2_warm = true;
  config->gm.l2_mb = 1;
  config->soc.ai_cores = config->soc.dies = 1 + c->machine % 2;
  const uint64_t most = (uint64_t)config->soc.dies << 20;
  commands_add(c, CORE_VECTOR, 0, 0, copy_in(commands_in, 100000));
  commands_add(c, CORE_VECTOR, 0, 0, copy_in(commands_in + most - (64 << 10) - 100000, 100000));
  commands_add(c, CORE_VECTOR, 0, 0, copy_in(commands_in + most, 100000));
  commands_add(c, CORE_VECTOR, 0, 0, copy_in(commands_out + (1 << 20), 100000));
  commands_run(c);
  for (size_t i = 0; i < c->count; ++i) {
    const uint64_t gm = c->list[i].command.copy_in.gm;
    expect_load(c, i, 100000, i < 2 ? 0 : 100000, whole_rate(config, gm, 100000));
  }
}

// Bytes that have not been used for longest go when more than L2 holds has been loaded, and are cold again.
ON_MACHINES(what_went_is_cold) {
  config_t *config = &c->options.config;
  config->gm.l2_mb = 1;
  enum { PART = 128 << 10, PARTS = 9 };
  for (uint32_t part = 0; part < PARTS; ++part) {
    commands_add(c, CORE_VECTOR, 0, 0, copy_in(commands_in + part * PART, PART));
  }
  commands_add(c, CORE_VECTOR, 0, 0, copy_in(commands_in + 2 * PART, PART));  // still there
  commands_add(c, CORE_VECTOR, 0, 0, copy_in(commands_in, PART));
  commands_run(c);
  for (size_t i = 0; i < c->count; ++i) {
    const uint64_t gm = c->list[i].command.copy_in.gm;
    expect_load(c, i, PART, i == PARTS ? 0 : PART, whole_rate(config, gm, PART));
  }
}

// --- moves side by side -----------------------------------------------------------------------

// Cores of a die share its HBM and L2 evenly; each die has its own.
ON_MACHINES(shared) {
  config_t *config = &c->options.config;
  enum { CORES = 6, DIES = 2, BYTES = 96 << 10 };
  config->soc.ai_cores = CORES;
  config->soc.dies = DIES;
  config->soc.skew_us = 0;
  config->gm.align_bytes = 64;
  config->gm.hbm_gbps = (double)commands_random(c, 100, 1200);
  config->gm.l2_gbps = (double)commands_random(c, 200, 2400);
  for (int time = 0; time < 2; ++time) {  // cold, then warm
    for (unsigned core = 0; core < CORES; ++core) {
      commands_add(c, CORE_VECTOR, core, 0, copy_in(commands_in + core * (128 << 10), BYTES));
      commands_add(c, CORE_VECTOR, core, 0, COMMAND_OF(PIPE_BARRIER, pipe_barrier, MTE2, .zero_ = 0));
    }
  }
  commands_run(c);
  const double hbm = rate(config, config->gm.hbm_gbps) * config->gm.hbm_efficiency / (CORES / DIES);
  const double l2 = rate(config, config->gm.l2_gbps) / (CORES / DIES);
  for (size_t i = 0; i < c->count; i += 2) {
    const bool cold = i < c->count / 2;
    const double limit = lesser(lesser(rate(config, config->vector.load_gbps), l2), cold ? hbm : l2);
    commands_expect(c, i, commands_cycles(BYTES / limit), load_latency(config, cold));
  }
}

// --- atomic operations ------------------------------------------------------------------------

// Beats, or whole runs of them with RESCALE, come to their slices evenly over the time of the move, from the cycle
// after its begin on. A slice takes one at a time, which keeps it for a cycle a beat, and answers six cycles later: its
// pipeline takes five (model/core/gm_atomic.h). A beat of the same words as one before it, as rows have in common,
// waits until that is written. sent: of each row whether it is; NULL: all are.
static uint64_t last_answer(const config_t *config, const cmd_copy_out_t *out, const bool *sent, uint64_t begin,
                            uint64_t duration) {
  enum { FLIGHT = 7 };  // from one beat to the next of the same words
  static uint64_t slice_of[1 << 16], service[1 << 16], first[1 << 16], taken[1 << 16];
  uint64_t count = 0;
  for (uint64_t row = 0; row < out->rows; ++row) {
    const uint64_t from = out->gm - GM_BASE + row * out->gm_pitch;
    for (uint64_t at = from; (sent == NULL || sent[row]) && at < from + out->row_bytes; ++count) {
      const uint64_t slice_end = (at / config->gm.slice_bytes + 1) * config->gm.slice_bytes;
      const uint64_t beat_end = (at / BEAT + 1) * BEAT;
      uint64_t end = out->op == GM_RESCALE && at % BEAT == 0 ? slice_end : beat_end;
      end = end < from + out->row_bytes ? end : from + out->row_bytes;
      slice_of[count] = at / config->gm.slice_bytes % config->gm.slices;
      service[count] = (end - 1) / BEAT - at / BEAT + 1;
      first[count] = at / BEAT;
      at = end;
    }
  }
  uint64_t free_at[256] = {0};
  uint64_t last = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t *slice = &free_at[slice_of[i]];
    taken[i] = later(*slice, begin + 1 + i * duration / count);
    for (uint64_t j = 0; j < i; ++j) {
      if (first[j] <= first[i] && first[i] < first[j] + service[j]) {
        taken[i] = later(taken[i], taken[j] + first[i] - first[j] + FLIGHT);
      }
    }
    *slice = taken[i] + service[i];
    last = later(last, *slice + 6);
  }
  return last;
}

static shape_t rows_of(const cmd_copy_out_t *out) {
  return (shape_t){.rows = out->rows, .row_bytes = out->row_bytes, .pitch = out->gm_pitch};
}

ON_MACHINES(atomics) {
  static const uint32_t ops[] = {GM_ADD_F32, GM_ADD_S32, GM_ADD_S32_RAW, GM_RESCALE};
  config_t *config = &c->options.config;
  c->options.gm = c->machine % 4 == 1 ? SOC_GM_RTL : SOC_GM_C;
  if (c->machine % 4 >= 2) {
    config->vector.store_gbps = 0.3;  // slices wait for what comes
  }
  for (uint32_t i = 0; i < 24; ++i) {
    const shape_t s = random_shape(c, 4, 20, 2000);
    commands_add(c, CORE_VECTOR, 0, 0,
                 COMMAND_OF(COPY_OUT, copy_out, MTE3, .ub_pitch = round_32(s.row_bytes), .gm = commands_out + s.offset,
                            .gm_pitch = s.pitch, .rows = s.rows, .row_bytes = s.row_bytes, .op = ops[i % 4]));
    commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(PIPE_BARRIER, pipe_barrier, MTE3, .zero_ = 0));
  }
  commands_run(c);
  for (size_t i = 0; i < c->count; i += 2) {
    const cmd_copy_out_t *out = &c->list[i].command.copy_out;
    const uint64_t bytes = (uint64_t)out->rows * (out->op == GM_RESCALE ? 4 : out->row_bytes);
    const double limit =
        rate(config, config->vector.store_gbps) * share(config, is_aligned(config, out->gm, rows_of(out)), bytes);
    const uint64_t busy = move_cycles(config, bytes, 0, limit);
    const uint64_t answer = last_answer(config, out, NULL, c->at[i].begin, commands_cycles((double)bytes / limit));
    const uint64_t end = c->at[i].begin + busy;
    commands_expect(c, i, busy, later(end, answer) - end + us(config, config->gm.write_latency_us));
  }
}

// Rows of zeros are not sent if that is asked for. This needs values: a row of one number each, before every store.
ON_MACHINES(skipped_rows) {
  enum { ROWS = 6, TIMES = 12, PITCH = 2048 };
  static const uint32_t ops[] = {GM_ADD_S32, GM_ADD_S32_RAW};
  const config_t *config = &c->options.config;
  c->options.timing_only = false;
  bool sent[TIMES][ROWS];
  size_t stores[TIMES];
  for (uint32_t i = 0; i < TIMES; ++i) {
    const uint32_t words = (uint32_t)commands_random(c, 1, PITCH / 4);
    for (uint32_t row = 0; row < ROWS; ++row) {
      sent[i][row] = i != 0 && commands_random(c, 0, 1);
      commands_add(c, CORE_VECTOR, 0, 0,
                   COMMAND_OF(VEC, vec, V, .op = VOP_BROADCAST, .rows = 1, .cols = words, .dst = row * PITCH,
                              .b_kind = OPERAND_SCALAR, .scalar = sent[i][row]));
    }
    commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(SET_FLAG, set_flag, V, .to = PIPE_MTE3, .event = i));
    commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(WAIT_FLAG, wait_flag, MTE3, .from = PIPE_V, .event = i));
    stores[i] = commands_add(
        c, CORE_VECTOR, 0, 0,
        COMMAND_OF(COPY_OUT, copy_out, MTE3, .ub_pitch = PITCH, .gm = commands_out + 4 * commands_random(c, 0, 900),
                   .gm_pitch = PITCH, .rows = ROWS, .row_bytes = 4 * words, .op = ops[i % 2], .skip_zero = 1));
    commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(SET_FLAG, set_flag, MTE3, .to = PIPE_V, .event = i));
    commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(WAIT_FLAG, wait_flag, V, .from = PIPE_MTE3, .event = i));
  }
  commands_run(c);
  for (size_t i = 0; i < TIMES; ++i) {
    const soc_command_t *at = &c->at[stores[i]];
    const cmd_copy_out_t *out = &c->list[stores[i]].command.copy_out;
    uint64_t bytes = 0;
    for (uint32_t row = 0; row < ROWS; ++row) {
      bytes += sent[i][row] ? out->row_bytes : 0;
    }
    const double limit =
        rate(config, config->vector.store_gbps) * share(config, is_aligned(config, out->gm, rows_of(out)), bytes);
    const uint64_t busy = move_cycles(config, bytes, 0, limit), end = at->begin + busy;
    const uint64_t answer =
        bytes == 0 ? 0 : last_answer(config, out, sent[i], at->begin, commands_cycles((double)bytes / limit));
    commands_expect(c, stores[i], busy, later(end, answer) - end + us(config, config->gm.write_latency_us));
  }
}

// FIXPIPE's adds are COPY_OUT's.
ON_MACHINES(atomic_adds_of_the_cube) {
  const config_t *config = &c->options.config;
  for (uint32_t i = 0; i < 16; ++i) {
    const shape_t s = random_shape(c, 4, 40, 500);
    commands_add(c, CORE_CUBE, 0, 0,
                 COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = s.rows, .n = s.row_bytes / 4, .gm = commands_out + s.offset,
                            .gm_pitch = s.pitch, .type = TYPE_F32, .op = GM_ADD_F32));
    commands_add(c, CORE_CUBE, 0, 0, COMMAND_OF(PIPE_BARRIER, pipe_barrier, FIX, .zero_ = 0));
  }
  commands_run(c);
  for (size_t i = 0; i < c->count; i += 2) {
    const cmd_fixpipe_t *fix = &c->list[i].command.fixpipe;
    const uint64_t bytes = (uint64_t)fix->m * fix->n * 4;
    const cmd_copy_out_t out = {
        .gm = fix->gm, .gm_pitch = fix->gm_pitch, .rows = fix->m, .row_bytes = fix->n * 4, .op = fix->op};
    const double limit =
        rate(config, config->cube.store_gbps) * share(config, is_aligned(config, fix->gm, rows_of(&out)), bytes);
    const uint64_t busy = move_cycles(config, bytes, 0, limit);
    const uint64_t answer = last_answer(config, &out, NULL, c->at[i].begin, commands_cycles((double)bytes / limit));
    const uint64_t end = c->at[i].begin + busy;
    commands_expect(c, i, busy, later(end, answer) - end + us(config, config->gm.write_latency_us));
  }
}

int main(void) {
  commands_place();
  return test_run(NULL);
}
